import { type Check, isObject, kindOf } from '../check.ts';
import type { AuthenticateHook, Authenticator, CustomAuth } from './authenticator.ts';
import { customAuth } from './custom-auth.ts';

/** One way to authenticate callers: `bearerTokens()` and the like, a function, or a function with the schemes of the card. */
export type AuthOption = Authenticator | AuthenticateHook | CustomAuth;

/** Reads one entry of `auth` as the user wrote it. */
export function readAuthOption(check: Check, value: unknown, path: string): Authenticator {
  if (typeof value === 'function') return customAuth({ authenticate: value as AuthenticateHook });
  const given = isObject(value) ? (value as Partial<Authenticator>) : {};
  if (typeof given.authenticate !== 'function') {
    const but = isObject(value) ? ', with authenticate' : `, not ${kindOf(value)}`;
    check.fault(path, `must be an authenticator, or a function${but}`);
  }
  checkSchemes(check, given.schemes, `${path}.schemes`);
  checkChallenge(check, given.challenge, `${path}.challenge`);
  const isWhole = given.schemes !== undefined && given.challenge !== undefined;
  return isWhole ? (value as Authenticator) : customAuth(given as CustomAuth);
}

/** RFC 9110 §5.6.2: what a header can name without quotes. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

type Member = (check: Check, given: Readonly<Record<string, unknown>>, path: string) => void;

const KINDS: Readonly<Record<string, Member>> = {
  apiKeySecurityScheme(check, { location, name }, path) {
    if (location !== 'header' && location !== 'query' && location !== 'cookie') {
      check.fault(`${path}.location`, 'must be "header", "query" or "cookie"');
    }
    if (typeof name !== 'string' || !TOKEN.test(name))
      check.fault(`${path}.name`, 'must be a name such as "x-api-key"');
  },
  httpAuthSecurityScheme(check, { scheme }, path) {
    if (typeof scheme !== 'string' || !TOKEN.test(scheme))
      check.fault(`${path}.scheme`, 'must be a name such as "Bearer"');
  },
  oauth2SecurityScheme(check, { flows }, path) {
    const isOne = isObject(flows) && Object.values(flows).filter((flow) => isObject(flow)).length === 1;
    if (!isOne) check.fault(`${path}.flows`, 'must be an object with one flow, such as { clientCredentials: { … } }');
  },
  openIdConnectSecurityScheme(check, { openIdConnectUrl }, path) {
    check.webAddress(openIdConnectUrl, `${path}.openIdConnectUrl`);
  },
  mtlsSecurityScheme() {},
};

/** Notes what is wrong with `schemes`: a card with such an entry could not be read. */
function checkSchemes(check: Check, value: unknown, path: string): void {
  if (value === undefined) return;
  const example = "{ session: { apiKeySecurityScheme: { location: 'cookie', name: 'sid' } } }";
  for (const [name, scheme] of Object.entries(check.record(value, path, example) ?? {})) {
    const [kind = '', ...more] = isObject(scheme) ? Object.keys(scheme) : [];
    const member = isObject(scheme) ? scheme[kind] : undefined;
    if (more.length > 0 || !Object.hasOwn(KINDS, kind) || !isObject(member)) {
      check.fault(`${path}.${name}`, `must be an object with one of ${Object.keys(KINDS).join(', ')}`);
    } else KINDS[kind]?.(check, member, `${path}.${name}.${kind}`);
  }
}

function checkChallenge(check: Check, value: unknown, path: string): void {
  // Anything else cannot be sent in a header.
  const isHeader = typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
  if (value !== undefined && !isHeader) check.fault(path, `must be a text of visible ASCII, not ${kindOf(value)}`);
}
