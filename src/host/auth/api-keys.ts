import type { APIKeySecurityScheme } from '../../model/security.ts';
import { isObject } from '../../support/check.ts';
import type { HttpRequest } from '../http.ts';
import type { Authenticator } from './authenticator.ts';
import { apiKeyChallenge } from './custom-auth.ts';
import { type CallerGrants, ConfiguredCallers, visibleOnly } from './configured-callers.ts';

/** A key, or several that are all valid for rotation, with scopes and tenants. */
export type KeyCaller =
  | string
  | ({
      /** The key, or several valid keys. */
      readonly key: string | readonly string[];
    } & CallerGrants);

/** Options of `apiKeys()`. Set `header` or `query`, not both. */
export interface ApiKeysOptions {
  /** The header that contains the key. Default: `x-api-key`, unless `query` is set. */
  readonly header?: string;
  /** The query parameter that contains the key. URLs end up in logs, so prefer a header. */
  readonly query?: string;
  /** The keys by caller id. Use long random values: `openssl rand -hex 32`. */
  readonly keys: Readonly<Record<string, KeyCaller | undefined>>;
}

/**
 * Authenticates callers by fixed API keys in a header or a query parameter.
 *
 * @example
 * apiKeys({ header: 'x-api-key', keys: { alice: process.env.ALICE_KEY } })
 *
 * @throws TypeError that lists every problem, such as an empty or missing key.
 */
export function apiKeys(options: ApiKeysOptions): Authenticator {
  const scheme = schemeOf(options);
  const { name, location } = scheme;
  const known = new ConfiguredCallers(options.keys, { what: 'apiKeys()', member: 'key', secretFault: visibleOnly });
  const read = location === 'query' ? fromQuery(name) : fromHeader(name.toLowerCase());
  return {
    schemes: { apiKey: { apiKeySecurityScheme: scheme } },
    challenge: apiKeyChallenge(location, name),
    authenticate(request) {
      const key = read(request);
      return key === undefined ? undefined : known.authenticate(key, 'Invalid API key');
    },
  };
}

function schemeOf(options: unknown): APIKeySecurityScheme {
  if (!isObject(options))
    throw new TypeError(`apiKeys() expects an object such as { header: 'x-api-key', keys: { … } }`);
  const { header, query } = options;
  if (header !== undefined && query !== undefined) throw new TypeError('apiKeys() expects header or query, not both');
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
