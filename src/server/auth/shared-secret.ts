import type { JWTPayload } from 'jose';
import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';
import { consoleLog } from '../../observe/console-log.ts';
import { Check, isObject, kindOf } from '../check.ts';
import type { Authenticator, ServedAt } from './authenticator.ts';
import { BEARER_CHALLENGE, invalidCredentials } from './credentials.ts';
import { environmentVariable, isHostedProduction, UNSET_RETRY_MS } from './hosted.ts';
import { jwtAuthenticator } from './jwt-authenticator.ts';
import { checkRules, checkTexts, RULE_KEYS } from './token-rules.ts';
import { callerOf, isOtherSignature, requiredAudience, type TokenRules, verifyJwt } from './verify-jwt.ts';

type Secrets = string | readonly string[] | undefined;

export interface SharedSecretOptions extends TokenRules {
  /** `A2A_SECRET` of the environment if neither this nor `secrets` is set. At least 32 random characters. */
  readonly secret?: string;
  /** Several that are valid together, such as an old and a new one. */
  readonly secrets?: readonly string[];
  /**
   * The secrets of organisations, for tokens that name theirs as `org_domain` and that no other secret has signed: an object by
   * domain, such as `{ 'acme.com': secret }`, or a function that finds them.
   */
  readonly orgs?: Readonly<Record<string, Secrets>> | ((domain: string) => Secrets | Promise<Secrets>);
}

const SCHEMES = { jwt: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } } as const;
const MISSING = 'sharedSecret() has no secret: set A2A_SECRET in the environment, or give secret, secrets or orgs';
/** A key should have as many as the hash it is for (RFC 7518 §3.2). Secrets that peers have agreed on may be shorter. */
const MIN_BYTES = 32;
const SHORT = `A shared secret has fewer than ${MIN_BYTES} bytes: whoever has a token can find it out by trying. openssl rand -hex 32 makes a good one`;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i;

/**
 * Knows callers by a JWT (HS256) that they have signed with a secret which the agent has too: `sub` says who it is,
 * `exp` until when, `aud` for whom if it is there, `org_domain` of which organisation.
 *
 * The caller's id is `shared#<sub>`, of an organisation `org:<domain>#<sub>`: whoever has the secret of one organisation
 * can be nobody of another, and nobody without one. Whoever has the shared secret can be anybody.
 *
 * @throws TypeError that names what is wrong. In production a missing secret is none of these: every request gets 503.
 */
export function sharedSecret(options: SharedSecretOptions = {}, now: () => number = Date.now): Authenticator {
  const keys = readOptions(options).map(keyOf);
  if (keys.some(({ length }) => length < MIN_BYTES)) consoleLog.warn(SHORT);
  const orgs = orgLookup(options.orgs);
  if (keys.length === 0 && orgs === undefined) {
    if (!isHostedProduction()) throw new TypeError(MISSING);
    return { schemes: SCHEMES, challenge: BEARER_CHALLENGE, authenticate: unusable };
  }
  const verify = async (token: string, servedAt: ServedAt): Promise<Caller> => {
    const domain = await domainOf(token);
    const rules = { rules: options, now: now(), algorithms: ['HS256'] };
    const found = await firstSigned(keys, token, rules);
    const payload =
      found ?? (domain === undefined ? undefined : await firstSigned(await orgKeys(orgs, domain), token, rules));
    if (payload === undefined) throw invalidCredentials('The signature of the token is not one that this agent trusts');
    requireAudience(payload, options, servedAt);
    return callerOf(domain === undefined ? 'shared' : `org:${domain}`, payload, options);
  };
  return jwtAuthenticator(SCHEMES, verify, now);
}

function readOptions(options: unknown): readonly string[] {
  const check = new Check();
  const given = isObject(options) ? options : {};
  if (!isObject(options)) check.fault('options', `must be an object, not ${kindOf(options)}`);
  check.keys(given, ['secret', 'secrets', 'orgs', ...RULE_KEYS], '');
  const { secret, secrets, orgs } = given;
  const read = [
    ...(secret === undefined ? [] : [check.text(secret, 'secret')]),
    ...(secrets === undefined ? [] : checkTexts(check, secrets, 'secrets')),
  ];
  if (isObject(orgs)) {
    for (const [domain, value] of Object.entries(orgs)) {
      if (!DOMAIN.test(domain)) check.fault(`orgs.${domain}`, 'must be a domain name such as "acme.com"');
      checkTexts(check, value, `orgs.${domain}`);
    }
  } else if (orgs !== undefined && typeof orgs !== 'function') {
    check.fault('orgs', `must be an object of secrets by domain, or a function, not ${kindOf(orgs)}`);
  }
  checkRules(check, given);
  check.finish('sharedSecret() cannot use these options:');
  const fromEnvironment = environmentVariable('A2A_SECRET') ?? '';
  return read.length > 0 || fromEnvironment.trim() === '' ? read : [fromEnvironment];
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

/** Also for who has brought nothing: he would be told to bring what nobody can check. */
function unusable(): never {
  throw new A2AError('UNAVAILABLE', 'This agent cannot check tokens: its operator has to set A2A_SECRET', {
    cause: new Error(MISSING),
    retryAfterMs: UNSET_RETRY_MS,
  });
}

/** The organisation that a token names, before anybody has checked it. */
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
    const message = 'The secrets of organisations cannot be read at the moment';
    throw new A2AError('UNAVAILABLE', message, { cause, retryAfterMs: 5000 });
  }
  // An empty secret would let everybody sign.
  return [found].flat().flatMap((secret) => (typeof secret === 'string' && secret !== '' ? [keyOf(secret)] : []));
}

/** The claims, if one of the keys has signed them. @throws A2AError for what is wrong beside the signature. */
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

/** Not every peer says whom its tokens are for, but what is said counts. */
function requireAudience({ aud }: JWTPayload, rules: TokenRules, servedAt: ServedAt): void {
  if (aud === undefined && rules.audience === undefined) return;
  const own = requiredAudience(rules, servedAt);
  if (![aud].flat().some((each) => each !== undefined && own.includes(each))) {
    throw invalidCredentials('The token is for another audience than this agent');
  }
}
