/** The responses of the scripted agent to the requests of the test, in the format of one version. `TIME` is any time. */
export interface ExpectedResponses {
  /** A task that asks a question: its id is TASK, its context CONTEXT, the id of the question QUESTION. */
  readonly asked: unknown;
  /** The same task after the answer. */
  readonly answered: unknown;
  /** The response to GetTask with the latest message only. */
  readonly got: unknown;
  /** A reply without a task; its id is MESSAGE, its context CONTEXT. */
  readonly replied: unknown;
  /** The events of a task, whose status messages have the ids ONE and TWO. */
  readonly streamed: readonly unknown[];
  /** The events of a subscription to a working task, whose status message has the id ONE. */
  readonly subscribed: readonly unknown[];
  /** This task after it was canceled. */
  readonly canceled: unknown;
  /** The error for an unknown task. */
  readonly unknown: { readonly status: number; readonly json: unknown };
}

/** The responses in the envelope of JSON-RPC. */
export function overRpc(responses: ExpectedResponses): ExpectedResponses {
  const result = (value: unknown): unknown => ({ jsonrpc: '2.0', id: 1, result: value });
  return {
    asked: result(responses.asked),
    answered: result(responses.answered),
    got: result(responses.got),
    replied: result(responses.replied),
    streamed: responses.streamed.map(result),
    subscribed: responses.subscribed.map(result),
    canceled: result(responses.canceled),
    unknown: responses.unknown,
  };
}
