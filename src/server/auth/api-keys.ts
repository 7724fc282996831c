import type { Caller } from '../../engine/handler.ts';
import type { APIKeySecurityScheme } from '../../model/security.ts';
import { isObject } from '../check.ts';
import type { HttpRequest } from '../http.ts';
import type { Authenticator } from './authenticator.ts';
import { invalidCredentials } from './credentials.ts';
import { apiKeyChallenge } from './custom-auth.ts';
import { type CallerGrants, KnownCallers, visibleOnly } from './known-callers.ts';

/** A caller with a key; with several all are valid, such as an old and a new one. */
export type KeyCaller = string | ({ readonly key: string | readonly string[] } & CallerGrants);

export interface ApiKeysOptions {
  /** The header that has the key, `x-api-key` if neither this nor `query` is set. */
  readonly header?: string;
  /** The parameter of the query that has it. Addresses end up in logs: take a header if you can. */
  readonly query?: string;
  readonly keys: Readonly<Record<string, KeyCaller | undefined>>;
}

/**
 * Knows callers by fixed keys in a header or in the query.
 *
 * @example
 * apiKeys({ header: 'x-api-key', keys: { alice: process.env.ALICE_KEY } })
 *
 * @throws TypeError that names what is wrong.
 */
export function apiKeys(options: ApiKeysOptions): Authenticator {
  const scheme = placeOf(options);
  const { name, location } = scheme;
  const known = new KnownCallers(options.keys, { what: 'apiKeys()', member: 'key', secretFault: visibleOnly });
  const read = location === 'query' ? fromQuery(name) : fromHeader(name.toLowerCase());
  return {
    schemes: { apiKey: { apiKeySecurityScheme: scheme } },
    challenge: apiKeyChallenge(location, name),
    authenticate(request) {
      const key = read(request);
      if (key === undefined) return undefined;
      const found = known.find(key);
      return found !== undefined && 'then' in found ? found.then(knownKey) : knownKey(found);
    },
  };
}

function placeOf(options: unknown): APIKeySecurityScheme {
  if (!isObject(options)) throw new TypeError(`apiKeys() takes an object like { header: 'x-api-key', keys: { … } }`);
  const { header, query } = options;
  if (header !== undefined && query !== undefined) throw new TypeError('apiKeys() takes header or query, not both');
  const name = query ?? header ?? 'x-api-key';
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.-]+$/.test(name)) {
    throw new TypeError('apiKeys() needs a name of letters, digits, "_", "." and "-" for its header or query');
  }
  return { location: query === undefined ? 'header' : 'query', name };
}

function fromHeader(name: string): (request: HttpRequest) => string | undefined {
  return (request) => request.header(name);
}

function fromQuery(name: string): (request: HttpRequest) => string | undefined {
  return ({ query }) => (query === '' ? undefined : (new URLSearchParams(query).get(name) ?? undefined));
}

function knownKey(caller: Caller | undefined): Caller {
  if (caller === undefined) throw invalidCredentials('The API key is not one that this agent knows');
  return caller;
}
