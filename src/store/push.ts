import type { TaskPushNotificationConfig } from '../model/push.ts';

/**
 * Where to tell of a task. It goes with its task, however that goes. Others mask its secrets before they show it, so it
 * is kept as it was given, and handed out as a copy: the one value that may be changed outside the store.
 */
export interface PushConfigRecord {
  /** Unique within the task. */
  readonly id: string;
  /** All of it, secrets too. Opaque to the store, but for the host of its `url`. */
  readonly config: TaskPushNotificationConfig;
  /** In whose words it was asked for and will be told. Opaque to the store. */
  readonly dialect: string;
  readonly createdAt: number;
}

export type PushConfigPut =
  /** As it is now, with the time of the one that it replaced. */
  { readonly kind: 'stored'; readonly record: PushConfigRecord } | { readonly kind: 'full' };

/** One that comes with something else. */
export interface PushConfigToPut {
  readonly record: PushConfigRecord;
  /** How many a task may have. */
  readonly max: number;
}

export interface PushConfigQuery {
  /** Only the one of this id. */
  readonly id?: string;
  readonly limit: number;
  /** The id with which the page before this one ended. If that is gone the list begins anew: better twice than never. */
  readonly after?: string;
}

/** Names a push configuration among those of all tasks. */
export interface PushConfigName {
  readonly taskId: string;
  readonly configId: string;
}

/** How far the receiver of a push configuration has been told. The outbox is this, and the log of the task. */
export interface PushProgress {
  /** The number of the last event of which nothing is left to tell. */
  readonly told: number;
  /** Attempts in vain to tell of the next one. */
  readonly attempts: number;
  /** Since when every attempt was in vain; absent while the last one was not. */
  readonly failingSince?: number;
  /** Events in a row, up to `told`, that were given up. */
  readonly givenUp: number;
}

/** One that a node is at, and for whom. */
export interface PushHolding extends PushConfigName {
  readonly tenant: string;
  readonly owner: string;
  /** The host of its address, without a port. */
  readonly receiver: string;
}

export interface PushClaimRequest {
  readonly node: string;
  /** The agents of whose tasks the node tells. */
  readonly agents: readonly string[];
  readonly limit: number;
  /** How many one receiver may have of those that the node holds then. */
  readonly perReceiver: number;
  /** How many of them may be for tasks of one owner, in one tenant. */
  readonly perOwner: number;
  /** What the node is at. Whatever else the store thinks that it holds it has not heard of, and may be given again. */
  readonly held: readonly PushHolding[];
}

/** A push configuration of which a node has the lease: it alone tells its receiver, event by event. */
export interface ClaimedPush extends PushHolding, PushProgress {
  readonly config: PushConfigRecord;
  readonly fence: number;
}

/** What came of telling, from the node that has the lease. Everything is replaced by what is given here. */
export interface PushReport extends PushConfigName, PushProgress {
  readonly node: string;
  readonly fence: number;
  /** Gives the lease back: what is left to tell, if anything is, is due at this time. */
  readonly dueAt?: number;
  /** Nothing more is told, for this reason; gives the lease back. */
  readonly disabled?: string;
  /** The event that was given up. */
  readonly deadLetter?: NewDeadLetter;
}

/** What became of a report that was taken. */
export interface PushNoted {
  /** From when on something is to be told; absent if nothing is. */
  readonly dueAt?: number;
}

/** An event that a receiver could not be told of. */
export interface NewDeadLetter {
  /** That of its delivery, unique among all. */
  readonly id: string;
  /** With its body, because dead letters outlive the log. */
  readonly event: { readonly number: number; readonly kind: 'task' | 'status' | 'artifact'; readonly body: string };
  /** Why, for people. */
  readonly reason: string;
  readonly attempts: number;
  readonly time: number;
}

/** With all that it takes to send it again. */
export interface DeadLetterRecord extends NewDeadLetter, PushConfigName {
  readonly tenant: string;
  readonly owner: string;
  readonly config: PushConfigRecord;
  readonly receiver: string;
  /** Why nothing more is told there, if it is so. */
  readonly disabled?: string;
}

export interface DeadLetterQuery {
  /** Only those of tasks of these agents. */
  readonly agents: readonly string[];
  /** Only the one of this id. */
  readonly id?: string;
  /** Only those of one push configuration. */
  readonly of?: PushConfigName;
  readonly limit: number;
  /** The id with which the page before this one ended. If that is gone the list begins anew. */
  readonly after?: string;
}
