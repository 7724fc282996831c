import type { AgentCard, AgentExtension } from './card.ts';

/**
 * The extension that an agent declares if it processes a message once, however often it is sent with the same
 * `Idempotency-Key`, also after a restart. Clients may then resend a message whose response was lost.
 */
export const RECOGNISES_REPEATS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:recognises-repeats',
  description: 'A message that is sent again with the same Idempotency-Key is not processed again',
});

/** Returns whether an agent declares that it recognises repeated messages. */
export function recognisesRepeats({ capabilities }: AgentCard): boolean {
  return capabilities.extensions?.some(({ uri }) => uri === RECOGNISES_REPEATS.uri) === true;
}
