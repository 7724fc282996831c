import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { TaskState } from '../model/state.ts';
import type { TaskStatus } from '../model/task.ts';
import type { ClaimRequest } from './claims.ts';
import type { NewEvent, TaskEvent, WatchListener } from './event.ts';
import type {
  ClaimedPush,
  DeadLetterQuery,
  DeadLetterRecord,
  PushClaimRequest,
  PushConfigName,
  PushConfigPut,
  PushConfigQuery,
  PushConfigRecord,
  PushConfigToPut,
  PushNoted,
  PushReport,
} from './push.ts';
import type { TokenTake, TokenTaken } from './tokens.ts';

export type * from './claims.ts';
export { fairnessKeyOf } from './claims.ts';
export type * from './event.ts';
export type * from './push.ts';
export type * from './tokens.ts';

/**
 * What the engine asks of a store, and all it knows of one. `storeContract()` in `tandem-a2a/testing` checks an
 * implementation; the memory store is the one to read first.
 *
 * - **A promise that resolves means stored**: durable by the standards of the store, visible to every later call.
 *   Nothing that failed may have happened in part. A store may gather the writes of one moment into one transaction.
 * - **Numbers are the store's.** Events and journal entries of a task are numbered 1, 2, 3 … without gaps, in the order
 *   of the commits; the number is given at the commit and never from memory.
 * - **Writes are guarded.** A write whose guard does not hold changes nothing and says so; it is not an error.
 * - **Values do not change.** Nobody changes what was passed to a store or came from it, so a store may keep the very
 *   objects and hand them out again. All of them survive `JSON.stringify`; serialised ones come back to the character.
 * - **Names** (ids, owners, contexts, agents, aliases, keys) are told apart by every character. The engine gives none with
 *   NUL or with half a character; a store that could not keep one refuses it with `INVALID_PARAMS`. Texts may hold both.
 * - **Errors** are `A2AError`s: `UNAVAILABLE` for what may pass (locked, full, cut off), with nothing stored as far as anybody
 *   can know: who writes again looks first, or has a guard that holds once.
 */
export interface Store {
  /** What it keeps is lost with the process, the keys of requests too: nobody is told that repeats are recognised. */
  readonly isVolatile?: boolean;

  /**
   * Stores a new task with its first message, or finds that this was done before. Ids are the engine's and unique among
   * all owners: one that another task has is an error.
   *
   * A store that sees at once that nothing speaks against it may say so by `accepted`, with the record that the task will
   * have: then the promise resolves with that, or rejects. Work on the task can begin meanwhile. It is called before
   * `create` returns, or not at all.
   */
  create(task: NewTask, accepted?: (record: TaskRecord) => void): Promise<Created>;

  /**
   * Changes one task, all or nothing. Writes to the same task are stored in the order of the calls, awaited or not; so are
   * those to a task that was accepted, after its creation or not at all.
   */
  append(write: TaskWrite): Promise<Appended>;

  /**
   * Ends a provisional task with a bare message: the task and all that belongs to it are gone, the message stays as the
   * outcome of its request, for repeats. Says whether the guard held.
   */
  dropForReply(taskId: string, lease: Lease, reply: Message): Promise<boolean>;

  /** The task and what is asked of it, if it is this owner's; provisional tasks included. */
  read(scope: Scope, taskId: string, parts?: ReadParts): Promise<StoredTask | undefined>;

  /** The owner's id for a task that its caller named: see `NewTask.alias`. */
  resolveAlias(scope: Scope, alias: string): Promise<string | undefined>;

  /**
   * The owner's visible tasks, the latest status first; ids decide ties, descending, by code unit. A status without a time
   * counts as of the creation of its task.
   */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage>;

  /** Public events with a number above `after`, in order, at most `limit` of them. */
  events(taskId: string, after: number, limit: number): Promise<readonly TaskEvent[]>;

  /** The private journal above a number, or all of it, in order. Empty once the task has ended. */
  journal(taskId: string, after?: number): Promise<readonly JournalRecord[]>;

  /**
   * Stores where to tell of a task, ended or not, of all that comes after. One of the same id is replaced: its successor
   * has its place and its time, and is told of what that was not told of; who had its lease has it no more. A new one that would be more than `max` is not stored, however many come at once. This and the next two give
   * `undefined` if the owner has no visible task of this id; what they change is no write to the task for watchers.
   */
  putPushConfig(
    scope: Scope,
    taskId: string,
    config: PushConfigRecord,
    max: number,
  ): Promise<PushConfigPut | undefined>;

  /** What is stored of them, in the order in which they first came. */
  pushConfigs(scope: Scope, taskId: string, query: PushConfigQuery): Promise<readonly PushConfigRecord[] | undefined>;

