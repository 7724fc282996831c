import type { Message } from '../model/message.ts';
import type { KeptJournal } from '../store/store.ts';
import { count, defaultsOf, duration, type OptionTable, word } from '../support/options.ts';
import type { Caller, Handler } from './handler.ts';

/** An agent as the engine sees it. */
export interface Runnable {
  /** Identifies the agent in the store. After a restart, tasks find their handler by it. */
  readonly id: string;
  /** The handler of the agent. */
  readonly run: Handler;
  /** The limits of its runs. */
  readonly limits: RunLimits;
  /**
   * Checks a message, and the skill that it names, before anything is stored.
   *
   * @throws A2AError that the caller gets.
   */
  admit?(message: Message, acceptedOutputModes: readonly string[], skillId?: string): void;
  /**
   * Returns whether the agent declares this output media type. Other types are delivered too, with a warning in the log.
   */
  declaresOutput?(mediaType: string): boolean;
  /** The access rules; every caller may use the agent if not set. */
  readonly access?: RunnableAccess;
}

/** The access rules of an agent. */
export interface RunnableAccess {
  /**
   * Checks a message that names a skill, or none, before anything is stored.
   *
   * @throws A2AError that the caller gets.
   */
  admit(caller: Caller, tenant: string, skillId: string | undefined): void;
  /**
   * Checks a skill that a handler has chosen.
   *
   * @throws A2AError that ends its task.
   */
  require(caller: Caller, tenant: string, skillId: string): void;
}

/** The limits of the runs of one agent. */
export interface RunLimits {
  /**
   * The maximum working time of a run between two pauses, in milliseconds; 5 minutes by default. Then the task fails. Time
   * during which the process is stopped does not count.
   */
  readonly timeoutMs: number;
  /**
   * The maximum number of concurrent runs on one node; 100 by default. A tenth of them, at least one, is reserved for
   * callers without a running task.
   */
  readonly concurrency: number;
  /** The maximum number of concurrent runs of one caller on one node; limited only by `concurrency` if not set. */
  readonly runsPerCaller?: number;
  /**
   * The maximum number of tasks that wait for a slot; 1,000 by default. The server rejects more with `UNAVAILABLE`. While
   * other callers wait, one caller may use four fifths of the queue.
   */
  readonly queue: number;
  /** How long a new task may wait for a slot, in milliseconds; then it fails without having run. Unlimited if not set. */
  readonly maxQueuedMs?: number;
  /** How long a canceled handler may clean up, in milliseconds; 2,000 by default. */
  readonly cancelGraceMs: number;
  /** How many consecutive runs may end by a crash of the process without a new journal entry; 5 by default. */
  readonly maxAttempts: number;
  /** How many crashes of the process a task may survive in total, each after a new journal entry; 20 by default. */
  readonly maxCrashes: number;
  /** Whether an interrupted handler runs again (`resume`, the default) or its task fails (`fail`). */
  readonly recovery: 'resume' | 'fail';
  /**
   * The treatment of a task whose journal no longer matches the code of its handler. `continue` (the default): the run continues,
   * with a warning in the log. `hold`: nothing new is done. The task waits and is tried again every minute, until the code
   * matches or `handler.release()` lets it continue.
   */
  readonly onMismatch: 'continue' | 'hold';
  /**
   * The part of the journal of an ended task that is kept as long as the task. `outline` (the default): kinds, keys, times and outcomes of
   * its entries, without values. `whole`: the values too. `none`: nothing. Answers to sensitive questions are removed in any case.
   */
  readonly keepJournal: 'none' | KeptJournal;
  /** How long a question stays open unless it specifies `timeoutMs`, in milliseconds; 7 days by default. */
  readonly questionTtlMs: number;
  /**
   * How a message is handled that does not fit the open question. `reject` (the default): the server rejects it.
   * `cancel-question`: the question is canceled and the handler finds the message in its inbox.
   */
  readonly onUnfitAnswer: 'reject' | 'cancel-question';
  /** The maximum number of tasks of one caller that wait for an answer; 1,000 by default. */
  readonly maxPausedPerCaller: number;
  /** How long a blocking send waits before it returns the unfinished task, in milliseconds; 5 minutes by default. */
  readonly maxWaitMs: number;
  /** The maximum size of one output or step result, in bytes of JSON; 8 MiB by default. */
  readonly maxOutputBytes: number;
  /** The maximum size of all outputs of a task, in bytes of JSON; 64 MiB by default. */
  readonly maxTaskBytes: number;
  /** Whether a task continues or is canceled when its sender disconnects; `continue` by default. */
  readonly onDisconnect: 'continue' | 'cancel';
}

const MINUTE = 60_000;
const MEBIBYTE = 2 ** 20;

/** The options that limit runs. */
export const RUN_LIMITS = {
  timeoutMs: duration({ byDefault: 5 * MINUTE }),
  concurrency: count({ byDefault: 100 }),
  runsPerCaller: count(),
  queue: count({ least: 0, byDefault: 1000 }),
  maxQueuedMs: duration(),
  cancelGraceMs: duration({ least: 0, byDefault: 2000 }),
  maxAttempts: count({ byDefault: 5 }),
  maxCrashes: count({ byDefault: 20 }),
  recovery: word('resume', 'fail'),
  onMismatch: word('continue', 'hold'),
  keepJournal: word('outline', 'whole', 'none'),
  questionTtlMs: duration({ byDefault: 7 * 24 * 60 * MINUTE }),
  onUnfitAnswer: word('reject', 'cancel-question'),
  maxPausedPerCaller: count({ least: 0, byDefault: 1000 }),
  maxWaitMs: duration({ least: 0, byDefault: 5 * MINUTE }),
  maxOutputBytes: count({ byDefault: 8 * MEBIBYTE }),
  maxTaskBytes: count({ byDefault: 64 * MEBIBYTE }),
  onDisconnect: word('continue', 'cancel'),
} as const satisfies OptionTable<RunLimits>;

/** The limits of an agent that does not set its own. */
export const DEFAULT_LIMITS: RunLimits = defaultsOf(RUN_LIMITS);

/** The member of a write that ends a task which keeps a part of its journal. The agent is unknown on a node that does not run it, such as a tool. */
export function journalToKeep(agent: Runnable | undefined): { readonly keepJournal?: KeptJournal } {
  const { keepJournal } = agent?.limits ?? DEFAULT_LIMITS;
  return keepJournal === 'none' ? {} : { keepJournal };
}

/**
 * Indexes agents by id.
 *
 * @throws TypeError if two agents have the same id.
 */
export function byId(agents: readonly Runnable[]): ReadonlyMap<string, Runnable> {
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  const twice = agents.find((agent) => known.get(agent.id) !== agent);
  if (twice !== undefined) throw new TypeError(`Two agents have the id ${twice.id}. Give each agent its own id.`);
  return known;
}
