/**
 * The property under which an agent can be reached without a socket. A registered symbol, so that two copies of this
 * package agree.
 */
export const IN_PROCESS: unique symbol = Symbol.for('tandem-a2a.in-process');

/** A request handler in this process. */
export interface InProcessHandler {
  /** Processes a request. */
  fetch(request: Request): Promise<Response>;
  /** Stops the handler and its tasks. */
  close(): Promise<void>;
}

/** An agent that can be opened in this process. Each opening has its own tasks, in memory. */
export interface InProcessAgent {
  readonly [IN_PROCESS]: () => Promise<InProcessHandler>;
}
