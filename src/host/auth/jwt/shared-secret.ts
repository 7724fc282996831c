import type { JWTPayload } from 'jose';
import type { Caller } from '../../../engine/handler.ts';
import { A2AError } from '../../../errors.ts';
import { consoleLog } from '../../../observe/console-log.ts';
import { Check, isObject, kindOf } from '../../../support/check.ts';
import { option, type OptionTable, readTable, type Settings, text } from '../../../support/options.ts';
import type { Authenticator, ServedAt } from '../authenticator.ts';
import { invalidCredentials } from '../authentication-errors.ts';
import { BEARER_CHALLENGE } from '../credentials.ts';
import { environmentVariable, isHostedProduction, UNSET_RETRY_MS } from '../hosted.ts';
import { jwtAuthenticator } from './jwt-authenticator.ts';
import {
  checkTexts,
  TOKEN_RULES,
  type TokenSettings,
  callerOf,
  isOtherSignature,
  OTHER_AUDIENCE,
  requiredAudience,
  type TokenRules,
  verifyJwt,
} from './verify-jwt.ts';

/** One secret, several valid secrets, or none. */
type Secrets = string | readonly string[] | undefined;

/** Options of `sharedSecret()`. */
export interface SharedSecretOptions extends TokenRules {
  /** The secret, at least 32 random bytes. Default: the environment variable `A2A_SECRET`, unless `secrets` is set. */
  readonly secret?: string;
  /** Several secrets that are all valid, for rotation. */
  readonly secrets?: readonly string[];
  /**
   * The secrets of organizations, for tokens with an `org_domain` claim that no other secret has signed: an object by domain, such as
   * `{ 'acme.com': secret }`, or a function that looks them up. Default: none.
   */
  readonly orgs?: Readonly<Record<string, Secrets>> | ((domain: string) => Secrets | Promise<Secrets>);
}

const SCHEMES = { jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } } as const;
const MISSING = 'sharedSecret() needs a secret: set A2A_SECRET in the environment, or pass secret, secrets or orgs';
/** A key must be as long as the hash (RFC 7518 §3.2). Shorter ones only log a warning, because peers may have agreed on them. */
const MIN_BYTES = 32;
const SHORT = `Shared secret is shorter than ${MIN_BYTES} bytes, so it can be guessed from a token. Generate one with: openssl rand -hex 32`;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

/** The options of `sharedSecret()`. */
export const SHARED_SECRET = {
  secret: text(),
  secrets: option((check, value, path) => checkTexts(check, value, path)),
  orgs: option((check, value, path) => {
    if (!isObject(value) && typeof value !== 'function')
      check.fault(path, `expected an object of secrets by domain, or a function, got ${kindOf(value)}`);
    for (const [domain, secrets] of Object.entries(isObject(value) ? value : {})) {
      if (!DOMAIN.test(domain)) check.fault(`${path}.${domain}`, 'expected a domain name such as "acme.com"');
      checkTexts(check, secrets, `${path}.${domain}`);
    }
    return value as NonNullable<SharedSecretOptions['orgs']>;
  }),
  ...TOKEN_RULES,
} as const satisfies OptionTable<SharedSecretOptions>;

/**
 * Authenticates callers by a JWT (HS256) signed with a secret that the agent shares. The claims `sub` and `exp` are required. `aud`
 * is checked if it is present, or if `audience` is set. `org_domain` names the organization.
 *
 * The caller's id is `shared#<sub>`, or `org:<domain>#<sub>` for an organization. A token signed with the secret of an organization
 * cannot act for another organization, or outside of one. A token signed with the shared secret can act for any caller.
 *
 * @example
 * sharedSecret({ secret: process.env.AGENT_SECRET })
 *
 * @throws TypeError that lists every invalid option. A missing secret throws, too, except in production, where every request gets 503.
 */
