import type { AgentCard, AgentExtension } from './card.ts';

/**
 * The extension with which a message names the chain of calls between agents that it belongs to. The metadata of the message has a
 * `Lineage` under the URI, with the deadline as a timestamp.
 */
export const LINEAGE: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:lineage:1',
  description: 'The metadata of a message may name the chain of calls between agents that it belongs to',
});

/** Where a task comes from. From a remote caller it is a claim that only narrows limits. */
export interface Lineage {
  /** The id of the task at the root. */
  readonly root: string;
  /** The id of the calling task. */
  readonly parent: string;
  /** How many calls lead to this one: 1 for a call of the root task. */
  readonly depth: number;
  /** The agents from the root to the calling one. `internal` for agents without a public card. */
  readonly path: readonly string[];
  /** The marks of these agents, by which each of them recognises itself. See `agentMark`. Empty if they are not known. */
  readonly marks: readonly string[];
  /** When the task is canceled, in milliseconds since 1970. */
  readonly deadline?: number;
}

/** Returns whether an agent declares that it reads the lineage of messages. */
export function readsLineage({ capabilities }: AgentCard): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === LINEAGE.uri) === true;
}
