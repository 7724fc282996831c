import type { Message } from '../model/message.ts';
import type { Caller, Handler } from './handler.ts';

/** What the engine knows of an agent. */
export interface Runnable {
  /** Names the agent in the store: tasks find their handler by it after a restart. */
  readonly id: string;
  readonly run: Handler;
  readonly limits: RunLimits;
  /** Checks a message, and the skill that it names, before anything is stored. @throws A2AError that the caller gets. */
  admit?(message: Message, acceptedOutputModes: readonly string[], skillId?: string): void;
  /** Whether the agent declares that it outputs this media type. Other types are delivered too, with a warning in the log. */
  declaresOutput?(mediaType: string): boolean;
  /** Who may use it; everybody may if not set. */
  readonly access?: RunnableAccess;
}

/** Says what a caller may ask of an agent. */
export interface RunnableAccess {
  /** Looks at a message that names a skill, or none, before anything is stored. @throws A2AError that the caller gets. */
  admit(caller: Caller, tenant: string, skillId: string | undefined): void;
  /** Looks at a skill that a handler has chosen. @throws A2AError that ends its task. */
  require(caller: Caller, tenant: string, skillId: string): void;
}

export interface RunLimits {
  /** Working time of a run without a pause; then the task fails. */
  readonly timeoutMs: number;
  /** Runs at the same time on one node. A caller with a running task leaves a tenth of them, at least one, to others. */
  readonly concurrency: number;
  /** Runs of one caller at the same time on one node; as many as `concurrency` lets one caller have if not set. */
  readonly runsPerCaller?: number;
  /** Tasks that wait for a slot; above it the server rejects new ones with `UNAVAILABLE`. One caller may fill four fifths. */
  readonly queue: number;
  /** How long a new task may wait for a slot; then it fails without having run. There is no limit if not set. */
  readonly maxQueuedMs?: number;
  /** How long a canceled handler may still work. */
  readonly cancelGraceMs: number;
  /** Runs in a row that a crash of the process may end, without a journal entry in between. */
  readonly maxAttempts: number;
  /** Crashes of the process in the life of a task, each after a new journal entry. */
  readonly maxCrashes: number;
  /** `fail`: a handler that was interrupted is never run again. */
  readonly recovery: 'resume' | 'fail';
  /** How long a question stays open unless it says otherwise. */
  readonly questionTtlMs: number;
  /**
   * What becomes of a message that does not answer the open question. `reject`: the server rejects it. `cancel-question`: the
   * question is canceled and the handler finds the message in its inbox.
   */
  readonly onUnfitAnswer: 'reject' | 'cancel-question';
  /** Tasks of one caller that may wait for an answer at the same time. */
  readonly maxPausedPerCaller: number;
  /** The longest that a blocking send waits before it answers with the task as it is. */
  readonly maxWaitMs: number;
  /** One output or step result, serialised. */
  readonly maxOutputBytes: number;
  /** All outputs of a task together, serialised. */
  readonly maxTaskBytes: number;
  /** What becomes of a task whose sender goes away. */
  readonly onDisconnect: 'continue' | 'cancel';
}

const MINUTE = 60_000;
const MEBIBYTE = 2 ** 20;

export const DEFAULT_LIMITS: RunLimits = Object.freeze({
  timeoutMs: 5 * MINUTE,
  concurrency: 100,
  queue: 1000,
  cancelGraceMs: 2000,
  maxAttempts: 5,
  maxCrashes: 20,
  recovery: 'resume',
  questionTtlMs: 7 * 24 * 60 * MINUTE,
  onUnfitAnswer: 'reject',
  maxPausedPerCaller: 1000,
  maxWaitMs: 5 * MINUTE,
  maxOutputBytes: 8 * MEBIBYTE,
  maxTaskBytes: 64 * MEBIBYTE,
  onDisconnect: 'continue',
});

/** @throws TypeError if two have the same id. */
export function byId(agents: readonly Runnable[]): ReadonlyMap<string, Runnable> {
  const known = new Map(agents.map((agent) => [agent.id, agent]));
  const twice = agents.find((agent) => known.get(agent.id) !== agent);
  if (twice !== undefined) throw new TypeError(`Two agents have the id ${twice.id}: give one of them another`);
  return known;
}
