import type { JWK } from 'jose';
import type { Clock } from '../support/clock.ts';
import { bodyDigest } from './body-digest.ts';

/** What a token says of one notification. */
export interface TokenFacts {
  readonly id: string;
  readonly taskId: string;
  /** The address that it is sent to. */
  readonly audience: string;
  readonly body: string;
}

interface PreparedKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

/** A retry has a token of its own, so this only has to outlast the way there and clocks that differ. */
const LIFETIME_SECONDS = 300;

const ALGORITHM_OF_CURVE: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/** What may be published of a key. All else in a private one is secret. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** The algorithm of a private key that can sign, by itself or by its kind. */
export function algorithmOf({ alg, kty, crv = '', d }: JWK): string | undefined {
  if (d === undefined) return undefined;
  return alg ?? (kty === 'RSA' ? 'RS256' : ALGORITHM_OF_CURVE[crv]);
}

/**
 * Signs notifications with a private key, so that receivers need no secret: they find the public one at the agent. The
 * first key signs; those after it are published, too, for what was signed before they were replaced.
 */
export class NotificationTokens {
  readonly #keys: readonly JWK[];
  readonly #issuer: string | undefined;
  readonly #clock: Clock;
  #prepared: Promise<readonly PreparedKey[]> | undefined;

  constructor(keys: readonly JWK[], issuer: string | undefined, clock: Clock) {
    this.#keys = keys;
    this.#issuer = issuer;
    this.#clock = clock;
  }

  /** Reads the keys, and signs once with each: later nobody could be told that it does not. @throws TypeError */
  async start(): Promise<void> {
    await this.#prepare();
  }

  /** A JWT with what the guide of the protocol names, and the digest of the body: it cannot be put on another one. */
  async sign({ id, taskId, audience, body }: TokenFacts): Promise<string> {
    const [key] = await this.#prepare();
    if (key === undefined) throw new Error('There is no key to sign notifications with');
    const { SignJWT } = await import('jose');
    const issuedAt = Math.floor(this.#clock.now() / 1000);
    const token = new SignJWT({ taskId, request_body_sha256: await bodyDigest(body) })
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' })
      .setAudience(audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + LIFETIME_SECONDS)
      .setJti(id);
    if (this.#issuer !== undefined) token.setIssuer(this.#issuer);
    return token.sign(key.privateKey);
  }

  /** What stands at `/.well-known/jwks.json`. */
  async publicKeys(): Promise<{ readonly keys: readonly JWK[] }> {
    return { keys: (await this.#prepare()).map(({ publicKey }) => publicKey) };
  }

  #prepare(): Promise<readonly PreparedKey[]> {
    return (this.#prepared ??= Promise.all(this.#keys.map(proven)));
  }
}

async function proven(key: JWK): Promise<PreparedKey> {
  try {
    const { SignJWT } = await import('jose');
    const made = await prepared(key);
    const { alg, privateKey } = made;
    await new SignJWT({}).setProtectedHeader({ alg }).sign(privateKey);
    return made;
  } catch {
    // What the library says of it may quote the key.
    const name = key.kid === undefined ? 'the key' : `the key ${JSON.stringify(key.kid)}`;
    throw new TypeError(`push.signingKey: ${name} cannot sign with ${algorithmOf(key)}`);
  }
}

async function prepared(key: JWK): Promise<PreparedKey> {
  const { calculateJwkThumbprint } = await import('jose');
  const shown = Object.fromEntries(
    PUBLIC_MEMBERS.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  );
  const alg = algorithmOf(key) ?? '';
  const kid = key.kid ?? (await calculateJwkThumbprint(key));
  return { alg, kid, privateKey: { ...key, alg }, publicKey: { ...shown, kid, alg, use: 'sig' } };
}
