import type { Message } from '../model/message.ts';
import type { CallClaimRequest, CallQuery, CallRecord, CallReport, ClaimedCall } from './call.ts';
import type { ClaimRequest } from './claims.ts';
import type { TaskEvent, WatchListener } from './event.ts';
import type {
  ClaimedPush,
  DeadLetterQuery,
  DeadLetterRecord,
  PushClaimRequest,
  PushConfigName,
  PushConfigPut,
  PushConfigQuery,
  PushConfigRecord,
  PushNoted,
  PushReport,
} from './push.ts';
import type {
  AllTasksQuery,
  Appended,
  Created,
  JournalRecord,
  Lease,
  NewTask,
  Purged,
  ReadParts,
  RetentionPolicy,
  Scope,
  StoredTask,
  TaskPage,
  TaskQuery,
  TaskRecord,
  TaskTexts,
  TaskWrite,
  UnfinishedTasks,
} from './task.ts';
import type { TokenTake, TokenTaken } from './tokens.ts';

export type * from './call.ts';
export type * from './claims.ts';
export { fairnessKeyOf } from './claims.ts';
export type * from './event.ts';
export type * from './push.ts';
export type * from './task.ts';
export type * from './tokens.ts';

/**
 * The port between the engine and a store. `storeContract()` in `tandem-a2a/testing` checks an implementation. The memory
 * store is the best one to read first.
 *
 * - **A promise that resolves means stored**: durable by the standards of the store, visible to every later call. A call that
 *   fails stores nothing, never a part. A store may combine concurrent writes in one transaction.
 * - **The store assigns numbers.** Events and journal entries of a task are numbered 1, 2, 3 … without gaps, in the order of the
 *   commits. A store assigns a number at the commit, never from memory.
 * - **Writes are guarded.** A write whose guard does not hold changes nothing and returns `rejected`. That is not an error.
 * - **Values are immutable.** Neither side changes a value after passing it, so a store may keep the objects and return them
 *   again. All values survive `JSON.stringify`. Serialized values are returned unchanged, character by character.
 * - **Names** (ids, owners, contexts, agents, aliases, keys) are compared exactly. The engine never passes a name with NUL or an
 *   unpaired surrogate. A store that cannot keep a name rejects it with `INVALID_PARAMS`. Texts may contain both.
 * - **Errors** are `A2AError`s. A temporary problem (locked, full, disconnected) is `UNAVAILABLE`, and nothing was stored as far
 *   as the store can know. Before a retry, the writer reads the task again or uses a guard that holds only once.
 */
export interface Store {
  /** All data, including the keys of requests, is lost with the process. The agent card then does not promise idempotency. */
  readonly isVolatile?: boolean;

  /**
   * Stores a new task with its first message, or finds that the same request did so before. The engine chooses unique ids: an id
   * that another task already has is an error.
   *
   * A store that knows at once that the task is new may call `accepted` with the future record. Then the promise either resolves
   * with that record or rejects, and work on the task can begin meanwhile. The store calls it before `create` returns, or never.
   */
  create(task: NewTask, accepted?: (record: TaskRecord) => void): Promise<Created>;

  /**
   * Changes one task atomically. Writes to the same task are stored in the order of the calls, awaited or not. Writes to an
   * accepted task are stored after its creation, or not at all.
   */
  append(write: TaskWrite): Promise<Appended>;

  /**
   * Ends a provisional task with a message instead of a task: removes the task and all its data, and keeps the message as the
   * outcome of its request, for repeats. Returns whether the guard held.
   */
  dropForReply(taskId: string, lease: Lease, reply: Message): Promise<boolean>;

  /** Reads a task with the requested parts if it belongs to this owner, including provisional tasks. */
  read(scope: Scope, taskId: string, parts?: ReadParts): Promise<StoredTask | undefined>;

