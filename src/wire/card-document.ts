import type { AgentCardSignature } from '../model/card.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { type CardVariant, canonicalPayload } from './canonical-card.ts';
import { type CardSignerKey, cardSignature } from './card-signature.ts';

/**
 * Readers differ in what of a card they check (docs/adr/0002-default-card.md, 6): one signature for each kind, where the
 * bytes differ.
 */
const OF_10: readonly CardVariant[] = ['spec', 'pruned', 'unknown-kept'];
/** What 1.0 knows of an older card is no card. */
const OF_OLDER: readonly CardVariant[] = ['unknown-kept', 'pruned-unknown-kept'];

/** A card as it is sent, with the signatures of all keys. */
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
