import { A2AError, ERRORS, type ErrorCode } from '../../errors.ts';
import type { ErrorCodec } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { Profile } from './profile.ts';

/** Numbers that one system gave meanings of its own; the official ones apply everywhere else. */
const PRIVATE: ReadonlyMap<string, number> = new Map([
  ['INPUT_TIMEOUT', -32001],
  ['TOOL_EXECUTION_FAILED', -32002],
  ['CONTEXT_NOT_FOUND', -32003],
]);

const internal = ERRORS.INTERNAL_ERROR.rpc;

const RPC: Readonly<Partial<Record<ErrorCode, number>>> = {
  TASK_NOT_FOUND: -32004,
  // Their official numbers mean something else here.
  TASK_NOT_CANCELABLE: internal,
  PUSH_NOTIFICATION_NOT_SUPPORTED: internal,
  UNSUPPORTED_OPERATION: internal,
  PERMISSION_DENIED: internal,
};

const base = createErrorCodec({
  rpc: RPC,
  data: (error) => ({ reason: error.message, ...error.details }),
  restBody: (error, { http }) => ({ error: { code: http, message: error.message, data: error.details } }),
});

/** -32001 to -32004 as the RxJS agent's design numbers them; a missing permission is an internal error "Forbidden: …". */
const errors: ErrorCodec = {
  ...base,
  encodeRpc(error) {
    const forbidden = error.code === 'PERMISSION_DENIED' ? `Forbidden: ${error.message}` : error.message;
    const object = { ...base.encodeRpc(error), message: forbidden };
    const code = PRIVATE.get(error.details['reason'] ?? '');
    return code === undefined ? object : { ...object, code, data: error.details };
  },
  decodeRpc(object) {
    const [reason] = [...PRIVATE].find(([, code]) => code === object.code) ?? [];
    const error = base.decodeRpc(object);
    if (reason === undefined) return error;
    return new A2AError('INTERNAL_ERROR', error.message, { details: { ...error.details, reason }, cause: object });
  },
};

export const privateErrors: Profile = {
  name: 'private-errors',
  answer: (dialect) => ({ ...dialect, errors }),
};
