import type { OperationName } from '../../model/operation.ts';

/** A request before credentials are added. Header names are in lower case. */
export interface OutgoingRequest {
  /** The purpose: an operation of the protocol, a card, the keys of its signature, or the file of a part. */
  readonly operation: OperationName | 'AgentCard' | 'CardKeys' | 'File';
  /** The HTTP method. */
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The URL that the request goes to. */
  readonly url: string;
  /** The headers, without credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, serialized. Undefined for requests without a body. */
  readonly body?: string | undefined;
}

/** A response before its body is read. */
export interface IncomingResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Returns a header. The name must be in lower case. */
  header(name: string): string | undefined;
}

/**
 * Wraps every request of a client. It may change the request, inspect the response, or throw. It must return the response of
 * `next`.
 *
 * @example
 * const timing: Interceptor = async (request, next) => {
 *   const start = performance.now();
 *   const response = await next(request);
 *   console.log(request.operation, response.status, performance.now() - start);
 *   return response;
 * };
 */
export type Interceptor = <Answer extends IncomingResponse>(
  request: OutgoingRequest,
  next: (request: OutgoingRequest) => Promise<Answer>,
) => Promise<Answer>;
