import type { StateWord } from '../client/state-word.ts';
import { isTerminal, TASK_STATES, type TaskState } from '../model/state.ts';
import { type Clock, systemClock } from '../support/clock.ts';

/** A state in the words of the protocol, or in those that people use: `completed`, `input-required`. */
export type StateName = TaskState | Exclude<StateWord, 'unspecified'>;

/** A task as `get` gives it, or something that has it as its `task`. */
export type Looked = { readonly status: { readonly state: string } } | { readonly task?: unknown };

/** Something that knows one task, such as `client.task(id)`. */
export interface TaskView<T extends Looked> {
  get(): Promise<T>;
}

/** Something that knows tasks by their ids, such as a client. */
export interface TasksView<T extends Looked> {
  get(taskId: string): Promise<T>;
}

export interface WaitOptions {
  /** How long to wait at most, 5 s if not set. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Where the time between two looks comes from. */
  readonly clock?: Clock;
}

const TIMEOUT_MS = 5000;
const FIRST_PAUSE_MS = 2;
const LONGEST_PAUSE_MS = 50;

/**
 * Waits until a task is in a state, or in one of several, and gives the task as it is then. It looks again and again, so
 * a state that passes quickly can be missed. Fails at once when the task is over in another state.
 *
 * @example
 * await waitForState(client.task(id), 'completed');
 * await waitForState(client, id, ['input-required', 'failed'], { timeoutMs: 1000 });
 */
export function waitForState<T extends Looked>(
  task: TaskView<T>,
  state: StateName | readonly StateName[],
  options?: WaitOptions,
): Promise<T>;
export function waitForState<T extends Looked>(
  tasks: TasksView<T>,
  taskId: string,
  state: StateName | readonly StateName[],
  options?: WaitOptions,
): Promise<T>;
export function waitForState<T extends Looked>(
  subject: { get(taskId?: string): Promise<T> },
  ...given: readonly unknown[]
): Promise<T> {
  const [taskId, state, options] = isStates(given[1]) ? given : [undefined, ...given];
  const look = (): Promise<T> => subject.get(...(taskId === undefined ? [] : [taskId as string]));
  return watch(look, state as StateName | readonly StateName[], options as WaitOptions | undefined);
}

function isStates(given: unknown): boolean {
  return typeof given === 'string' || Array.isArray(given);
}

async function watch<T extends Looked>(
  look: () => Promise<T>,
  wanted: StateName | readonly StateName[],
  { timeoutMs = TIMEOUT_MS, signal, clock = systemClock }: WaitOptions = {},
): Promise<T> {
  const states = (typeof wanted === 'string' ? [wanted] : wanted).map(toState);
  const giveUpAt = clock.now() + timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    signal?.throwIfAborted();
    const task = await look();
    const state = toState(stateOf(task));
    if (states.includes(state)) return task;
    const names = states.map(shortName).join(' or ');
    if (isTerminal(state)) throw new Error(`The task is ${shortName(state)} and will never be ${names}`);
    if (clock.now() >= giveUpAt) {
      throw new Error(`The task is ${shortName(state)} after ${timeoutMs} ms, and not ${names}`);
    }
    await pause(clock, Math.min(clock.now() + pauseMs, giveUpAt), signal);
  }
}

function stateOf(looked: Looked): string {
  const task = 'status' in looked ? looked : looked.task;
  const state = (task as { readonly status?: { readonly state?: unknown } } | undefined)?.status?.state;
  if (typeof state !== 'string') throw new TypeError('Expected get() to give a task, or something with a task');
  return state;
}

/** @throws TypeError for a word that names no state. */
function toState(name: string): TaskState {
  const long = name.startsWith('TASK_STATE_') ? name : `TASK_STATE_${name.toUpperCase().replaceAll('-', '_')}`;
  const state = TASK_STATES.find((each) => each === long);
  if (state === undefined) throw new TypeError(`${JSON.stringify(name)} is no state of a task`);
  return state;
}

function shortName(state: TaskState): string {
  return state.slice('TASK_STATE_'.length).toLowerCase().replaceAll('_', '-');
}

function pause(clock: Clock, until: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      takeBack();
      signal?.removeEventListener('abort', goOn);
      resolve();
    };
    const takeBack = clock.callAt(until, goOn);
    signal?.addEventListener('abort', goOn, { once: true });
  });
}