  /** Says whether there was one. Its dead letters go with it. */
  deletePushConfig(scope: Scope, taskId: string, id: string): Promise<boolean | undefined>;

  /**
   * Takes leases on push configurations that are due: there are events after `told`, their time has come, and no living
   * node holds them. An event makes them due in the write that stores it. Each lease raises the fencing number. The longest
   * due come first, but neither a receiver nor an owner gets more than its share.
   */
  claimPushes(request: PushClaimRequest): Promise<readonly ClaimedPush[]>;

  /** When the next push configuration of tasks of these agents will be due that nobody holds. */
  nextPush(agents: readonly string[]): Promise<number | undefined>;

  /** Notes what came of telling. Nothing is noted, and nothing returned, if the lease is another's by now. */
  notePush(report: PushReport): Promise<PushNoted | undefined>;

  /**
   * Tells of a push configuration again that was disabled or waits, from now on; one that a node holds is left alone. Says
   * whether there is one.
   */
  resumePush(name: PushConfigName): Promise<boolean>;

  /** In the order in which they were given up. */
  deadLetters(query: DeadLetterQuery): Promise<readonly DeadLetterRecord[]>;

  /** Says whether there was one. */
  dropDeadLetter(id: string): Promise<boolean>;

  /**
   * Takes leases on tasks that are due: `wakeAt` has come, and no living node holds them. Each lease raises the fencing
   * number of its task, so that the store rejects later writes of the former holder. A node sends a heartbeat before it
   * claims: the lease of a node that is not alive is free at once. The result is sorted, the longest due task first.
   *
   * The tasks of a node that has died become suspects in the first claim after that: no node holds them, they are due
   * whatever `wakeAt` says, and `suspectsOf` says what becomes of their attempts.
   *
   * If more tasks are due than the claim may give, it gives them round robin: see `ClaimRequest`. The cost of a claim must
   * not grow with the number of waiting tasks.
   */
  claim(request: ClaimRequest): Promise<readonly TaskRecord[]>;

  /** The earliest `wakeAt` of the tasks of these agents that no living node holds; with `after`, of those due later. */
  nextWake(agents: readonly string[], after?: number): Promise<number | undefined>;

  /**
   * Says that a node lives for another `ttlMs`. Leases of a node that has not said so for that long are free. A node that
   * comes back under its old name before the next claim holds its tasks again, so a process takes a new name when it starts.
   */
  heartbeat(node: string, ttlMs: number): Promise<void>;

  /**
   * For health checks: rejects if the store cannot be read, or could not take a write now. If a store does not have this, a
   * read is tried. It is asked every few seconds, so it writes nothing while all is well.
   */
  ready?(): Promise<void>;

  /**
   * What time it is by the clock that decides what is due and who lives, if that is not the clock of this process: that of
   * a database, for nodes whose clocks differ. Nodes give all times by it.
   */
  now?(): Promise<number>;

  /** Gives back all leases of a node at once, as if it had died. */
  retire(node: string): Promise<void>;

  /**
   * Removes what has outlived its time: at most `limit` tasks, and all events and keys that are due. Events stay as long as
   * their task while a push configuration is to be told of them. Returns how many tasks it removed.
   */
  prune(policy: RetentionPolicy): Promise<number>;

  /**
   * Removes at most `limit` tasks of one owner, whatever their state, with everything that belongs to them: log, history,
   * journal, push configurations, dead letters. Tasks that a living node runs stay. If it finds fewer than `limit` tasks to
   * remove, the keys of the owner's requests go too, apart from those of tasks that stay.
   */
  purge(scope: Scope, limit: number): Promise<Purged>;

  /** The owner's tasks that have not ended, provisional tasks included: at most `limit`, which is 1 or more, in any order. */
  unfinished(scope: Scope, limit: number): Promise<UnfinishedTasks>;

  /**
   * Calls `listener` after commits to a task, also by other processes where the store can tell, with the name that the
   * write was signed with, and whether it left the task to whoever runs it, now or at its time; a store that does not know
   * says nothing about that. A store that knows how far the task has come may say so, for who would otherwise ask for it. A
   * hint, nothing more: it may come late, out of order, doubled or, across processes, never, and what it throws is ignored.
   * Returns the function that ends it.
   */
  watch(listener: WatchListener): () => void;

  /**
   * Takes a token out of a bucket, if there is a whole one. Only for a store that several processes use: they share the
   * bucket, so that none gives what another has given. Without this each process counts for itself. Buckets need not
   * survive a restart, and one that is full need not be kept. Nothing about them is told to watchers.
   */
  takeTokens?(take: TokenTake): Promise<TokenTaken>;

  close(): Promise<void>;
}

/** Whose a task is: part of every row, and of every question that comes from outside. */
export interface Scope {
  readonly tenant: string;
  readonly owner: string;
}

