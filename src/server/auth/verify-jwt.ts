import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { isName } from '../../support/name.ts';
import { audiencesOf } from './audience.ts';
import type { ServedAt } from './authenticator.ts';
import { invalidCredentials } from './credentials.ts';

/** What is asked of every token, whoever has signed it. */
export interface TokenRules {
  /** Whom tokens must be for: the public address of the agent, or its origin, if not set. */
  readonly audience?: string | readonly string[];
  /** By how much clocks may differ, 30 if not set. */
  readonly clockToleranceSeconds?: number;
  /** Says that a token counts no more. Asked when a token comes for the first time, and then once a minute at most. */
  readonly isRevoked?: (claims: JsonObject) => boolean | Promise<boolean>;
  /** The tenants that a caller may call for, by what his token says; any if it gives `undefined`, or is not set. */
  readonly tenants?: (claims: JsonObject) => readonly string[] | undefined;
}

const TOLERANCE_SECONDS = 30;
const MAX_SUBJECT = 255;

/** The claims of a token that one key has signed. @throws A2AError `UNAUTHENTICATED` that says what is wrong with it. */
export async function verifyJwt(
  token: string,
  key: Uint8Array | JWTVerifyGetKey,
  options: JWTVerifyOptions & { readonly rules: TokenRules; readonly now: number },
): Promise<JWTPayload> {
  const { jwtVerify } = await import('jose');
  const { rules, now, ...more } = options;
  const all = {
    ...more,
    clockTolerance: toleranceOf(rules),
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

/** Whether the key was the wrong one, so that another may be right. */
export function isOtherSignature(error: unknown): boolean {
  return A2AError.is(error, 'UNAUTHENTICATED') && codeOf(error.cause) === 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
}

/** @throws A2AError `UNAVAILABLE`: whoever does not know his own address cannot say which tokens are for him. */
export function requiredAudience({ audience }: TokenRules, { publicUrl }: ServedAt): string[] {
  if (audience !== undefined) return [audience].flat();
  if (publicUrl !== undefined) return [...audiencesOf(publicUrl)];
  throw new A2AError(
    'UNAVAILABLE',
    'This agent does not know which tokens are for it: it needs the option publicUrl, or audience',
  );
}

/** The caller that a verified token tells of. Subjects are only unique for whoever has issued them, so both are in the id. */
export async function callerOf(authority: string, payload: JWTPayload, rules: TokenRules): Promise<Caller> {
  const { sub = '', exp = 0 } = payload;
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT || !isName(sub)) {
    throw invalidCredentials(`The subject of the token must be a text of 1 to ${MAX_SUBJECT} characters`);
  }
  const claims = payload as JsonObject;
  if ((await rules.isRevoked?.(claims)) === true) throw invalidCredentials('The token was revoked');
  const tenants = rules.tenants?.(claims);
  return Object.freeze({
    id: `${authority}#${sub}`,
    isVerified: true,
    scopes: scopesOf(payload),
    ...(tenants !== undefined && { tenants }),
    expiresAt: (exp + toleranceOf(rules)) * 1000,
    claims,
  });
}

/** In one text with spaces (RFC 8693 §4.2), or in a list, as some providers have it. */
function scopesOf({ scope, scp }: JWTPayload): readonly string[] {
  return [scope, scp]
    .flat()
    .flatMap((each) => (typeof each === 'string' ? each.split(' ') : []))
    .filter((each) => each !== '');
}

function toleranceOf({ clockToleranceSeconds = TOLERANCE_SECONDS }: TokenRules): number {
  return clockToleranceSeconds;
}

function codeOf(error: unknown): unknown {
  return (error as { readonly code?: unknown } | undefined)?.code;
}

const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'The token has expired',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The signature of the token is not one that this agent trusts',
  ERR_JOSE_ALG_NOT_ALLOWED: 'The token is signed by an algorithm that this agent does not take',
  ERR_JWKS_NO_MATCHING_KEY: 'The key that has signed the token is not one of its issuer',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'The token does not say which key of its issuer has signed it',
};

const CLAIMS: Readonly<Record<string, string>> = {
  aud: 'The token is for another audience than this agent',
  iss: 'The issuer of the token is not one that this agent trusts',
  nbf: 'The token is not valid yet',
  exp: 'The token does not say when it expires',
  sub: 'The token does not say whom it is about',
};

function reasonOf(error: unknown): string {
  const { claim = '' } = error as { readonly claim?: string };
  return REASONS[String(codeOf(error))] ?? CLAIMS[claim] ?? 'The bearer token is not a valid JWT';
}
