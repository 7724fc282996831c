import { A2AError, ERRORS, type ErrorCode, type GrpcStatus } from '../errors.ts';
import type { JsonValue } from '../model/json.ts';
import { isObject } from './codec.ts';
import type { ErrorCodec } from './dialect.ts';
import { decodeDetails, type ErrorFacts } from './error-details.ts';

/** How the errors of a dialect differ from the table in `errors.ts`, and their format. */
export interface ErrorDialect {
  readonly rpc?: Readonly<Partial<Record<ErrorCode, number>>>;
  readonly http?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** The `data` member of a JSON-RPC error. */
  data(error: A2AError): JsonValue | undefined;
  restBody(error: A2AError, numbers: { readonly rpc: number; readonly http: number }): JsonValue;
}

/** Error codes by HTTP status, for bodies without a code. Includes the statuses of 1.0.0 and of the 0.3 SDKs. */
const BY_HTTP: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_PARAMS',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'TASK_NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'TASK_NOT_CANCELABLE',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'CONTENT_TYPE_NOT_SUPPORTED',
  422: 'INVALID_PARAMS',
  429: 'RATE_LIMIT_EXCEEDED',
  501: 'UNSUPPORTED_OPERATION',
  502: 'INVALID_AGENT_RESPONSE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** Statuses that a gateway returns if it gets no response from the agent. */
export const GATEWAY_STATUSES: readonly number[] = [502, 504];

/** The status names that identify exactly one error. */
const BY_GRPC: ReadonlyMap<unknown, ErrorCode> = new Map<GrpcStatus, ErrorCode>([
  ['NOT_FOUND', 'TASK_NOT_FOUND'],
  ['INVALID_ARGUMENT', 'INVALID_PARAMS'],
  ['UNAUTHENTICATED', 'UNAUTHENTICATED'],
  ['PERMISSION_DENIED', 'PERMISSION_DENIED'],
  ['RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'],
  ['UNAVAILABLE', 'UNAVAILABLE'],
]);

/** The generic server error number. Without a reason it does not identify an error. */
const SERVER_ERROR = ERRORS.UNAUTHENTICATED.rpc;

/** Builds both directions from the differences. Decodes errors of peers by reason, then number, then status name, then HTTP status. */
export function createErrorCodec(dialect: ErrorDialect): ErrorCodec {
  const rpcOf = (code: ErrorCode): number => dialect.rpc?.[code] ?? ERRORS[code].rpc;
  const httpOf = (code: ErrorCode): number => dialect.http?.[code] ?? ERRORS[code].http;
  const byRpc = invert(rpcOf);

  const fromFacts = (code: ErrorCode, message: string, facts: ErrorFacts, cause: unknown): A2AError =>
    new A2AError(facts.code ?? code, message, { ...facts, cause });

  return {
    encodeRpc(error) {
      const data = dialect.data(error);
      const object = { code: rpcOf(error.code), message: error.message };
      return data === undefined ? object : { ...object, data };
    },

    decodeRpc(error) {
      return fromFacts(byRpc.get(error.code) ?? 'INTERNAL_ERROR', error.message, decodeDetails(error.data), error);
    },

    encodeRest(error) {
      const numbers = { rpc: rpcOf(error.code), http: httpOf(error.code) };
      return { status: numbers.http, body: dialect.restBody(error, numbers) };
    },

    decodeRest(status, body) {
      const outer = isObject(body) ? body : {};
      // google.rpc.Status and the SDKs put the error inside, problem+json and others at the top.
      const error = isObject(outer['error']) ? outer['error'] : outer;
      const named = BY_GRPC.get(error['status']);
      const numbered = typeof error['code'] === 'number' ? byRpc.get(error['code']) : undefined;
      const code = numbered ?? named ?? codeOf(status, error);
      const facts = decodeDetails(error['details'] ?? error['data']);
      return fromFacts(code, messageOf(error) ?? messageOf(outer) ?? sentenceOf(status), facts, body);
    },
  };
}

/**
 * Several codes share a number, and in some dialects a code uses the number of another one. A number is decoded as the code
 * that has it in the table, and among several of those as the first, which is the most general.
 */
function invert(rpcOf: (code: ErrorCode) => number): ReadonlyMap<number, ErrorCode> {
  const codes = Object.keys(ERRORS) as ErrorCode[];
  const owners = codes.filter((code) => rpcOf(code) === ERRORS[code].rpc);
  const byRpc = new Map<number, ErrorCode>();
  for (const code of [...owners, ...codes]) {
    const number = rpcOf(code);
    if (number !== SERVER_ERROR && !byRpc.has(number)) byRpc.set(number, code);
  }
  return byRpc;
}

/** Errors of agents contain a number. Responses of gateways do not. */
function codeOf(status: number, error: Readonly<Record<string, JsonValue>>): ErrorCode {
  const isGateway = GATEWAY_STATUSES.includes(status) && typeof error['code'] !== 'number';
  return isGateway ? 'UNAVAILABLE' : (BY_HTTP[status] ?? 'INTERNAL_ERROR');
}

function sentenceOf(status: number): string {
  return `HTTP ${status}${GATEWAY_STATUSES.includes(status) ? ': a gateway got no response from the agent' : ''}`;
}

function messageOf(error: Readonly<Record<string, JsonValue>>): string | undefined {
  const text = error['message'] ?? error['detail'] ?? error['title'] ?? error['error'];
  return typeof text === 'string' && text !== '' ? text : undefined;
}
