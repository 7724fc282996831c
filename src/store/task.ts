import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { TaskState } from '../model/state.ts';
import type { TaskStatus } from '../model/task.ts';
import type { NewCall } from './call.ts';
import type { NewEvent, TaskEvent } from './event.ts';
import type { PushConfigRecord, PushConfigToPut } from './push.ts';

/** The owner of a task: the caller, and the tenant it belongs to. Part of every row and of every query on behalf of a caller. */
export interface Scope {
  /** The tenant, or an empty text for agents without tenants. */
  readonly tenant: string;
  /** The id of the caller that owns the task. */
  readonly owner: string;
}

/** The right to run a task. The next claim of the task gets a higher fencing number. */
export interface Lease {
  /** The node that holds the lease. */
  readonly node: string;
  /** The fencing number of the lease. */
  readonly fence: number;
}

/** The small, frequently read part of a task. */
export interface TaskRecord extends Scope {
  /** The id of the task, unique across all owners. */
  readonly id: string;
  /** The id of the conversation. */
  readonly contextId: string;
  /** The id of the agent that runs the task. */
  readonly agent: string;
  /** See `NewTask.fairnessKey`. */
  readonly fairnessKey?: string;
  /** The current status. */
  readonly status: TaskStatus;
  /** The metadata of the task. */
  readonly metadata?: JsonObject;
  /** The facts that runs need about the request that created the task. Opaque to the store. */
  readonly origin: JsonObject;
  /** `false` for a provisional task, which its caller cannot see until its first output. */
  readonly visible: boolean;
  /** Set if the task has push configs. */
  readonly pushed?: true;
  /** The number of open calls of the task to other agents. Absent if there are none. */
  readonly openCalls?: number;
  /** The id of the call that created the task, if a task of the same store made it. See `NewTask.callId`. */
  readonly callId?: string;
  /** The number of the last public event, or 0 if there is none. */
  readonly lastEvent: number;
  /** The number of the last journal entry, or 0 if there is none. */
  readonly lastJournal: number;
  /**
   * The approximate size of the history as JSON, in bytes: the sum of the sizes that the writes counted. Absent if it was not
   * counted, as for tasks that ended before the count existed.
   */
  readonly historyBytes?: number;
  /** The last fencing number that was assigned, or 0 if no node has run the task. */
  readonly fence: number;
  /** The node that runs the task, or ran it when the node died. */
  readonly node?: string;
  /** The number of consecutive runs that started, did not end by themselves, and wrote nothing to the journal. */
  readonly attempts: number;
  /** The number of the last journal entry when the task was claimed. Absent if there was none. */
  readonly claimedJournal?: number;
  /** How often a node died while it ran the task, after the run had written to the journal. Absent if never. */
  readonly crashes?: number;
  /**
   * Present for a suspect: a task that a node was running when it died. Its next run is observed for this many milliseconds. The
   * task is a suspect until that run writes to the journal, ends or pauses, or until a write has `cleared`.
   */
  readonly suspectMs?: number;
  /** The time from which a node should run the task. Absent while it waits for its caller, and after its end. */
  readonly wakeAt?: number;
  /** Identifies the question that waits for an answer. */
  readonly question?: string;
  /** Set once the cancellation has begun. The task can only end as canceled. */
  readonly canceling: boolean;
  /** When the task was created, in milliseconds since 1970. */
  readonly createdAt: number;
  /** When the task reached a terminal state. */
  readonly endedAt?: number;
}

/** A task with the requested large parts. */
export interface StoredTask {
  /** The small part of the task. */
  readonly record: TaskRecord;
  /** The last messages, the oldest first. */
  readonly history: readonly Message[];
  /** How many requested messages before these were omitted because of `historyBytes`. Absent if none were. */
  readonly omitted?: number;
  /** The last snapshot, serialized, and the artifact events after it. Applying the events to the snapshot gives the artifacts. */
  readonly artifacts?: {
    /** All artifacts at the time of the snapshot, serialized. Absent if there is no snapshot yet. */
    readonly snapshot?: string;
    /** The artifact events after the snapshot, in order. */
    readonly tail: readonly TaskEvent[];
  };
}

