import { A2AError, ERRORS, type ErrorCode } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { INPUT_TIMEOUT } from '../../model/question.ts';
import { isObject } from '../codec.ts';
import type { ErrorCodec } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { Profile } from './profile.ts';

/** Numbers that one system gave meanings of its own; the official ones apply everywhere else. */
const PRIVATE: ReadonlyMap<string, { readonly code: number; readonly message: string }> = new Map([
  ['INPUT_TIMEOUT', { code: -32001, message: 'Input timeout' }],
  ['TOOL_EXECUTION_FAILED', { code: -32002, message: 'Tool execution failed' }],
  ['CONTEXT_NOT_FOUND', { code: -32003, message: 'Context not found' }],
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

/** The messages of its documentation. What happened is in `data.reason`; other errors have it as their message. */
const MESSAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  PARSE_ERROR: 'Parse error',
  INVALID_REQUEST: 'Invalid Request',
  METHOD_NOT_FOUND: 'Method not found',
  INVALID_PARAMS: 'Invalid params',
  INTERNAL_ERROR: 'Internal error',
  TASK_NOT_FOUND: 'Task not found',
};

const base = createErrorCodec({
  rpc: RPC,
  data: (error) => ({ reason: error.message, ...error.details }),
  restBody: (error, { http }) => ({ error: { code: http, message: error.message, data: dataOf(error) } }),
});

/** -32001 to -32004 as the RxJS agent's design numbers them; a missing permission is an internal error "Forbidden: …". */
const errors: ErrorCodec = {
  ...base,
  encodeRpc(error) {
    const special = PRIVATE.get(reasonOf(error));
    if (special !== undefined) {
      // The code already identifies the error.
      const { reason: _, ...data } = dataOf(error);
      return { ...special, data };
    }
    return { ...base.encodeRpc(error), message: messageOf(error) };
  },
  decodeRpc(object) {
    const [reason] = [...PRIVATE].find(([, { code }]) => code === object.code) ?? [];
    const error = base.decodeRpc(object);
    if (reason === undefined) return error;
    return new A2AError('INTERNAL_ERROR', error.message, { details: { ...error.details, reason }, cause: object });
  },
  rpcStatus: ({ code }) => (code === 'INVALID_REQUEST' ? 400 : undefined),
};

function reasonOf({ code, details, violations }: A2AError): string {
  // The only thing that can be wrong with the context of a message.
  const isContext = code === 'INVALID_PARAMS' && violations[0]?.field === 'message.contextId';
  return isContext ? 'CONTEXT_NOT_FOUND' : (details['reason'] ?? '');
}

function messageOf({ code, message, details }: A2AError): string {
  if (code !== 'PERMISSION_DENIED') return MESSAGES[code] ?? message;
  const { skillId } = details;
  return `Forbidden: ${skillId === undefined ? message : `Insufficient permissions for skill '${skillId}'`}`;
}

/** The facts of an error, with the time limit as the number that it is. */
function dataOf({ details }: A2AError): JsonObject {
  const { timeoutSeconds } = details;
  return timeoutSeconds === undefined ? details : { ...details, timeoutSeconds: Number(timeoutSeconds) };
}

/** A task that failed because its question was not answered in time ends a stream with an error. */
function streamErrorOf(event: StreamResponse): A2AError | undefined {
  if (!('statusUpdate' in event)) return undefined;
  const { taskId, status, metadata } = event.statusUpdate;
  const timeout = metadata?.[INPUT_TIMEOUT];
  if (status.state !== 'TASK_STATE_FAILED' || !isObject(timeout)) return undefined;
  const { timeoutSeconds } = timeout;
  return new A2AError('INTERNAL_ERROR', 'Input timeout', {
    details: {
      reason: 'INPUT_TIMEOUT',
      taskId,
      ...(typeof timeoutSeconds === 'number' && { timeoutSeconds: String(timeoutSeconds) }),
    },
  });
}

export const privateErrors: Profile = {
  name: 'private-errors',
  answer: (dialect) => ({ ...dialect, errors, streamErrorOf }),
};
