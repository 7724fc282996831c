import { A2AError, markNested } from '../../errors.ts';
import type { Task } from '../../model/task.ts';
import { TRANSITIONS, type Transitions } from '../../model/transitions.ts';
import { transitionsIn } from '../../wire/transitions.ts';
import { type StateWord, stateWord } from '../state-word.ts';

/** A state that a task entered. */
export interface TaskTransition {
  /** The state, such as `working`. */
  readonly state: StateWord;
  /** When the task entered it, in UTC with milliseconds. Undefined if the agent does not report it. */
  readonly timestamp: string | undefined;
}

/** The state changes of a task. */
export interface TaskTransitions {
  /** The state changes, oldest first. The last one is the current state. */
  readonly transitions: readonly TaskTransition[];
  /**
   * Whether earlier state changes are missing, because the agent removed them or there were more than 100. Then the task may have
   * entered the first state of the list before its timestamp.
   */
  readonly truncated: boolean;
}

/** The state changes that an agent returned with a task. @throws A2AError `UNSUPPORTED_OPERATION` if it returned none. */
export function transitionsFrom(task: Task): TaskTransitions {
  const { transitions, truncated } = transitionsOrThrow(task);
  return {
    transitions: transitions.map(({ state, timestamp }) => ({ state: stateWord(state), timestamp })),
    truncated,
  };
}

function transitionsOrThrow(task: Task): Transitions {
  let found: Transitions | undefined;
  try {
    found = transitionsIn(task);
  } catch (error) {
    throw markNested(error);
  }
  if (found !== undefined) return found;
  const message = `The agent does not report the state changes of task ${task.id}: it lacks the extension ${TRANSITIONS.uri}. Subscribe to the task to see its state changes as they happen`;
  throw markNested(new A2AError('UNSUPPORTED_OPERATION', message, { details: { taskId: task.id } }));
}