export function sharedSecret(options: SharedSecretOptions = {}, now: () => number = Date.now): Authenticator {
  const check = new Check();
  const settings = readTable(check, check.options(options), SHARED_SECRET);
  check.finish('Invalid options for sharedSecret():');
  const keys = secretsIn(settings).map(keyOf);
  if (keys.some(({ length }) => length < MIN_BYTES)) consoleLog.warn(SHORT);
  const orgs = orgLookup(settings.orgs);
  if (keys.length === 0 && orgs === undefined) {
    if (!isHostedProduction()) throw new TypeError(MISSING);
    return { schemes: SCHEMES, challenge: BEARER_CHALLENGE, authenticate: unusable };
  }
  const verify = async (token: string, servedAt: ServedAt): Promise<Caller> => {
    const domain = await domainOf(token);
    const rules = { rules: settings, now: now(), algorithms: ['HS256'] };
    const found = await firstSigned(keys, token, rules);
    const payload =
      found ?? (domain === undefined ? undefined : await firstSigned(await orgKeys(orgs, domain), token, rules));
    if (payload === undefined) throw invalidCredentials('The token is not signed with a key that this agent trusts');
    requireAudience(payload, settings, servedAt);
    return callerOf(domain === undefined ? 'shared' : `org:${domain}`, payload, settings);
  };
  return jwtAuthenticator(SCHEMES, verify, now);
}

function secretsIn({ secret, secrets = [] }: Settings<typeof SHARED_SECRET>): readonly string[] {
  const read = [...(secret === undefined ? [] : [secret]), ...secrets];
  const fromEnvironment = environmentVariable('A2A_SECRET') ?? '';
  return read.length > 0 || fromEnvironment.trim() === '' ? read : [fromEnvironment];
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

/** Rejects requests without credentials, too, because no credentials could be verified. */
function unusable(): never {
  throw new A2AError('UNAVAILABLE', 'This agent cannot verify tokens yet: its operator must set A2A_SECRET', {
    cause: new Error(MISSING),
    retryAfterMs: UNSET_RETRY_MS,
  });
}

/** The `org_domain` claim of a token that is not verified yet. */
async function domainOf(token: string): Promise<string | undefined> {
  const { decodeJwt } = await import('jose');
  let domain: unknown;
  try {
    domain = decodeJwt(token)['org_domain'];
  } catch (error) {
    throw invalidCredentials('The bearer token is not a valid JWT', error);
  }
  if (domain === undefined || domain === null) return undefined;
  if (typeof domain === 'string' && DOMAIN.test(domain)) return domain.toLowerCase();
  throw invalidCredentials('The org_domain of the token is not a domain name');
}

type OrgLookup = (domain: string) => Secrets | Promise<Secrets>;

function orgLookup(orgs: SharedSecretOptions['orgs']): OrgLookup | undefined {
  if (orgs === undefined || typeof orgs === 'function') return orgs;
  const byDomain = new Map(Object.entries(orgs).map(([domain, secrets]) => [domain.toLowerCase(), secrets]));
  return (domain) => byDomain.get(domain);
}

async function orgKeys(orgs: OrgLookup | undefined, domain: string): Promise<readonly Uint8Array[]> {
  let found: Secrets;
  try {
    found = await orgs?.(domain);
  } catch (cause) {
    const message = 'Cannot look up the secrets of organizations at the moment. Retry later.';
    throw new A2AError('UNAVAILABLE', message, { cause, retryAfterMs: 5000 });
  }
  // With an empty secret anyone could sign tokens.
  return [found].flat().flatMap((secret) => (typeof secret === 'string' && secret !== '' ? [keyOf(secret)] : []));
}

/** The claims, if one of the keys has signed them. @throws A2AError for any problem except the signature. */
async function firstSigned(
  keys: readonly Uint8Array[],
  token: string,
  options: Parameters<typeof verifyJwt>[2],
): Promise<JWTPayload | undefined> {
  for (const key of keys) {
    try {
      return await verifyJwt(token, key, options);
    } catch (error) {
      if (!isOtherSignature(error)) throw error;
    }
  }
  return undefined;
}

/** Not every peer sets `aud`, but if it is set, it must match. */
function requireAudience({ aud }: JWTPayload, rules: TokenSettings, servedAt: ServedAt): void {
  if (aud === undefined && rules.audience === undefined) return;
  const own = requiredAudience(rules, servedAt);
  if (![aud].flat().some((each) => each !== undefined && own.includes(each))) {
    throw invalidCredentials(OTHER_AUDIENCE);
  }
}
