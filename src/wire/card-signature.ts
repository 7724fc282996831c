import type { CryptoKey, JWK } from 'jose';
import { A2AError } from '../errors.ts';
import type { AgentCard, AgentCardSignature } from '../model/card.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { defined } from '../support/defined.ts';
import { CARD_VARIANTS, type CardVariant, canonicalPayload, tidyCard } from './canonical-card.ts';
import {
  CARD_ALGORITHMS,
  type CardKey,
  type CardKeys,
  type CardSignatureHeader,
  findKey,
} from './card-signature-key.ts';
import { isObject } from './codec.ts';

/** Each signature may cost a key lookup and several verifications, and whoever serves the card chose their number. */
const MAX_SIGNATURES = 16;

/** What a signature is made with. */
export interface CardSignerKey {
  /** The private key. */
  readonly key: CryptoKey | JWK;
  readonly alg: string;
  /** The name under which verifiers find the public key. */
  readonly kid: string;
  /** Where verifiers may find the public key, if they trust the place. */
  readonly jku?: string;
}

export interface SignCardOptions extends CardSignerKey {
  /**
   * What is signed, `spec` by default. `pruned` is for readers built on the reference SDKs, which leave out empty values
   * even where they are required: where the card has such values, add it as a second signature.
   */
  readonly variant?: 'spec' | 'pruned';
}

/**
 * The card with one more signature (1.0 §8.4.2). Those it has stay valid, so that keys can be rotated.
 *
 * Publish the result, not the card that was passed in: a card without signatures comes back tidied, that is, without
 * unknown members and without empty values that need not be there. A card that is already signed is signed as it is.
 *
 * @example
 * const signed = await signCard(card, { key: privateKey, alg: 'ES256', kid: '2025-01' });
 */
export async function signCard(card: AgentCard, options: SignCardOptions): Promise<AgentCard> {
  const { variant = 'spec' } = options;
  const earlier = card.signatures ?? [];
  const plain = JSON.parse(JSON.stringify(card)) as JsonObject;
  const json = earlier.length === 0 ? tidyCard(plain) : plain;
  const signature = await cardSignature(await canonicalPayload(json, variant), options);
  return { ...(json as unknown as AgentCard), signatures: [...earlier, signature] };
}

/** A signature over a canonical text. @throws A2AError `INVALID_PARAMS` for a key that readers could not use. */
export async function cardSignature(canonical: string, signer: CardSignerKey): Promise<AgentCardSignature> {
  const { key, alg, kid, jku } = signer;
  if (!CARD_ALGORITHMS.includes(alg)) {
    throw new A2AError(
      'INVALID_PARAMS',
      `Cards cannot be signed with ${alg}; use one of ${CARD_ALGORITHMS.join(', ')}`,
    );
  }
  if (kid === '') throw new A2AError('INVALID_PARAMS', 'A card signature needs a kid, by which verifiers find the key');
  const payload = new TextEncoder().encode(canonical);
  const { FlattenedSign } = await import('jose');
  const header = defined({ alg, typ: 'JOSE', kid, jku });
  const jws = await new FlattenedSign(payload).setProtectedHeader(header).sign(key);
  return { protected: jws.protected ?? '', signature: jws.signature };
}

export interface VerifyCardOptions {
  /** Whom to trust. Nothing is fetched here, `jku` neither: a function that wants to use it gets it. */
  readonly keys: CardKeys;
  /** Accepted algorithms, `CARD_ALGORITHMS` by default. MACs count only if listed here; `none` never does. */
  readonly algorithms?: readonly string[];
  /** The time in milliseconds, against which the life of a JWK is held. */
  readonly now?: () => number;
}

export interface VerifiedCard {
  /**
   * The card as it was signed, read from the verified bytes. The received document may hold more than the signature
   * covers, such as unknown members or an empty security requirement (no credentials needed): go on with this one only.
   */
  readonly card: JsonObject;
  /**
   * Which form the signer signed. A pruned card lacks whatever was empty, required members and security requirements
   * without scopes included.
   */
  readonly variant: CardVariant;
  readonly kid: string;
  readonly alg: string;
  /** The signature that holds; back in `card.signatures`, it makes the card verifiable again. */
  readonly signature: AgentCardSignature;
}

/**
 * Verifies a card as it came from the wire (1.0 §8.4.3): at least one signature must hold for a trusted key. Otherwise
 * throws `INVALID_AGENT_RESPONSE` and says of each signature why it does not count.
 */