/** The right to run a task. Whoever claims it next gets a higher number. */
export interface Lease {
  readonly node: string;
  readonly fence: number;
}

/** The small, often read part of a task. */
export interface TaskRecord extends Scope {
  readonly id: string;
  readonly contextId: string;
  /** Which agent runs it. */
  readonly agent: string;
  /** See `NewTask.fairnessKey`. */
  readonly fairnessKey?: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
  /** What runs need to know of the request that made the task. Opaque to the store. */
  readonly origin: JsonObject;
  /** A provisional task is unknown to its caller until the first thing it does. */
  readonly visible: boolean;
  /** It has push configurations. */
  readonly pushed?: true;
  /** The number of the last public event; 0 while there is none. */
  readonly lastEvent: number;
  readonly lastJournal: number;
  /**
   * About how many bytes the history has as JSON: the sum of what each write counted for. Absent if it was not counted, as for
   * tasks that ended before there was a count.
   */
  readonly historyBytes?: number;
  /** The last fencing number given out; 0 while nobody has run the task. */
  readonly fence: number;
  /** Who runs it now, or was running it when its node died. */
  readonly node?: string;
  /** Runs in a row that began, did not end by themselves, and wrote nothing to the journal. */
  readonly attempts: number;
  /** The number of the last journal entry when the task was claimed; absent if there was none. */
  readonly claimedJournal?: number;
  /** How often a node died while it ran the task, after the run had written to the journal; absent if never. */
  readonly crashes?: number;
  /**
   * Present for a suspect: a task that a node was running when it died. It says for how many milliseconds it is to be
   * observed in its next run. It is a suspect until that run writes to the journal, ends or pauses, or until a write has
   * `cleared`.
   */
  readonly suspectMs?: number;
  /** From when on somebody should run it. Absent while it waits for its caller, and after its end. */
  readonly wakeAt?: number;
  /** The question that waits for an answer. */
  readonly question?: string;
  /** From now on the task can only end as canceled. */
  readonly canceling: boolean;
  readonly createdAt: number;
  /** When it reached a terminal state. */
  readonly endedAt?: number;
}

/** A task with its bulky parts, as far as they were asked for. */
export interface StoredTask {
  readonly record: TaskRecord;
  /** The last messages, oldest first. */
  readonly history: readonly Message[];
  /** How many messages before these were asked for, and left out for the sake of `historyBytes`; absent if none were. */
  readonly omitted?: number;
  /** The last snapshot, serialised, and the artifact events after it: the current artifacts are a fold of both. */
  readonly artifacts?: { readonly snapshot?: string; readonly tail: readonly TaskEvent[] };
}

export interface ReadParts {
  /** How many of the last messages; all if not set. */
  readonly history?: number;
  /** Of these the last that have about so many bytes together; a store need not load the others. */
  readonly historyBytes?: number;
  readonly artifacts?: boolean;
}

/** Something a run has to remember: a step's result, a question, an answer, a message read. Opaque to the store. */
export interface JournalEntry {
  readonly kind: string;
  readonly key: string;
  readonly body: JsonValue;
}

export interface JournalRecord extends JournalEntry {
  readonly number: number;
}

/**
 * A request that may come twice. `digest` tells the same content from another one. Keys belong to the scope of the task,
 * whether it was created or written to. A repeat is found before anything else is looked at, guard and alias included; a
 * request that changed nothing has not used its key.
 */
export interface Idempotency {
  readonly key: string;
  readonly digest: string;
  /** How long the key is kept at least; it is kept as long as its task in any case. */
  readonly keepUntil: number;
}

export interface NewTask extends Scope {
  readonly id: string;
  readonly contextId: string;
  readonly agent: string;
  /**
   * Tasks with the same key share the slots and the queue that one caller may have. If it is not set, the owner is the key.
   * The key never decides who may see a task.
   */
  readonly fairnessKey?: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
  readonly origin: JsonObject;
  readonly message: Message;
  /** What the message counts for in `historyBytes` of the record; its size as JSON if not set. */
  readonly historyBytes?: number;
  /** Makes the task visible, as event 1. Without it the task is provisional. */
  readonly event?: NewEvent;
  readonly createdAt: number;
  readonly wakeAt: number;
  /** The node that runs it at once; its fencing number is 1. */
  readonly node?: string;
  /** What the caller calls it. Unique within the scope; taken means that nothing is created. */
  readonly alias?: string;
  readonly idempotency?: Idempotency;
  /** Stored with the task, provisional or not, so that nothing it does goes untold. */
  readonly pushConfig?: PushConfigRecord;
}

export type Created =
  | { readonly kind: 'created'; readonly record: TaskRecord }
  /** The same request came before: the task it made, or the message that was its answer. */
  | { readonly kind: 'repeated'; readonly taskId: string; readonly reply?: Message }
  /** The key was used before for something else. */
  | { readonly kind: 'key-reused' }
  | { readonly kind: 'alias-taken'; readonly taskId: string };

