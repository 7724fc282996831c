/** What the agent of the tests says to one and the same callers, as one version writes it. `TIME` is any time. */
export interface Spoken {
  /** A task that asks something: its id is TASK, its context CONTEXT, the id of the question QUESTION. */
  readonly asked: unknown;
  /** The same task after the answer. */
  readonly answered: unknown;
  /** Got with the latest message only. */
  readonly got: unknown;
  /** A bare message; its id is MESSAGE, its context CONTEXT. */
  readonly replied: unknown;
  /** The events of a task, whose words have the ids ONE and TWO. */
  readonly streamed: readonly unknown[];
  /** A task at work, whose word has the id ONE, to its end. */
  readonly subscribed: readonly unknown[];
  /** The same, but canceled. */
  readonly canceled: unknown;
  /** A task that nobody knows. */
  readonly unknown: { readonly status: number; readonly json: unknown };
}

/** Puts each answer into the envelope of JSON-RPC. */
export function overRpc(spoken: Spoken): Spoken {
  const result = (value: unknown): unknown => ({ jsonrpc: '2.0', id: 1, result: value });
  return {
    asked: result(spoken.asked),
    answered: result(spoken.answered),
    got: result(spoken.got),
    replied: result(spoken.replied),
    streamed: spoken.streamed.map(result),
    subscribed: spoken.subscribed.map(result),
    canceled: result(spoken.canceled),
    unknown: spoken.unknown,
  };
}
