import { type Check, isObject, kindOf } from '../../support/check.ts';
import type { AuthenticateHook, Authenticator, CustomAuth } from './authenticator.ts';
import { customAuth } from './custom-auth.ts';
import { withEnvironmentAuth } from './environment-auth.ts';
import { rejectEmpty } from '../options/option-readers.ts';

/** One way to authenticate callers: an authenticator such as `bearerTokens()`, a function, or a function with its security schemes. */
export type AuthOption = Authenticator | AuthenticateHook | CustomAuth;

/** The authenticators of the option `auth` and of the environment. An empty array is rejected, because no caller could authenticate. */
export function readAuth(check: Check, given: Readonly<Record<string, unknown>>): readonly Authenticator[] | undefined {
  const { auth } = given;
  if (auth === undefined || auth === false) return withEnvironmentAuth(check, given, undefined);
  const all: readonly unknown[] = Array.isArray(auth) ? auth : [auth];
  rejectEmpty(check, auth, 'auth');
  const read = all.map((each, i) => readAuthOption(check, each, Array.isArray(auth) ? `auth[${i}]` : 'auth'));
  return withEnvironmentAuth(check, given, read);
}

function readAuthOption(check: Check, value: unknown, path: string): Authenticator {
  if (typeof value === 'function') return customAuth({ authenticate: value as AuthenticateHook });
  const given = isObject(value) ? (value as Partial<Authenticator>) : {};
  if (typeof given.authenticate !== 'function') {
    const problem = isObject(value) ? ', with the member authenticate' : `, got ${kindOf(value)}`;
    check.fault(path, `expected an authenticator or a function${problem}`);
  }
  checkSchemes(check, given.schemes, `${path}.schemes`);
  checkChallenge(check, given.challenge, `${path}.challenge`);
  const isWhole = given.schemes !== undefined && given.challenge !== undefined;
  return isWhole ? (value as Authenticator) : customAuth(given as CustomAuth);
}

/** A token of RFC 9110 §5.6.2, which needs no quotes in a header. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

type Member = (check: Check, given: Readonly<Record<string, unknown>>, path: string) => void;

const KINDS: Readonly<Record<string, Member>> = {
  apiKeySecurityScheme(check, { location, name }, path) {
    if (location !== 'header' && location !== 'query' && location !== 'cookie') {
      check.fault(`${path}.location`, 'expected "header", "query" or "cookie"');
    }
    if (typeof name !== 'string' || !TOKEN.test(name))
      check.fault(`${path}.name`, 'expected a name such as "x-api-key"');
  },
  httpAuthSecurityScheme(check, { scheme }, path) {
    if (typeof scheme !== 'string' || !TOKEN.test(scheme))
      check.fault(`${path}.scheme`, 'expected a name such as "Bearer"');
  },
  oauth2SecurityScheme(check, { flows }, path) {
    const isOne = isObject(flows) && Object.values(flows).filter((flow) => isObject(flow)).length === 1;
    if (!isOne) check.fault(`${path}.flows`, 'expected an object with one flow, such as { clientCredentials: { … } }');
  },
  openIdConnectSecurityScheme(check, { openIdConnectUrl }, path) {
    check.webAddress(openIdConnectUrl, `${path}.openIdConnectUrl`);
  },
  mtlsSecurityScheme() {},
};

/** Reports invalid `schemes`, because clients could not read a card with them. */
function checkSchemes(check: Check, value: unknown, path: string): void {
  if (value === undefined) return;
  const example = "{ session: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } } }";
  for (const [name, scheme] of Object.entries(check.record(value, path, example) ?? {})) {
    const [kind = '', ...more] = isObject(scheme) ? Object.keys(scheme) : [];
    const member = isObject(scheme) ? scheme[kind] : undefined;
    if (more.length > 0 || !Object.hasOwn(KINDS, kind) || !isObject(member)) {
      check.fault(`${path}.${name}`, `expected an object with one of ${Object.keys(KINDS).join(', ')}`);
    } else KINDS[kind]?.(check, member, `${path}.${name}.${kind}`);
  }
}

function checkChallenge(check: Check, value: unknown, path: string): void {
  // Other characters cannot be sent in a header.
  const isHeader = typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
  if (value !== undefined && !isHeader) check.fault(path, `expected a string of visible ASCII, got ${kindOf(value)}`);
}
