import { A2AError, ERRORS, type ErrorCode } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { INPUT_TIMEOUT, TOOL_EXECUTION_FAILED, TOOL_FAILURE } from '../../model/question.ts';
import { isObject } from '../codec.ts';
import type { ErrorCodec } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { Profile } from './profile.ts';

/** Error numbers to which one system assigns other meanings. The official numbers apply to all other errors. */
const PRIVATE: ReadonlyMap<string, { readonly code: number; readonly message: string }> = new Map([
  ['INPUT_TIMEOUT', { code: -32001, message: 'Input timeout' }],
  [TOOL_EXECUTION_FAILED, { code: -32002, message: 'Tool execution failed' }],
  ['CONTEXT_NOT_FOUND', { code: -32003, message: 'Context not found' }],
]);

const internal = ERRORS.INTERNAL_ERROR.rpc;

const RPC: Readonly<Partial<Record<ErrorCode, number>>> = {
  TASK_NOT_FOUND: -32004,
  // The official numbers of these codes have another meaning here.
  TASK_NOT_CANCELABLE: internal,
  PUSH_NOTIFICATION_NOT_SUPPORTED: internal,
  UNSUPPORTED_OPERATION: internal,
  PERMISSION_DENIED: internal,
};

/**
 * The documented messages of that system. `data.reason` contains our message; all other errors have it as their
 * message.
 */
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

/** -32001 to -32004 as the RxJS agent numbers them. A missing permission is an internal error "Forbidden: …". */
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
  // The only possible violation that concerns the context of a message.
  const isContext = code === 'INVALID_PARAMS' && violations[0]?.field === 'message.contextId';
  return isContext ? 'CONTEXT_NOT_FOUND' : (details['reason'] ?? '');
}

function messageOf({ code, message, details }: A2AError): string {
  if (code !== 'PERMISSION_DENIED') return MESSAGES[code] ?? message;
  const { skillId } = details;
  return `Forbidden: ${skillId === undefined ? message : `Insufficient permissions for skill '${skillId}'`}`;
}

/** The details of an error, with the time limit as a number. */
function dataOf({ details }: A2AError): JsonObject {
  const { timeoutSeconds } = details;
  return timeoutSeconds === undefined ? details : { ...details, timeoutSeconds: Number(timeoutSeconds) };
}

/**
 * A task that failed because a question was not answered in time or because a tool failed ends its stream with an
 * error.
 */
function streamErrorOf(event: StreamResponse): A2AError | undefined {
  if (!('statusUpdate' in event)) return undefined;
  const { taskId, status, metadata } = event.statusUpdate;
  if (status.state !== 'TASK_STATE_FAILED') return undefined;
  const failure = metadata?.[TOOL_FAILURE];
  if (isObject(failure)) {
    const details = { ...textsOf(failure), reason: TOOL_EXECUTION_FAILED, taskId };
    return new A2AError('INTERNAL_ERROR', 'Tool execution failed', { details });
  }
  const timeout = metadata?.[INPUT_TIMEOUT];
  if (!isObject(timeout)) return undefined;
  const { timeoutSeconds } = timeout;
  return new A2AError('INTERNAL_ERROR', 'Input timeout', {
    details: {
      reason: 'INPUT_TIMEOUT',
      taskId,
      ...(typeof timeoutSeconds === 'number' && { timeoutSeconds: String(timeoutSeconds) }),
    },
  });
}

function textsOf(object: JsonObject): Record<string, string> {
  return Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

export const privateErrors: Profile = {
  name: 'private-errors',
  forServer: (dialect) => ({ ...dialect, errors, streamErrorOf }),
};
