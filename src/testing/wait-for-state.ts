import type { StateWord } from '../client/state-word.ts';
import { isTerminal, TASK_STATES, type TaskState } from '../model/state.ts';
import { type Clock, systemClock } from '../support/time/clock.ts';

/** A state of a task: `TASK_STATE_INPUT_REQUIRED` or, shorter, `input-required`. */
export type StateName = TaskState | Exclude<StateWord, 'unspecified'>;

/** A task as `get()` returns it, or an object with a `task`. */
export type TaskLike =
  | {
      /** The status of the task. */
      readonly status: {
        /** The state of the task. */
        readonly state: string;
      };
    }
  | {
      /** The task. */
      readonly task?: unknown;
    };

/** An object that returns one task, such as `client.task(id)`. */
export interface TaskView<T extends TaskLike> {
  /** Returns the task as it is now. */
  get(): Promise<T>;
}

/** An object that returns tasks by id, such as a client. */
export interface TasksView<T extends TaskLike> {
  /** Returns a task as it is now. */
  get(taskId: string): Promise<T>;
}

/** Options of `waitForState()`. */
export interface WaitOptions {
  /** The time limit in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
  /** Aborts the wait with the reason of the signal. */
  readonly signal?: AbortSignal;
  /** The clock for the pauses between polls and for the limit. Default: the system clock. */
  readonly clock?: Clock;
}

const TIMEOUT_MS = 5000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until a task is in a state, or in one of several, and returns the task. It polls every 2 to 50 ms, so it can miss a state
 * that lasts shorter than that.
 *
 * @example
 * await waitForState(client.task(id), 'completed');
 * await waitForState(client, id, ['input-required', 'failed'], { timeoutMs: 1000 });
 *
 * @throws Error after `timeoutMs`, or at once if the task has ended in another state; TypeError for an unknown state.
 */
export function waitForState<T extends TaskLike>(
  task: TaskView<T>,
  state: StateName | readonly StateName[],
  options?: WaitOptions,
): Promise<T>;
export function waitForState<T extends TaskLike>(
  tasks: TasksView<T>,
  taskId: string,
  state: StateName | readonly StateName[],
  options?: WaitOptions,
): Promise<T>;
export function waitForState<T extends TaskLike>(
  subject: {
    /** Returns the task as it is now. */
    get(taskId?: string): Promise<T>;
  },
  ...given: readonly unknown[]
): Promise<T> {
  const [taskId, state, options] = isStates(given[1]) ? given : [undefined, ...given];
  const poll = (): Promise<T> => subject.get(...(taskId === undefined ? [] : [taskId as string]));
  return watch(poll, state as StateName | readonly StateName[], options as WaitOptions | undefined);
}

function isStates(given: unknown): boolean {
  return typeof given === 'string' || Array.isArray(given);
}

async function watch<T extends TaskLike>(
  poll: () => Promise<T>,
  wanted: StateName | readonly StateName[],
  { timeoutMs = TIMEOUT_MS, signal, clock = systemClock }: WaitOptions = {},
): Promise<T> {
  const states = (typeof wanted === 'string' ? [wanted] : wanted).map(toState);
  const giveUpAt = clock.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    const task = await poll();
    const state = toState(stateOf(task));
    if (states.includes(state)) return task;
    const names = states.map(shortName).join(' or ');
    if (isTerminal(state)) throw new Error(`Expected the task to become ${names}, but it ended as ${shortName(state)}`);
    if (clock.now() >= giveUpAt) {
      throw new Error(`Expected the task to become ${names} within ${timeoutMs} ms, but it is ${shortName(state)}`);
    }
    await pause(clock, Math.min(clock.now() + pauseMs, giveUpAt), signal);
  }
}

function stateOf(result: TaskLike): string {
  const task = 'status' in result ? result : result.task;
  const state = (task as { readonly status?: { readonly state?: unknown } } | undefined)?.status?.state;
  if (typeof state !== 'string') throw new TypeError('Expected get() to return a task or an object with a task');
  return state;
}

/** @throws TypeError for an unknown state. */
function toState(name: string): TaskState {
  const long = name.startsWith('TASK_STATE_') ? name : `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
  const state = TASK_STATES.find((each) => each === long);
  if (state === undefined) {
    const known = TASK_STATES.filter((each) => each !== 'TASK_STATE_UNSPECIFIED')
      .map(shortName)
      .join(', ');
    throw new TypeError(`Expected a task state (${known}), got ${JSON.stringify(name)}`);
  }
  return state;
}

function shortName(state: TaskState): string {
  return state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');
}

function pause(clock: Clock, until: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancelTimer();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancelTimer = clock.callAt(until, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
