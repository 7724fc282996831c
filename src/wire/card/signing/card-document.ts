import type { AgentCardSignature } from '../../../model/card.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { type CardVariant, canonicalPayload } from './canonical-card.ts';
import { type CardSignerKey, cardSignature } from './card-signature.ts';

/**
 * Clients verify different forms of a card (docs/adr/0002-default-card.md, 6), so each form with different bytes gets its
 * own signature.
 */
const OF_10: readonly CardVariant[] = ['spec', 'pruned', 'unknown-kept'];
/** The 1.0 schema drops nearly all members of an older card, so only the forms with unknown members are signed. */
const OF_OLDER: readonly CardVariant[] = ['unknown-kept', 'pruned-unknown-kept'];

/** Returns the encoded card with a signature per form and key. */
export async function signDocument(json: JsonObject, keys: readonly CardSignerKey[]): Promise<JsonObject> {
  const variants = json['supportedInterfaces'] === undefined ? OF_OLDER : OF_10;
  const payloads = new Set<string>();
  for (const variant of variants) payloads.add(await canonicalPayload(json, variant));
  const signatures: AgentCardSignature[] = [];
  for (const payload of payloads) {
    for (const key of keys) signatures.push(await cardSignature(payload, key));
  }
  return { ...json, signatures: signatures as unknown as JsonValue };
}