/**
 * A task with the requested large parts as JSON texts, as `JSON.stringify` wrote them. A response that contains them unchanged needs
 * neither parse nor serialise them.
 */
export interface TaskTexts extends Pick<TaskRecord, 'id' | 'contextId' | 'agent' | 'visible'> {
  /** The position of the task in a list. */
  readonly statusTime: number;
  /** The current status. */
  readonly status: string;
  /** The metadata of the task, if it has any. */
  readonly metadata?: string;
  /** The last messages, the oldest first, separated by commas. Empty if there are none or none were requested. */
  readonly history: string;
  /** The array of all artifacts. Absent if there are none or they were not requested. */
  readonly artifacts?: string;
}

/** Selects the large parts of a task. */
export interface ReadParts {
  /** The number of messages to return, the latest ones. All if not set. */
  readonly history?: number;
  /** The approximate maximum size of these messages together. The latest ones are kept, and a store need not load the others. */
  readonly historyBytes?: number;
  /** Whether to return the artifacts. */
  readonly artifacts?: boolean;
}

/** A fact that a run must remember: the result of a step, a question, an answer, a received message. Opaque to the store. */
export interface JournalEntry {
  /** The type of the entry. */
  readonly kind: string;
  /** Identifies the entry within its kind. */
  readonly key: string;
  /** The remembered value. */
  readonly body: JsonValue;
  /** The facts about the entry that may be kept without its value, such as its time and its outcome. Opaque to the store. */
  readonly outline?: JsonObject;
  /** Set if no value of the entry may be kept after the end of its task. */
  readonly sensitive?: true;
}

/** The part of the journal of an ended task that is kept: everything except sensitive values, or no values. */
export type KeptJournal = 'whole' | 'outline';

/** A stored journal entry. Its body is `null` if the value was removed at the end of the task. */
export interface JournalRecord extends JournalEntry {
  /** The position in the journal of the task, starting at 1. */
  readonly number: number;
}

/**
 * Identifies a request that may be repeated. Keys belong to the scope of the task, whether the request created the task or wrote to
 * it. A store looks for a repeat first, before guard and alias. A request that changed nothing has not used its key.
 */
export interface Idempotency {
  /** The key of the request, unique within the scope. */
  readonly key: string;
  /** A digest of the content. The same key with another digest is `key-reused`. */
  readonly digest: string;
  /** How long to keep the key at least. It is always kept as long as its task. */
  readonly keepUntil: number;
}

/** A task to create. */
export interface NewTask extends Scope {
  /** The id of the task, unique across all owners. */
  readonly id: string;
  /** The id of the conversation. */
  readonly contextId: string;
  /** The id of the agent that runs the task. */
  readonly agent: string;
  /**
   * Tasks with the same key share the slots and the queue of one caller. The owner is the key if it is not set. The key never
   * affects who may see a task.
   */
  readonly fairnessKey?: string;
  /** The first status. */
  readonly status: TaskStatus;
  /** The metadata of the task. */
  readonly metadata?: JsonObject;
  /** See `TaskRecord.origin`. */
  readonly origin: JsonObject;
  /** The first message of the history. */
  readonly message: Message;
  /** The size of the message that is added to `historyBytes` of the record. Its size as JSON if not set. */
  readonly historyBytes?: number;
  /** Event 1, which makes the task visible. Without it the task is provisional. */
  readonly event?: NewEvent;
  /** When the task was created, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The time from which a node should run the task. */
  readonly wakeAt: number;
  /** The node that runs the task at once, with fencing number 1. */
  readonly node?: string;
  /** The name that the caller chose for the task, unique within the scope. If it is taken, nothing is created. */
  readonly alias?: string;
  /** The id of the call that creates the task. The call is due when the task asks a question, or ends. */
  readonly callId?: string;
  /** Makes repeats of the request recognisable. */
  readonly idempotency?: Idempotency;
  /** A push config that is stored with the task, provisional or not, so that it receives every event. */
  readonly pushConfig?: PushConfigRecord;
}

