import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { Caller } from '../../../engine/handler.ts';
import { A2AError } from '../../../errors.ts';
import type { JsonObject } from '../../../model/json.ts';
import { isName } from '../../../support/name.ts';
import type { ServedAt } from '../authenticator.ts';
import { invalidCredentials } from '../authentication-errors.ts';
import { isLoopback } from '../../../support/net/loopback.ts';
import { trimEndOf } from '../../../support/trim-end.ts';
import { type Check, isObject } from '../../../support/check.ts';
import { callback, count, option, type OptionTable, type Settings } from '../../../support/options.ts';

/** Rules for JWTs, independent of how they are signed. */
export interface TokenRules {
  /** The accepted `aud` claims. Default: the public URL of the agent, and its origin. */
  readonly audience?: string | readonly string[];
  /** How far clocks may differ, in seconds. Default: 30. */
  readonly clockToleranceSeconds?: number;
  /** Returns whether a token is revoked. Called for a new token, and then at most once a minute. Default: no token is revoked. */
  readonly isRevoked?: (claims: JsonObject) => boolean | Promise<boolean>;
  /** Returns the tenants that the caller can access; `undefined` for any. Default: any. */
  readonly tenants?: (claims: JsonObject) => readonly string[] | undefined;
}

const TOLERANCE_SECONDS = 30;
const MAX_SUBJECT = 255;

/** The options that `jwks()`, `oidc()` and `sharedSecret()` have in common. */
export const TOKEN_RULES = {
  audience: option((check, value, path) => checkTexts(check, value, path)),
  clockToleranceSeconds: count({ least: 0, byDefault: TOLERANCE_SECONDS }),
  isRevoked: callback<NonNullable<TokenRules['isRevoked']>>(),
  tenants: callback<NonNullable<TokenRules['tenants']>>(),
} as const satisfies OptionTable<TokenRules>;

export type TokenSettings = Settings<typeof TOKEN_RULES>;

/** Verifies a token with a key and returns its claims. @throws A2AError `UNAUTHENTICATED` with the reason. */
export async function verifyJwt(
  token: string,
  key: Uint8Array | JWTVerifyGetKey,
  options: JWTVerifyOptions & { readonly rules: TokenSettings; readonly now: number },
): Promise<JWTPayload> {
  const { jwtVerify } = await import('jose');
  const { rules, now, ...more } = options;
  const all = {
    ...more,
    clockTolerance: rules.clockToleranceSeconds,
    currentDate: new Date(now),
    requiredClaims: ['sub', 'exp'],
  };
  try {
    const { payload } = await (typeof key === 'function' ? jwtVerify(token, key, all) : jwtVerify(token, key, all));
    return payload;
  } catch (error) {
    throw A2AError.is(error) ? error : invalidCredentials(reasonOf(error), error);
  }
}

/** Whether verification failed because of the key, so that another key may match. */
export function isOtherSignature(error: unknown): boolean {
  return A2AError.is(error, 'UNAUTHENTICATED') && codeOf(error.cause) === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
}

/** @throws A2AError `UNAVAILABLE` if neither `audience` nor `publicUrl` is set, because no audience could be checked. */
export function requiredAudience({ audience }: TokenSettings, { publicUrl }: ServedAt): string[] {
  if (audience !== undefined) return [audience].flat();
  if (publicUrl !== undefined) return [...audiencesOf(publicUrl)];
  throw new A2AError(
    'UNAVAILABLE',
    'This agent cannot check the audience of tokens: its operator must set publicUrl or audience',
  );
}

/** The caller of a verified token. Subjects are unique only within an issuer, so the id contains both. */
export async function callerOf(authority: string, payload: JWTPayload, rules: TokenSettings): Promise<Caller> {
  const { sub = '', exp = 0 } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !isName(sub)) {
    throw invalidCredentials(`The sub claim of the token must be a string of 1 to ${MAX_SUBJECT} characters`);
  }
  const claims = payload as JsonObject;
  if ((await rules.isRevoked?.(claims)) === true) throw invalidCredentials('The token has been revoked');
  const tenants = rules.tenants?.(claims);
  const actors = actorsOf(claims);
  return Object.freeze({
    id: `${authority}#${sub}`,
    isVerified: true,
    scopes: scopesOf(payload),
    ...(tenants !== undefined && { tenants }),
    ...(actors.length > 0 && { actors }),
    expiresAt: (exp + rules.clockToleranceSeconds) * 1000,
    claims,
  });
}

/** The most actors of a token. */
const MAX_ACTORS = 16;

/** The chain of actors in the `act` claim (RFC 8693 §4.1): the current actor first, which contains the earlier ones. */
function actorsOf(claims: JsonObject): readonly string[] {
  const actors: string[] = [];
  for (let act = claims['act']; isObject(act) && actors.length < MAX_ACTORS; act = act['act'] as JsonObject) {
    const { sub } = act;
    if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !isName(sub)) {
      throw invalidCredentials('The act claim of the token must name each actor with a sub claim');
    }
    actors.push(sub);
  }
  return actors;
}

/** The scopes of a token: one string separated by spaces (RFC 8693 §4.2), or an array, as some providers send. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp]
    .flat()
    .flatMap((each) => (typeof each === 'string' ? each.split(' ') : []))
    .filter((each) => each !== '');
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The token has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The token is not signed with a key that this agent trusts',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The token is signed with an algorithm that this agent does not accept',
  ERR_JWKS_NO_MATCHING_KEY: 'The token is signed with a key that its issuer does not publish',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'Several keys of the issuer match the token: it needs a kid that names one',
};

/** Also used by `sharedSecret`, which checks the audience itself. */
export const OTHER_AUDIENCE = 'The token was issued for another audience';

const CLAIMS: Readonly<Record<string, string>> = {
  aud: OTHER_AUDIENCE,
  iss: 'The token was issued by an issuer that this agent does not trust',
  nbf: 'The token is not valid yet',
  exp: 'The token has no valid exp claim',
  sub: 'The token has no sub claim',
};

function reasonOf(error: unknown): string {
  const { claim = '' } = error as { readonly claim?: string };
  return REASONS[String(codeOf(error))] ?? CLAIMS[claim] ?? 'The bearer token is not a valid JWT';
}

/**
 * The accepted audiences of an agent: its URL, or its origin, because that is all a client knows before it has read the card.
 * All loopback names are equivalent.
 */
function audiencesOf(publicUrl: string): readonly string[] {
  const url = new URL(publicUrl);
  const hosts = isLoopback(url.hostname) ? [url.hostname, 'localhost', '127.0.0.1', '[::1]'] : [url.hostname];
  const port = url.port === '' ? '' : `:${url.port}`;
  const path = trimEndOf(url.pathname, '/');
  const all = hosts.flatMap((host) => {
    const origin = `${url.protocol}//${host}${port}`;
    return [origin, `${origin}/`, `${origin}${path}`, `${origin}${path}/`];
  });
  return [...new Set(all)];
}

/** Reads one string, or an array of strings that is not empty. */
export function checkTexts(check: Check, value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) return [check.text(value, path)];
  if (value.length === 0) check.fault(path, 'must not be empty');
  return check.list(value, path, 'strings', (item, at) => check.text(item, at));
}