/** What must hold for a write; all that is given. No guard ever lets a terminal task change. */
export interface Guard {
  /** The writer runs the task: it has this lease, and nobody has had a later one. */
  readonly lease?: Lease;
  readonly states?: readonly TaskState[];
  /** No living node runs it. */
  readonly idle?: true;
  /** This question waits for an answer. */
  readonly question?: string;
  readonly canceling?: boolean;
  /** No event has come since the one with this number. */
  readonly lastEvent?: number;
  /** The history has at most so many bytes, by `historyBytes` of the record. */
  readonly maxHistoryBytes?: number;
}

/** One change of one task. What is not mentioned stays as it is; `null` takes it away. */
export interface TaskWrite {
  readonly taskId: string;
  readonly guard: Guard;
  /** The node that writes, for watchers that know their own writes already. */
  readonly by?: string;
  readonly events?: readonly NewEvent[];
  readonly journal?: readonly JournalEntry[];
  /** Messages that enter the history. */
  readonly history?: readonly Message[];
  /** What they count for in `historyBytes` of the record; their size as JSON if not set. */
  readonly historyBytes?: number;
  /** The new status. Its timestamp is the time by which tasks are listed. */
  readonly status?: TaskStatus;
  readonly metadata?: JsonObject;
  readonly visible?: true;
  readonly wakeAt?: number | null;
  readonly question?: string | null;
  readonly canceling?: true;
  /** Gives the lease back: the run ended by itself, and attempts count from 0 again. */
  readonly release?: true;
  /** Takes the lease from whoever has it: raises the fencing number. The attempt still counts. */
  readonly revoke?: true;
  /** The attempt that this write ends does not count: something else than the run was at fault. */
  readonly uncounted?: true;
  /** The task is no suspect any more. */
  readonly cleared?: true;
  /** All artifacts with the events of this write folded in, serialised. Replaces the earlier snapshot. */
  readonly artifacts?: string;
  /**
   * The task has ended: the journal is dropped, its lease, its wake-up and its question too. Comes with a terminal
   * status, and with `artifacts` if there are any, because the events may go before the task.
   */
  readonly endedAt?: number;
  readonly idempotency?: Idempotency;
  /** Put as if just before, so that nothing of this write goes untold. Without room for it nothing is written. */
  readonly pushConfig?: PushConfigToPut;
}

export type Appended =
  | {
      readonly kind: 'appended';
      readonly record: TaskRecord;
      /** The number of the first event of this write, or that of the next one if it has none. */
      readonly firstEvent: number;
    }
  /** The guard did not hold: the task as it is, if there is one. */
  | { readonly kind: 'refused'; readonly record?: TaskRecord }
  | { readonly kind: 'repeated'; readonly taskId: string }
  | { readonly kind: 'key-reused' }
  /** There is no room for its push configuration. */
  | { readonly kind: 'full' };

export interface TaskQuery extends ReadParts {
  /** Only tasks of these agents; of all if not set. */
  readonly agents?: readonly string[];
  readonly contextId?: string;
  readonly states?: readonly TaskState[];
  /** Only tasks whose status is of this time or later. */
  readonly statusSince?: number;
  readonly limit: number;
  /**
   * The page ends before the task with which statuses, history and artifacts would have more than about so many bytes, but has
   * one task at least. Little beyond that is loaded.
   */
  readonly pageBytes?: number;
  /** Where the page before this one ended. */
  readonly after?: PagePosition;
}

export interface PagePosition {
  readonly statusTime: number;
  readonly id: string;
}

export interface TaskPage {
  readonly tasks: readonly StoredTask[];
  /** All tasks that match, on whatever page. */
  readonly total: number;
  /** The page ended for the sake of `pageBytes`, and more tasks follow. */
  readonly isCut?: true;
}

export interface Purged {
  /** How many tasks it found that no living node runs, at most the limit. */
  readonly found: number;
  /** How many of them it removed. The others were removed or claimed by another call in the meantime. */
  readonly removed: number;
}

export interface UnfinishedTasks {
  readonly taskIds: readonly string[];
  /** The number of all unfinished tasks of the owner. */
  readonly total: number;
}

export interface RetentionPolicy {
  /** Tasks that ended before this time go. */
  readonly endedBefore: number;
  /** Of the ended tasks of all owners this many stay, the latest. */
  readonly keepEnded: number;
  /** Events of tasks that ended before this time go; the tasks themselves stay. */
  readonly eventsEndedBefore: number;
  /** Of the dead letters of all owners this many stay, the latest; all if not set. */
  readonly keepDeadLetters?: number;
  readonly limit: number;
}
