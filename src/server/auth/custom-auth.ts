import type { Caller } from '../../engine/handler.ts';
import type { SecurityScheme } from '../../model/security.ts';
import { type Check, isObject, kindOf } from '../check.ts';
import type { Authenticated, Authenticator, CustomAuth } from './authenticator.ts';
import { isLater } from './caller-check.ts';
import { BEARER_CHALLENGE } from './credentials.ts';

/** What the card declares for a function that names no schemes: most read a bearer token. */
const BEARER = { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } as const;

/** An authenticator of a function, with the schemes and the challenge that it names. */
export function customAuth({ authenticate, schemes = BEARER, challenge }: CustomAuth): Authenticator {
  const [first] = Object.values(schemes);
  return {
    schemes,
    challenge: challenge ?? (first === undefined ? '' : challengeOf(first)),
    authenticate(request) {
      const found = authenticate(request);
      return isLater(found) ? found.then(orNobody) : orNobody(found);
    },
  };
}

function orNobody(found: Authenticated): Caller | undefined {
  return found ?? undefined;
}

function challengeOf(scheme: SecurityScheme): string {
  if ('httpAuthSecurityScheme' in scheme) return `${scheme.httpAuthSecurityScheme.scheme} realm="a2a"`;
  if ('apiKeySecurityScheme' in scheme) {
    const { location, name } = scheme.apiKeySecurityScheme;
    return apiKeyChallenge(location, name);
  }
  // Both send their tokens as bearer tokens. For client certificates HTTP has no challenge.
  return 'mtlsSecurityScheme' in scheme ? '' : BEARER_CHALLENGE;
}

/** HTTP has no scheme for API keys, but whoever reads this learns what to send. */
export function apiKeyChallenge(location: string, name: string): string {
  return `ApiKey realm="a2a", in="${location}", name="${name}"`;
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
export function checkSchemes(check: Check, value: unknown, path: string): void {
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

export function checkChallenge(check: Check, value: unknown, path: string): void {
  // Anything else cannot be sent in a header.
  const isHeader = typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
  if (value !== undefined && !isHeader) check.fault(path, `must be a text of visible ASCII, not ${kindOf(value)}`);
}
