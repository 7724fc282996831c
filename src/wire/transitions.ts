import { A2AError } from '../errors.ts';
import type { JsonObject } from '../model/json.ts';
import { TASK_STATES, type TaskState } from '../model/state.ts';
import type { Task } from '../model/task.ts';
import { type Transition, TRANSITIONS, type Transitions } from '../model/transitions.ts';
import { normalizeTimestamp } from '../support/time/timestamp.ts';
import { isObject } from './codec.ts';
import type { Dialect } from './dialect.ts';

/**
 * Adds the metadata of the extension: `{ "transitions": [{ "state", "timestamp" }], "truncated": true }`, with states
 * in the format of the dialect and `truncated` only if it is true.
 */
export function withTransitions(task: Task, { transitions, truncated }: Transitions, dialect: Dialect): Task {
  const list = transitions.map(({ state, timestamp }) => {
    const word = dialect.encodeState(state);
    return timestamp === undefined ? { state: word } : { state: word, timestamp };
  });
  const value: JsonObject = truncated ? { transitions: list, truncated } : { transitions: list };
  return { ...task, metadata: { ...task.metadata, [TRANSITIONS.uri]: value } };
}

/**
 * The transitions in the metadata of a task; `undefined` if the agent does not have the extension. Accepts the states
 * of any dialect, because a peer may respond in another dialect than that of the request.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE`
 */
export function transitionsIn({ metadata }: Task): Transitions | undefined {
  const value = metadata?.[TRANSITIONS.uri];
  if (value === undefined) return undefined;
  const list: unknown = isObject(value) ? value['transitions'] : undefined;
  if (!isObject(value) || !Array.isArray(list)) throw malformed();
  return { transitions: list.map(decodeTransition), truncated: value['truncated'] === true };
}

const STATES: ReadonlyMap<string, TaskState> = new Map([
  ...TASK_STATES.map((state) => [state, state] as const),
  ['TASK_STATE_CANCELLED', 'TASK_STATE_CANCELED'],
]);

function decodeTransition(json: unknown): Transition {
  const { state: word, timestamp } = isObject(json) ? json : {};
  if (typeof word !== 'string') throw malformed();
  const name = word.startsWith('TASK_STATE_') ? word : `TASK_STATE_${word.toUpperCase().replaceAll('-', '_')}`;
  const state = STATES.get(name) ?? 'TASK_STATE_UNSPECIFIED';
  const time = typeof timestamp === 'string' ? normalizeTimestamp(timestamp)?.text : undefined;
  return time === undefined ? { state } : { state, timestamp: time };
}

function malformed(): A2AError {
  return new A2AError(
    'INVALID_AGENT_RESPONSE',
    `Expected metadata["${TRANSITIONS.uri}"] of the task to be { transitions: [{ state, timestamp }] }`,
  );
}
