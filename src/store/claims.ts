/**
 * Requests leases on due tasks. If more tasks are due than the limit, the fairness keys of an agent get them round robin: in
 * ascending order, one task each, the longest due task of a key first, until the limit is reached or no task is left. The next
 * claim continues after the key that got the last task. A claim that leaves no due task does not move that position. In a claim
 * for several agents each agent has its own rotation, and the agent whose next task is due longest goes first.
 */
export interface ClaimRequest {
  /** The node that gets the leases. */
  readonly node: string;
  /** The agents that the node runs. */
  readonly agents: readonly string[];
  /** The maximum number of tasks. */
  readonly limit: number;
  /** Only this task, if it is due. Any due task if not set. */
  readonly taskId?: string;
  /**
   * The maximum number of suspects among the tasks. Unlimited if not set. Suspects come before all other tasks, those with the
   * fewest attempts first, as far as the shares allow.
   */
  readonly suspects?: number;
  /** Limits the tasks of each fairness key. Only in a claim for one agent and without `taskId`. */
  readonly shares?: ClaimShares;
}

/** How fairness keys share the slots of a node. A key that gets a task in the claim counts as having a running task. */
export interface ClaimShares {
  /** The number of tasks of the agent that run on the node, by fairness key. Keys without a running task are absent. */
  readonly running: ReadonlyMap<string, number>;
  /** This many tasks may go to any key. After that, only keys without a running task get one. */
  readonly openSlots: number;
  /** The maximum number of running tasks of one key on the node. Unlimited if not set. */
  readonly perKey?: number;
}

/** The members of a record or a new task that define its fairness key. */
interface Keyed {
  /** The explicit key. */
  readonly fairnessKey?: string | undefined;
  /** The owner of the task. */
  readonly owner: string;
}

/** The fairness key of a task: the explicit key, or the owner. */
export function fairnessKeyOf(task: Keyed): string {
  return task.fairnessKey ?? task.owner;
}
