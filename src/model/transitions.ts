import type { AgentCard, AgentExtension } from './card.ts';
import type { TaskState } from './state.ts';

/**
 * The extension with which `GetTask` returns the state changes of a task. Cards before 1.0 also have the flag
 * `capabilities.stateTransitionHistory`, for which no protocol version defines a format.
 */
export const TRANSITIONS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:transitions:1',
  description: 'GetTask returns the state changes of a task in its metadata',
});

/** A state that a task entered, and when. */
export interface Transition {
  /** State that the task entered. */
  readonly state: TaskState;
  /** UTC with milliseconds. */
  readonly timestamp?: string;
}

/** State changes of a task. */
export interface Transitions {
  /** Oldest first. Ends with the current state of the task. */
  readonly transitions: readonly Transition[];
  /** Whether earlier state changes are missing. */
  readonly truncated: boolean;
}

/** Returns whether an agent declares that it returns state changes. */
export function exposesTransitions({ capabilities }: AgentCard): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === TRANSITIONS.uri) === true;
}
