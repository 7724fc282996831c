import type { AgentCard, AgentExtension } from './card.ts';
import type { TaskState } from './state.ts';

/**
 * The extension by which `GetTask` returns the state changes of a task. Cards before 1.0 have a flag for it as well,
 * `capabilities.stateTransitionHistory`, which no version of the protocol gives a form.
 */
export const TRANSITIONS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:transitions:1',
  description: 'GetTask returns the state changes of a task in its metadata',
});

/** A state that a task entered, and when. */
export interface Transition {
  readonly state: TaskState;
  /** UTC with milliseconds. */
  readonly timestamp?: string;
}

export interface Transitions {
  /** Oldest first. Ends with the current state of the task. */
  readonly transitions: readonly Transition[];
  /** Whether earlier state changes are missing. */
  readonly truncated: boolean;
}

export function exposesTransitions({ capabilities }: AgentCard): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === TRANSITIONS.uri) === true;
}
