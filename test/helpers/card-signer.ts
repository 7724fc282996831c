import { FlattenedSign, type CryptoKey, type JWK, exportJWK, generateKeyPair } from 'jose';
import type { AgentCard, AgentCardSignature } from '../../src/model/card.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { canonicalCard, type CardVariant, canonicalPayload } from '../../src/wire/card/signing/canonical-card.ts';
import { cardSignature, type CardSignerKey } from '../../src/wire/card/signing/card-signature.ts';
import { card as cardCodec } from '../../src/wire/v1/card.ts';

/** A card without empty members. */
export const CARD: AgentCard = {
  name: 'Weather',
  description: 'Knows the weather.',
  supportedInterfaces: [
    { url: 'https://w.example/a2a', protocolBinding: 'JSONRPC', tenant: 't', protocolVersion: '1.0' },
    { url: 'https://w.example/v1', protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
  ],
  provider: { url: 'https://w.example', organization: 'Weather Ltd' },
  version: '1.0.0',
  documentationUrl: 'https://w.example/docs',
  capabilities: {
    streaming: true,
    extensions: [{ uri: 'https://w.example/ext', required: true, params: { deep: { a: [1] } } }],
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://w.example/oidc' } },
  },
  securityRequirements: [{ schemes: { oidc: { list: ['read'] } } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'now', name: 'Now', description: 'Weather now', tags: ['weather'], examples: ['Rain?'] }],
  iconUrl: 'https://w.example/icon.png',
};

/** A card with required members that are empty. */
export const SPARSE_CARD: AgentCard = {
  ...CARD,
  description: '',
  capabilities: {},
  securityRequirements: [{ schemes: { key: {} } }],
  skills: [{ id: 'now', name: 'Now', description: 'd', tags: [] }],
};

export interface Signer {
  readonly key: CryptoKey;
  readonly alg: string;
  readonly kid: string;
  readonly jwk: JWK;
  /** The options of a verifier that trusts this signer. */
  readonly trust: { readonly keys: { keys: JWK[] } };
}

export async function newSigner(alg: string, kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid };
  return { key: privateKey, alg, kid, jwk, trust: { keys: { keys: [jwk] } } };
}

/** The card with one more signature. Only the signed members of a card without signatures stay. */
export async function signCard(
  card: AgentCard,
  { variant = 'spec', ...signer }: CardSignerKey & { readonly variant?: CardVariant },
): Promise<AgentCard> {
  const earlier = card.signatures ?? [];
  const plain = JSON.parse(JSON.stringify(card)) as JsonObject;
  const json = earlier.length === 0 ? canonicalCard(plain) : plain;
  const signature = await cardSignature(await canonicalPayload(json, variant), signer);
  return { ...(json as unknown as AgentCard), signatures: [...earlier, signature] };
}

/** The card in the format that a server sends. */
export function onTheWire(card: AgentCard): JsonObject {
  return JSON.parse(JSON.stringify(cardCodec.encode(card))) as JsonObject;
}

export function signatureOf(card: AgentCard, index = 0): AgentCardSignature {
  const signature = card.signatures?.[index];
  if (signature === undefined) throw new Error(`The card has no signature ${index}`);
  return signature;
}

/** A signature of another implementation: with any header, over any form of the card. */
export async function foreignSignature(
  card: JsonObject,
  header: JsonObject,
  key: CryptoKey | Uint8Array,
  variant: CardVariant = 'spec',
): Promise<JsonObject> {
  const payload = new TextEncoder().encode(await canonicalPayload(card, variant));
  const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(key, { crit: { 'urn:x': true } });
  return { protected: jws.protected ?? '', signature: jws.signature };
}