  /**
   * Reads a task like `read`, but returns texts if the store has all requested parts as texts: nothing has to be omitted because of
   * `historyBytes`, and no artifact event is later than the snapshot. For stores that keep JSON as text. Without it, the engine
   * calls `read` and serialises the task again.
   */
  readTexts?(scope: Scope, taskId: string, parts?: ReadParts): Promise<TaskTexts | StoredTask | undefined>;

  /** Returns the id of the task to which the caller gave this alias; see `NewTask.alias`. */
  resolveAlias(scope: Scope, alias: string): Promise<string | undefined>;

  /**
   * Lists the visible tasks of an owner, the latest status first. Ids break ties, in descending order of their code units. A status
   * without a timestamp has the creation time of its task.
   */
  list(scope: Scope, query: TaskQuery): Promise<TaskPage>;

  /**
   * Lists tasks like `list`, each as texts where `readTexts` returns texts. `pageBytes` applies to what it returns. A store has both
   * methods, or neither.
   */
  listTexts?(scope: Scope, query: TaskQuery): Promise<TaskPage<TaskTexts | StoredTask>>;

  /** Returns at most `limit` public events with numbers above `after`, in order. */
  events(taskId: string, after: number, limit: number): Promise<readonly TaskEvent[]>;

  /**
   * Returns the journal entries with numbers above `after`, or all of them, in order. Once the task has ended, those that its last
   * write kept; see `TaskWrite.keepJournal`.
   */
  journal(taskId: string, after?: number): Promise<readonly JournalRecord[]>;

  /**
   * Adds a push config to a task, ended or not, for all later events. A push config with the same id is replaced: the new one keeps
   * its position and its time, starts with the first undelivered event of the old one, and the old lease is revoked. A new push
   * config beyond `max` is not stored, even under concurrent calls. This and the next two methods return `undefined` if the owner
   * has no visible task with this id. Their changes are not reported to watchers.
   */
  putPushConfig(
    scope: Scope,
    taskId: string,
    config: PushConfigRecord,
    max: number,
  ): Promise<PushConfigPut | undefined>;

  /** Lists the push configs of a task, in the order in which they were first added. */
  pushConfigs(scope: Scope, taskId: string, query: PushConfigQuery): Promise<readonly PushConfigRecord[] | undefined>;

  /** Deletes a push config and its dead letters. Returns whether it existed. */
  deletePushConfig(scope: Scope, taskId: string, id: string): Promise<boolean | undefined>;

  /**
   * Leases push configs that are due: there are events after `told`, `dueAt` has come, and no living node holds them. The write
   * that stores an event makes them due. Each lease raises the fencing number. The longest due come first, but no receiver and no
   * owner gets more than its share.
   */
  claimPushes(request: PushClaimRequest): Promise<readonly ClaimedPush[]>;

  /** When the next push config of tasks of these agents is due that no living node holds. */
  nextPush(agents: readonly string[]): Promise<number | undefined>;

  /** Stores the progress of a delivery. If another node has the lease, stores nothing and returns `undefined`. */
  notePush(report: PushReport): Promise<PushNoted | undefined>;

  /**
   * Resumes the delivery of a push config that is disabled or waits for a retry, starting now. A push config that a node holds is
   * not changed. Returns whether it exists.
   */
  resumePush(name: PushConfigName): Promise<boolean>;

  /** Lists dead letters, the oldest first. */
  deadLetters(query: DeadLetterQuery): Promise<readonly DeadLetterRecord[]>;

  /** Deletes a dead letter. Returns whether it existed. */
  dropDeadLetter(id: string): Promise<boolean>;

  /**
   * Leases calls that are due: `dueAt` has come, or the node that held them has died, and no living node holds them. Each lease
   * raises the fencing number and removes `dueAt`, so that whatever makes the call due meanwhile can be noticed. The longest due come
   * first, but no owner gets more than its share.
   */
  claimCalls(request: CallClaimRequest): Promise<readonly ClaimedCall[]>;

  /** When the next call of tasks of these agents is due that no living node holds. */
  nextCall(agents: readonly string[]): Promise<number | undefined>;

