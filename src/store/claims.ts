/**
 * If more tasks are due than a claim may give, the fairness keys of an agent get them round robin: in ascending order, one
 * task each, the longest due task of a key first, until the limit is reached or nothing is left. The next claim continues
 * after the key that got the last task; a claim that leaves no due task behind does not move that position. In a claim for
 * several agents each agent has its own rotation, and the agent whose next task is due longest goes first.
 */
export interface ClaimRequest {
  readonly node: string;
  /** The agents that the node runs. */
  readonly agents: readonly string[];
  readonly limit: number;
  /** Only this task, if it is due; whatever is if not set. */
  readonly taskId?: string;
  /**
   * How many suspects may be among the tasks; any number if not set. They come before all others, those with the fewest
   * attempts first, if the shares allow them.
   */
  readonly suspects?: number;
  /** Bounds what a fairness key may get. Only in a claim for one agent, and without `taskId`. */
  readonly shares?: ClaimShares;
}

/** How the slots of a node are shared between fairness keys. A key that gets a task in the claim has a running task. */
export interface ClaimShares {
  /** The number of tasks of the agent that run on the node, by fairness key. Keys without one are absent. */
  readonly running: ReadonlyMap<string, number>;
  /** So many of the tasks may go to any key; from then on only keys without a running task get one. */
  readonly openSlots: number;
  /** The number of tasks that one key may have running on the node; unlimited if not set. */
  readonly perKey?: number;
}

/** The key by which a task competes for slots with the tasks of others. */
export function fairnessKeyOf({ fairnessKey, owner }: { fairnessKey?: string | undefined; owner: string }): string {
  return fairnessKey ?? owner;
}
