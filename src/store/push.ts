import type { TaskPushNotificationConfig } from '../model/push.ts';

/**
 * A push config of a task. It is removed with its task. Callers of the store mask its secrets before they show it, so the store
 * keeps it unchanged and returns a copy: it is the one value that may be changed outside the store.
 */
export interface PushConfigRecord {
  /** Unique within the task. */
  readonly id: string;
  /** The whole push config, including secrets. Opaque to the store, except for the host of its `url`. */
  readonly config: TaskPushNotificationConfig;
  /** The dialect of the request that created it, in which notifications are encoded. Opaque to the store. */
  readonly dialect: string;
  /** When it was first added, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** The result of `Store.putPushConfig`. */
export type PushConfigPut =
  | {
      /** The push config was stored. */
      readonly kind: 'stored';
      /** The stored push config. It keeps the creation time of the one that it replaced. */
      readonly record: PushConfigRecord;
    }
  | {
      /** The task already has the maximum number of push configs. */
      readonly kind: 'full';
    };

/** A push config that a write adds. */
export interface PushConfigToPut {
  /** The push config. */
  readonly record: PushConfigRecord;
  /** The maximum number of push configs of the task. */
  readonly max: number;
}

/** Filters and limits of a list of push configs. */
export interface PushConfigQuery {
  /** Only the push config with this id. */
  readonly id?: string;
  /** The maximum number of push configs. */
  readonly limit: number;
  /** The last id of the previous page. If it no longer exists, the list starts again: a repeat is better than a gap. */
  readonly after?: string;
}

/** Identifies a push config across all tasks. */
export interface PushConfigName {
  /** The task of the push config. */
  readonly taskId: string;
  /** The id of the push config within the task. */
  readonly configId: string;
}

/** The delivery progress of a push config. Together with the events of the task, this is the outbox. */
export interface PushProgress {
  /** The number of the last event that was delivered or given up. */
  readonly told: number;
  /** The number of failed attempts to deliver the next event. */
  readonly attempts: number;
  /** When the current series of failed attempts began. Absent if the last attempt succeeded. */
  readonly failingSince?: number;
  /** The number of consecutive events, up to `told`, that were given up. */
  readonly givenUp: number;
}

/** A push config that a node holds, with its owner and receiver. */
export interface PushHolding extends PushConfigName {
  /** The tenant of the task. */
  readonly tenant: string;
  /** The owner of the task. */
  readonly owner: string;
  /** The host of its URL, without a port. */
  readonly receiver: string;
}

/** Requests leases on due push configs. */
export interface PushClaimRequest {
  /** The node that gets the leases. */
  readonly node: string;
  /** The agents for whose tasks the node delivers notifications. */
  readonly agents: readonly string[];
  /** The maximum number of new leases. */
  readonly limit: number;
  /** The maximum number of leases of the node for one receiver, including those in `held`. */
  readonly perReceiver: number;
  /** The maximum number of leases of the node for one owner in one tenant, including those in `held`. */
  readonly perOwner: number;
  /** The push configs that the node is delivering. Other leases of the node in the store were lost and may be claimed again. */
  readonly held: readonly PushHolding[];
}

/** A leased push config. Only the node with the lease delivers its events, one after the other. */
export interface ClaimedPush extends PushHolding, PushProgress {
  /** The push config. */
  readonly config: PushConfigRecord;
  /** The fencing number of the lease. */
  readonly fence: number;
}

/** The progress of a delivery, reported by the node with the lease. It replaces the stored progress. */
export interface PushReport extends PushConfigName, PushProgress {
  /** The node that holds the lease. */
  readonly node: string;
  /** The fencing number of the lease. */
  readonly fence: number;
  /** Releases the lease. Remaining events, if any, are due at this time. */
  readonly dueAt?: number;
  /** Disables the push config for this reason and releases the lease. */
  readonly disabled?: string;
  /** The event that was given up. */
  readonly deadLetter?: NewDeadLetter;
}

/** The result of an accepted report. */
export interface PushNoted {
  /** When the next delivery is due. Absent if there is nothing to deliver. */
  readonly dueAt?: number;
}

/** An event that could not be delivered. */
export interface NewDeadLetter {
  /** The id of the delivery, unique across all tasks. */
  readonly id: string;
  /** The event with its body, because dead letters are kept longer than events. */
  readonly event: {
    /** The number of the event in the log of the task. */
    readonly number: number;
    /** The kind of the event. */
    readonly kind: 'task' | 'status' | 'artifact';
    /** The content of the event, serialized. */
    readonly body: string;
  };
  /** Why the last attempt failed, as text. */
  readonly reason: string;
  /** The number of attempts. */
  readonly attempts: number;
  /** When it was given up, in milliseconds since 1970. */
  readonly time: number;
}

/** A stored dead letter, with everything that a redelivery needs. */
export interface DeadLetterRecord extends NewDeadLetter, PushConfigName {
  /** The tenant of the task. */
  readonly tenant: string;
  /** The owner of the task. */
  readonly owner: string;
  /** The push config. */
  readonly config: PushConfigRecord;
  /** The host of the URL, without a port. */
  readonly receiver: string;
  /** Why the push config is disabled. Absent if it is not. */
  readonly disabled?: string;
}

/** Filters and limits of a list of dead letters. */
export interface DeadLetterQuery {
  /** Only dead letters of tasks of these agents. */
  readonly agents: readonly string[];
  /** Only the dead letter with this id. */
  readonly id?: string;
  /** Only dead letters of this push config. */
  readonly of?: PushConfigName;
  /** The maximum number of dead letters. */
  readonly limit: number;
  /** The last id of the previous page. If it no longer exists, the list starts again. */
  readonly after?: string;
}
