import { sha256 } from '../support/sha256.ts';
import type { JWTVerifyGetKey } from 'jose';
import { bodyDigest } from '../push/body-digest.ts';
import { CARD_ALGORITHMS } from '../wire/card-signature-key.ts';
import type { IncomingNotification } from './incoming.ts';
import type { WebhookOptions } from './options.ts';
import { Refusal } from './refusal.ts';
import { isTimely } from './timely.ts';

/** What a good token says. */
export interface TokenSays {
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

  /** @throws Refusal */
  async check(incoming: IncomingNotification, now: number): Promise<TokenSays> {
    const token = tokenOf(incoming);
    if (token === undefined) throw new Refusal(401, 'There is no signed token');
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
      // jose adds the tolerance to the age that it allows, which would allow twice of it.
      if (!isTimely(Number(payload.iat) * 1000, now, this.#toleranceMs)) throw new Error('another time');
      // Without it a token that somebody saw would be good for any other body.
      if (payload['request_body_sha256'] !== (await bodyDigest(incoming.body))) throw new Error('another body');
      const { jti, taskId } = payload;
      return {
        jti: typeof jti === 'string' && jti !== '' ? jti : undefined,
        tokenDigest: await sha256(token),
        taskId: typeof taskId === 'string' ? taskId : undefined,
      };
    } catch (error) {
      if (error instanceof KeysOutOfReach) throw this.#unable(error);
      throw new Refusal(401, 'The signed token is not valid');
    }
  }

  #findKeys(): Promise<JWTVerifyGetKey> {
    return (this.#keys ??= this.#openKeys());
  }

  async #openKeys(): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet, createRemoteJWKSet } = await import('jose');
    const { jwks, keys } = this.#options;
    return jwks === undefined ? createLocalJWKSet(keys ?? { keys: [] }) : reachable(createRemoteJWKSet(new URL(jwks)));
  }

  /** Ours is written as senders write addresses, and as it was given. */
  get #audience(): string[] | undefined {
    const { audience } = this.#options;
    return typeof audience === 'string' ? [audience, new URL(audience).href] : undefined;
  }

  /** Nobody can say whether the sender is good: he must come again, and the owner hear of it. */
  #unable({ cause }: KeysOutOfReach): Refusal {
    const { jwks = '', log } = this.#options;
    log?.error('The keys that notifications are signed with cannot be had', { host: new URL(jwks).host, error: cause });
    return new Refusal(503, 'The keys to check the signed token by cannot be had now: send it again');
  }
}

class KeysOutOfReach extends Error {
  override readonly name = 'KeysOutOfReach';
}

/** What speaks against the token, and not against the place where the keys are. */
const FAULTS_OF_TOKENS = ['ERR_JWKS_NO_MATCHING_KEY', 'ERR_JWKS_MULTIPLE_MATCHING_KEYS', 'ERR_JOSE_NOT_SUPPORTED'];

function reachable(find: JWTVerifyGetKey): JWTVerifyGetKey {
  return async (header, token) => {
    try {
      return await find(header, token);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (FAULTS_OF_TOKENS.includes(code)) throw error;
      throw new KeysOutOfReach('The keys cannot be had', { cause: error });
    }
  };
}

/** `Authorization` may be taken by other credentials. */
function tokenOf(incoming: IncomingNotification): string | undefined {
  return (
    incoming.header('x-a2a-notification-jwt') ?? /^Bearer +(\S+)$/i.exec(incoming.header('authorization') ?? '')?.[1]
  );
}