export async function verifyCard(json: unknown, options: VerifyCardOptions): Promise<VerifiedCard> {
  if (!isObject(json)) throw refused('it is not an object');
  const listed = json['signatures'];
  if (!isList(listed) || listed.length === 0) throw refused('it carries no signature');
  const { base64url, flattenedVerify } = await import('jose');
  const attempts = await Promise.all(listed.slice(0, MAX_SIGNATURES).map((entry) => prepare(entry, options)));
  const tried = new Set<string>();
  let obstacle = '';
  // Forms outside, signatures inside: a signature over the official form is better than an earlier one over another.
  for (const variant of CARD_VARIANTS) {
    const text = await canonicalPayload(json, variant).catch((error: unknown) => {
      obstacle = textOf(error);
    });
    if (text === undefined || tried.has(text)) continue;
    tried.add(text);
    const payload = base64url.encode(text);
    for (const attempt of attempts) {
      if (attempt.key === undefined) continue;
      const { header, key, signature } = attempt;
      try {
        const verified = await flattenedVerify({ ...signature, payload }, key, { algorithms: [header.alg] });
        const card = JSON.parse(new TextDecoder().decode(verified.payload)) as JsonObject;
        return { card, variant, kid: header.kid, alg: header.alg, signature };
      } catch (error) {
        attempt.failure = textOf(error);
      }
    }
  }
  if (tried.size === 0) throw refused(obstacle);
  const failures = attempts.map(({ header, failure }, index) => `signature ${index + 1}${label(header)}: ${failure}`);
  if (listed.length > MAX_SIGNATURES) failures.push(`${listed.length - MAX_SIGNATURES} more were not tried`);
  throw refused(failures.join('; '));
}

/** A signature on its way: with a key it can be tried, without one `failure` says why not. */
type Attempt =
  | { readonly key?: undefined; readonly header: CardSignatureHeader | undefined; failure: string }
  | {
      readonly key: CardKey;
      readonly header: CardSignatureHeader;
      readonly signature: AgentCardSignature;
      failure: string;
    };

async function prepare(entry: JsonValue, options: VerifyCardOptions): Promise<Attempt> {
  let header: CardSignatureHeader | undefined;
  try {
    const signature = readSignature(entry);
    header = await readHeader(signature);
    const accepted = options.algorithms ?? CARD_ALGORITHMS;
    if (!accepted.includes(header.alg)) throw new Error('this algorithm is not accepted');
    const key = await findKey(options.keys, header, options.now?.() ?? Date.now());
    return { key, header, signature, failure: 'not tried' };
  } catch (error) {
    return { header, failure: textOf(error) };
  }
}

function readSignature(entry: JsonValue): AgentCardSignature {
  const { protected: encoded, signature, header } = isObject(entry) ? entry : {};
  if (typeof encoded !== 'string' || typeof signature !== 'string') {
    throw new Error('expected the strings protected and signature');
  }
  if (header === undefined || header === null) return { protected: encoded, signature };
  if (!isObject(header)) throw new Error('expected header to be an object');
  return { protected: encoded, signature, header };
}

/** `alg` and `kid` count only where the signature covers them. */
async function readHeader(signature: AgentCardSignature): Promise<CardSignatureHeader> {
  const { decodeProtectedHeader } = await import('jose');
  const { alg, kid, typ, jku } = decodeProtectedHeader({ protected: signature.protected }) as Record<string, unknown>;
  if (typeof alg !== 'string' || alg === '') throw new Error('its protected header has no alg');
  if (typeof kid !== 'string' || kid === '') throw new Error('its protected header has no kid');
  return defined({
    alg,
    kid,
    typ: typeof typ === 'string' ? typ : undefined,
    jku: typeof jku === 'string' ? jku : undefined,
  });
}

function isList(json: JsonValue | undefined): json is readonly JsonValue[] {
  return Array.isArray(json);
}

/** Strangers wrote kid and alg: quoted and cut, they cannot pass for our words. */
function label(header: CardSignatureHeader | undefined): string {
  if (header === undefined) return '';
  return ` (kid ${JSON.stringify(header.kid.slice(0, 64))}, alg ${JSON.stringify(header.alg.slice(0, 16))})`;
}

/** Some errors quote what they stumbled over. */
function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200);
}

function refused(reason: string): A2AError {
  return new A2AError('INVALID_AGENT_RESPONSE', `The agent card could not be verified: ${reason}`);
}
