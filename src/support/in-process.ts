/** Under this an agent has the way to be reached without a socket. By name, so that two copies of this package agree. */
export const IN_PROCESS: unique symbol = Symbol.for('tandem-a2a.in-process');

/** Something that answers requests in this process. */
export interface InProcessHandler {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
}

/** An agent that can be opened here. Each opening has tasks of its own, in memory. */
export interface InProcessAgent {
  readonly [IN_PROCESS]: () => Promise<InProcessHandler>;
}
