import type { AgentCard, AgentExtension } from './card.ts';

/**
 * What an agent declares on its card that does a message once, however often it comes with the same `Idempotency-Key`, also
 * after it was started anew. Who reads it may send a message again whose answer was lost.
 */
export const RECOGNISES_REPEATS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:recognises-repeats',
  description: 'A message that comes again with the same Idempotency-Key is not done again',
});

export function recognisesRepeats({ capabilities }: AgentCard): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === RECOGNISES_REPEATS.uri) === true;
}
