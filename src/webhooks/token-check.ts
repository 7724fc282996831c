import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { A2AError } from '../errors.ts';
import { bodyDigest } from '../push/body-digest.ts';
import { NOTIFICATION_HEADERS } from '../push/webhook-signature.ts';
import { RemoteKeys } from '../support/remote-keys.ts';
import { sha256 } from '../support/secret/sha256.ts';
import { systemClock } from '../support/time/clock.ts';
import { CARD_ALGORITHMS } from '../wire/card/card-signature-key.ts';
import { type IncomingNotification, Rejection } from './incoming.ts';
import type { WebhookOptions } from './options.ts';

/** The time limit for fetching the keys. */
const KEYS_TIMEOUT_MS = 5000;

/** The claims of a verified token. */
export interface TokenVerdict {
  /** The signed id of the notification. */
  readonly jti: string | undefined;
  /** SHA-256 of the whole token. */
  readonly tokenDigest: string;
  readonly taskId: string | undefined;
}

/** Checks tokens that are signed with the agent's private key. */
export class TokenCheck {
  readonly #options: WebhookOptions;
  readonly #toleranceMs: number;
  #keys: Promise<JWTVerifyGetKey> | undefined;

  constructor(options: WebhookOptions, toleranceMs: number) {
    this.#options = options;
    this.#toleranceMs = toleranceMs;
  }

  /** @throws Rejection */
  async check(incoming: IncomingNotification, now: number): Promise<TokenVerdict> {
    const token = tokenOf(incoming);
    if (token === undefined) throw new Rejection(401, 'The signed token is missing');
    const { jwtVerify } = await import('jose');
    const { issuer } = this.#options;
    const audience = this.#audience;
    try {
      const { payload } = await jwtVerify(token, await this.#findKeys(), {
        algorithms: [...CARD_ALGORITHMS],
        currentDate: new Date(now),
        clockTolerance: Math.ceil(this.#toleranceMs / 1000),
        requiredClaims: ['iat'],
        ...(issuer !== undefined && { issuer }),
        ...(audience !== undefined && { audience }),
      });
      // Checked here, because jose adds the clock tolerance to `maxTokenAge`, which would allow twice the tolerance.
      if (!(Math.abs(now - Number(payload.iat) * 1000) <= this.#toleranceMs)) throw new Error('outside the tolerance');
      // Without the digest, an intercepted token would be valid for any body.
      if (payload['request_body_sha256'] !== (await bodyDigest(incoming.body)))
        throw new Error('the digest is of another body');
      const { jti, taskId } = payload;
      return {
        jti: typeof jti === 'string' && jti !== '' ? jti : undefined,
        tokenDigest: await sha256(token),
        taskId: typeof taskId === 'string' ? taskId : undefined,
      };
    } catch (error) {
      if (A2AError.is(error, 'UNAVAILABLE')) throw this.#unable(error);
      throw new Rejection(401, 'The signed token is not valid');
    }
  }

  #findKeys(): Promise<JWTVerifyGetKey> {
    return (this.#keys ??= this.#openKeys());
  }

  async #openKeys(): Promise<JWTVerifyGetKey> {
    const { jwks, keys = { keys: [] }, clock = systemClock } = this.#options;
    if (jwks === undefined) return (await import('jose')).createLocalJWKSet(keys);
    const { fetchJson } = await import('../support/http-client/fetch-json.ts');
    const load = async () => (await fetchJson(jwks, KEYS_TIMEOUT_MS)) as JSONWebKeySet;
    return new RemoteKeys(load, () => clock.now()).find;
  }

  /** The audience as configured, and in the normalized form that senders use. */
  get #audience(): string[] | undefined {
    const { audience } = this.#options;
    return typeof audience === 'string' ? [audience, new URL(audience).href] : undefined;
  }

  /** Without keys the token cannot be verified: the sender must retry, and the operator needs a log event. */
  #unable({ cause }: A2AError): Rejection {
    const { jwks = '', log } = this.#options;
    log?.error('Could not fetch the keys of signed notifications', { host: new URL(jwks).host, error: cause });
    return new Rejection(503, 'The keys of the signed token are not available; send the notification again');
  }
}

/** `X-A2A-Notification-JWT` first, because `Authorization` may contain other credentials. */
function tokenOf(incoming: IncomingNotification): string | undefined {
  return (
    incoming.header(NOTIFICATION_HEADERS.jwt) ?? /^Bearer +(\S+)$/i.exec(incoming.header('authorization') ?? '')?.[1]
  );
}
