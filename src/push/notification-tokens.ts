import type { JWK } from 'jose';
import type { Clock } from '../support/time/clock.ts';
import { bodyDigest } from './body-digest.ts';

export interface TokenFacts {
  readonly id: string;
  readonly taskId: string;
  /** The URL the notification is sent to. */
  readonly audience: string;
  readonly body: string;
}

interface PreparedKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

/** Each attempt has its own token, so this only has to cover transmission and clock differences. */
const LIFETIME_SECONDS = 300;

const ALGORITHM_OF_CURVE: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  'P-521': 'ES512',
  Ed25519: 'EdDSA',
};

/** The public members of a key. All other members of a private key are secret. */
const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const;

/** The algorithm of a private key: its `alg`, or the default for its type. Undefined for public keys and unknown types. */
export function algorithmOf({ alg, kty, crv = '', d }: JWK): string | undefined {
  if (d === undefined) return undefined;
  return alg ?? (kty === 'RSA' ? 'RS256' : ALGORITHM_OF_CURVE[crv]);
}

/**
 * Signs notifications with a private key, so that receivers need no shared secret: they fetch the public key from the agent.
 * The first key signs. The other keys are only published, so that receivers can verify older signatures after a rotation.
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

  /** Signs once with each key, so that an unusable key fails at startup and not at the first delivery. @throws TypeError */
  async start(): Promise<void> {
    await this.#prepare();
  }

  /** Returns a JWT with the claims of the A2A push notification guide and the digest of the body, which binds it to that body. */
  async sign({ id, taskId, audience, body }: TokenFacts): Promise<string> {
    const [key] = await this.#prepare();
    if (key === undefined) throw new Error('push.signingKey: there is no key to sign notifications with');
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

  /** The content of `/.well-known/jwks.json`. */
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
    // The error of the library may quote the key.
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