/** The result of `Store.create`. */
export type Created =
  | {
      /** The task was created. */
      readonly kind: 'created';
      /** The new task. */
      readonly record: TaskRecord;
    }
  | {
      /** The same request came before. */
      readonly kind: 'repeated';
      /** The task that the earlier request created. */
      readonly taskId: string;
      /** The outcome of the earlier request, if it was a message without a task. */
      readonly reply?: Message;
    }
  | {
      /** The key was used before, for different content. */
      readonly kind: 'key-reused';
    }
  | {
      /** The alias belongs to another task. */
      readonly kind: 'alias-taken';
      /** The task with the alias. */
      readonly taskId: string;
    };

/** The conditions of a write. All of them must hold. No guard ever allows a change of a terminal task. */
export interface Guard {
  /** The writer has this lease, and there was no later one. */
  readonly lease?: Lease;
  /** The task is in one of these states. */
  readonly states?: readonly TaskState[];
  /** No living node runs the task. */
  readonly idle?: true;
  /** This question waits for an answer. */
  readonly question?: string;
  /** Whether the cancellation has begun. */
  readonly canceling?: boolean;
  /** There is no event after the one with this number. */
  readonly lastEvent?: number;
  /** `historyBytes` of the record is at most this. */
  readonly maxHistoryBytes?: number;
  /** The task has an open call with this id. */
  readonly call?: string;
  /** There is no journal entry after the one with this number. */
  readonly lastJournal?: number;
}

/** One change of one task. Absent members stay unchanged; `null` removes a value. */
export interface TaskWrite {
  /** The task to change. */
  readonly taskId: string;
  /** The conditions of the write. */
  readonly guard: Guard;
  /** The node that writes, so that watchers can ignore their own writes. */
  readonly by?: string;
  /** Public events to add. */
  readonly events?: readonly NewEvent[];
  /** Journal entries to add. */
  readonly journal?: readonly JournalEntry[];
  /** Messages to add to the history. */
  readonly history?: readonly Message[];
  /** The size of these messages that is added to `historyBytes` of the record. Their size as JSON if not set. */
  readonly historyBytes?: number;
  /** The new status. Lists are sorted by its timestamp. */
  readonly status?: TaskStatus;
  /** The new metadata. */
  readonly metadata?: JsonObject;
  /** Makes a provisional task visible. */
  readonly visible?: true;
  /** The time from which a node should run the task. */
  readonly wakeAt?: number | null;
  /** The question that waits for an answer. */
  readonly question?: string | null;
  /** Begins the cancellation. */
  readonly canceling?: true;
  /** Releases the lease: the run ended by itself, and `attempts` becomes 0. */
  readonly release?: true;
  /** Revokes the lease of the current holder and raises the fencing number. The attempt still counts. */
  readonly revoke?: true;
  /** Does not count the attempt that this write ends, because the run was not at fault. */
  readonly uncounted?: true;
  /** The task is no longer a suspect. */
  readonly cleared?: true;
  /** All artifacts including the events of this write, serialized. Replaces the earlier snapshot. */
  readonly artifacts?: string;
  /**
   * Ends the task at this time: removes its journal, lease, wake-up time and question. Comes with a terminal status, and with
   * `artifacts` if there are any, because the events may be removed before the task.
   */
  readonly endedAt?: number;
  /**
   * With `endedAt`: keeps the journal, including the entries of this write, as long as the task. With `outline`, the body of every
   * entry becomes `null`, with `whole` only those of sensitive entries.
   */
  readonly keepJournal?: KeptJournal;
  /** Calls to add, with a journal entry. If the cancellation of the task has begun, the guard does not hold. */
  readonly calls?: readonly NewCall[];
  /** Removes this call, if it is open. */
  readonly endsCall?: string;
  /** Makes all open calls of the task due at once, as `canceling` and `endedAt` do. */
  readonly callsDue?: true;
  /** Makes this open call of the task due at once. Comes with it as `guard.call`. */
  readonly callDue?: string;
  /** Makes repeats of the request recognisable. */
  readonly idempotency?: Idempotency;
  /** A push config that is added before the write, so that it receives its events. If it exceeds its `max`, nothing is written. */
  readonly pushConfig?: PushConfigToPut;
}

