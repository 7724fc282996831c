import type { AgentCard, AgentExtension } from './card.ts';

/** How long our agents recognise repeats at least. */
const LIFETIME_MS = 24 * 60 * 60 * 1000;

/**
 * The extension that an agent declares if it processes a message once, however often it is sent with the same
 * `Idempotency-Key`, also after a restart. Clients may then resend a message whose response was lost. The parameter
 * `lifetimeSeconds` is the time after the first message in which it does.
 */
export const RECOGNISES_REPEATS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:recognises-repeats',
  description: 'A message that is sent again with the same Idempotency-Key is not processed again',
  params: Object.freeze({ lifetimeSeconds: LIFETIME_MS / 1000 }),
});

/** Returns whether an agent declares that it recognises repeated messages. */
export function recognisesRepeats(card: AgentCard): boolean {
  return declarationIn(card) !== undefined;
}

/** How long an agent recognises repeated messages. Agents that declare no lifetime keep keys for 24 hours. */
export function repeatsLifetimeMs(card: AgentCard): number {
  const seconds = declarationIn(card)?.params?.['lifetimeSeconds'];
  return typeof seconds === 'number' && seconds >= 0 ? seconds * 1000 : LIFETIME_MS;
}

function declarationIn({ capabilities }: AgentCard): AgentExtension | undefined {
  return capabilities.extensions?.find(({ uri }) => uri === RECOGNISES_REPEATS.uri);
}