  /**
   * Stores what a node reports about a call that it holds. Returns the call after the report. Stores nothing and returns `undefined`
   * if the call no longer exists, or another node has the lease.
   */
  noteCall(report: CallReport): Promise<CallRecord | undefined>;

  /** Lists calls, in the order of the code units of their ids. */
  listCalls(query: CallQuery): Promise<readonly CallRecord[]>;

  /** Returns the number of open calls of all tasks of an owner. */
  countCalls(scope: Scope): Promise<number>;

  /**
   * Leases tasks that are due: `wakeAt` has come, and no living node holds them. Each lease raises the fencing number of its task,
   * so that the store rejects later writes of the former holder. A node sends a heartbeat before it claims: the lease of a node
   * that is not alive is free at once. The result is sorted, the longest due task first.
   *
   * The tasks of a dead node become suspects in the first claim after its death: no node holds them, they are due regardless of
   * `wakeAt`, and `suspectsOf` defines how their attempts count.
   *
   * If more tasks are due than the claim may return, it returns them round robin; see `ClaimRequest`. The cost of a claim must not
   * grow with the number of waiting tasks.
   */
  claim(request: ClaimRequest): Promise<readonly TaskRecord[]>;

  /** The earliest `wakeAt` of the tasks of these agents that no living node holds. With `after`, only of tasks due later. */
  nextWake(agents: readonly string[], after?: number): Promise<number | undefined>;

  /**
   * Marks a node as alive for another `ttlMs`. Without a heartbeat for that long, its leases are free. A node that returns under
   * its old name before the next claim holds its tasks again, so a process chooses a new name when it starts.
   */
  heartbeat(node: string, ttlMs: number): Promise<void>;

  /**
   * Checks the health of the store: rejects if it cannot be read or could not accept a write now. It is called every few seconds,
   * so it must write nothing while the store is healthy. If a store does not implement it, the engine tries a read.
   */
  ready?(): Promise<void>;

  /**
   * Returns the time of the clock that decides which tasks are due and which nodes are alive, if it is not the clock of this
   * process: that of a database, because the clocks of nodes differ. Nodes use it for all times that they pass.
   */
  now?(): Promise<number>;

  /** Releases all leases of a node at once, as if it had died. */
  retire(node: string): Promise<void>;

  /**
   * Removes expired data: at most `limit` tasks, and all expired events and keys. Events with pending deliveries are kept as long
   * as their task. Returns the number of removed tasks.
   */
  prune(policy: RetentionPolicy): Promise<number>;

  /**
   * Removes at most `limit` tasks of one owner, in any state, with all their data: events, history, journal, push configs and dead
   * letters. Tasks that a living node runs stay. If it finds fewer than `limit` tasks to remove, it also removes the keys of the
   * requests of the owner, except those of tasks that stay.
   */
  purge(scope: Scope, limit: number): Promise<Purged>;

  /** Returns at most `limit` unfinished tasks of an owner, including provisional tasks, in any order. `limit` is at least 1. */
  unfinished(scope: Scope, limit: number): Promise<UnfinishedTasks>;

  /**
   * Returns tasks of all owners, including provisional tasks, in the order of the code units of their ids. For tools of operators.
   * It may scan the whole table.
   */
  allTasks?(query: AllTasksQuery): Promise<readonly TaskRecord[]>;

  /**
   * Calls `listener` after commits to a task, including those of other processes if the store can detect them. See `WatchListener`
   * for its arguments. A call is only a hint: it may be late, out of order, repeated or, across processes, missing. Errors of the
   * listener are ignored. Returns the function that removes it.
   */
  watch(listener: WatchListener): () => void;

  /**
   * Takes a token from a bucket if it contains a whole one. Only for stores that several processes share, so that they share the
   * buckets. Without it each process counts on its own. Buckets need not survive a restart, and a full bucket need not be kept.
   * Watchers are not notified.
   */
  takeTokens?(take: TokenTake): Promise<TokenTaken>;

  /** Waits for pending writes and releases all resources. The store must not be used afterwards. */
  close(): Promise<void>;
}
