import type { JsonObject } from '../model/json.ts';

/**
 * Calls between agents. A task that calls another agent has a row for each open call. Together the rows are an outbox: any node can
 * claim a row and work on the call. A row is added by the write that records the call, and removed by the write that records its
 * outcome.
 */

/** A call to add. */
export interface NewCall {
  /** The id of the call, unique across all tasks. */
  readonly id: string;
  /** The content of the call, with everything that a node needs to make it, without secrets. Opaque to the store. It never changes. */
  readonly request: JsonObject;
  /** When a node should work on the call first. */
  readonly dueAt: number;
}

/** A stored call. */
export interface CallRecord {
  /** The id of the call, unique across all tasks. */
  readonly id: string;
  /** The calling task. The call belongs to its owner. */
  readonly taskId: string;
  /** The tenant of the calling task. */
  readonly tenant: string;
  /** The owner of the calling task. */
  readonly owner: string;
  /** The agent of the calling task. */
  readonly agent: string;
  /** The content of the call. Opaque to the store. */
  readonly request: JsonObject;
  /** The progress that the nodes have reported. Opaque to the store. Empty at first. */
  readonly progress: JsonObject;
  /** When a node should work on the call. Absent while a node holds it and nothing new has happened, and if it has failed. */
  readonly dueAt?: number;
  /** When the call was added. */
  readonly createdAt: number;
  /** Why the call was given up after the end of its task. It is no longer open. */
  readonly failed?: string;
}

/** Requests leases on due calls. */
export interface CallClaimRequest {
  /** The node that gets the leases. */
  readonly node: string;
  /** The agents whose calls the node makes. */
  readonly agents: readonly string[];
  /** The maximum number of new leases. */
  readonly limit: number;
  /** The maximum number of leases of the node for one owner in one tenant, including those in `held`. */
  readonly perOwner: number;
  /** The calls that the node is working on. Other leases of the node in the store were lost and may be claimed again. */
  readonly held: readonly HeldCall[];
}

/** A call that a node works on. */
export interface HeldCall {
  /** The id of the call. */
  readonly id: string;
  /** The tenant of the calling task. */
  readonly tenant: string;
  /** The owner of the calling task. */
  readonly owner: string;
}

/** A leased call. */
export interface ClaimedCall extends CallRecord {
  /** The fencing number of the lease. */
  readonly fence: number;
}

/** A report about a call by the node that holds the lease. Absent members stay unchanged. */
export interface CallReport {
  /** The id of the call. */
  readonly callId: string;
  /** The node that holds the lease. */
  readonly node: string;
  /** The fencing number of the lease. */
  readonly fence: number;
  /** Replaces the progress. */
  readonly progress?: JsonObject;
  /**
   * Releases the lease. The call is due at this time, or at an earlier time if it has become due since it was claimed. With `null`
   * it is only due when it becomes due by another write.
   */
  readonly dueAt?: number | null;
  /** Removes the call, whose task has ended. */
  readonly remove?: true;
  /** Gives the call up for this reason and releases the lease. */
  readonly failed?: string;
}

/** Which calls `Store.listCalls` returns. */
export interface CallQuery {
  /** Only the call with this id. */
  readonly id?: string;
  /** Only calls of this task. */
  readonly taskId?: string;
  /** Only calls of tasks of these agents. */
  readonly agents?: readonly string[];
  /** Only calls that were given up, or only open ones. */
  readonly hasFailed?: boolean;
  /** Only calls whose ids follow this one. */
  readonly after?: string;
  /** The maximum number of calls, at least 1. */
  readonly limit: number;
}