/** The result of `Store.append`. */
export type Appended =
  | {
      /** The write was stored. */
      readonly kind: 'appended';
      /** The task after the write. */
      readonly record: TaskRecord;
      /** The number of the first event of this write, or of the next event if the write has none. */
      readonly firstEvent: number;
      /** Set if the write has added calls or made calls due, of this task or of the one that called it. */
      readonly callsDue?: true;
    }
  | {
      /** The guard did not hold. */
      readonly kind: 'rejected';
      /** The current task. Absent if it does not exist. */
      readonly record?: TaskRecord;
    }
  | {
      /** The same request came before. */
      readonly kind: 'repeated';
      /** The task that the earlier request wrote to. */
      readonly taskId: string;
    }
  | {
      /** The key was used before, for different content. */
      readonly kind: 'key-reused';
    }
  | {
      /** The task already has the maximum number of push configs. */
      readonly kind: 'full';
    };

/** Filters and limits of a list of tasks. */
export interface TaskQuery extends ReadParts {
  /** Only tasks of these agents. All agents if not set. */
  readonly agents?: readonly string[];
  /** Only tasks of this conversation. */
  readonly contextId?: string;
  /** Only tasks in these states. */
  readonly states?: readonly TaskState[];
  /** Only tasks whose status has this time or a later one. */
  readonly statusSince?: number;
  /** The maximum number of tasks. */
  readonly limit: number;
  /**
   * The page ends before the task with which statuses, history and artifacts would exceed about this many bytes, but has at least
   * one task. A store loads little more than that.
   */
  readonly pageBytes?: number;
  /** The last position of the previous page. */
  readonly after?: PagePosition;
}

/** The position of a task in a list. */
export interface PagePosition {
  /** The time of its status. */
  readonly statusTime: number;
  /** Its id. */
  readonly id: string;
}

/** One page of a list of tasks. */
export interface TaskPage<Listed extends StoredTask | TaskTexts = StoredTask> {
  /** The tasks of the page. */
  readonly tasks: readonly Listed[];
  /** The number of matching tasks on all pages. */
  readonly total: number;
  /** Set if the page ended early because of `pageBytes` and more tasks follow. */
  readonly isCut?: true;
}

/** The result of `Store.purge`. */
export interface Purged {
  /** The number of tasks that no living node runs, at most the limit. */
  readonly found: number;
  /** How many of them were removed. Another call removed or claimed the others in the meantime. */
  readonly removed: number;
}

/** The result of `Store.unfinished`. */
export interface UnfinishedTasks {
  /** The ids of the tasks, at most the limit. */
  readonly taskIds: readonly string[];
  /** The number of all unfinished tasks of the owner. */
  readonly total: number;
}

/** Which tasks `Store.allTasks` returns. */
export interface AllTasksQuery {
  /** Only the task with this id. */
  readonly taskId?: string;
  /** Only tasks of this agent. */
  readonly agent?: string;
  /** Only tasks that have ended, or only those that have not. */
  readonly hasEnded?: boolean;
  /** Only tasks whose ids follow this one. */
  readonly after?: string;
  /** The maximum number of tasks, at least 1. */
  readonly limit: number;
}

/** Which data `Store.prune` removes. Times are in milliseconds since 1970. */
export interface RetentionPolicy {
  /** Remove tasks that ended before this time. */
  readonly endedBefore: number;
  /** Keep this many ended tasks across all owners, the latest ones. */
  readonly keepEnded: number;
  /** Remove the events of tasks that ended before this time, and keep the tasks. */
  readonly eventsEndedBefore: number;
  /** Keep this many dead letters across all owners, the latest ones. All if not set. */
  readonly keepDeadLetters?: number;
  /** The maximum number of tasks to remove. */
  readonly limit: number;
}
