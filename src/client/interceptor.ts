import type { OperationName } from '../model/operation.ts';

/** A request on its way out, before credentials are put on it. Headers are in lower case. */
export interface OutgoingRequest {
  /** What it is for: an operation of the protocol, a card, the keys that it is signed with, or the file of a part. */
  readonly operation: OperationName | 'AgentCard' | 'CardKeys' | 'File';
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** What is known of an answer before its body is read. */
export interface IncomingAnswer {
  readonly status: number;
  /** The name in lower case. */
  header(name: string): string | undefined;
}

/**
 * Stands between the client and the wire: may change the request, look at the answer, or throw. Must return what `next`
 * gave it.
 *
 * @example
 * const timing: Interceptor = async (request, next) => {
 *   const start = performance.now();
 *   const answer = await next(request);
 *   console.log(request.operation, answer.status, performance.now() - start);
 *   return answer;
 * };
 */
export type Interceptor = <Answer extends IncomingAnswer>(
  request: OutgoingRequest,
  next: (request: OutgoingRequest) => Promise<Answer>,
) => Promise<Answer>;
