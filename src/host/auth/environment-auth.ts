import { A2AError } from '../../errors.ts';
import { consoleLog } from '../../observe/console-log.ts';
import type { Check } from '../../support/check.ts';
import type { Authenticator } from './authenticator.ts';
import { bearerTokens } from './bearer-tokens.ts';
import { BEARER_CHALLENGE } from './credentials.ts';
import { environmentVariable, isHostedProduction, UNSET_RETRY_MS } from './hosted.ts';
import { visibleOnly } from './configured-callers.ts';
import { sharedSecret } from './jwt/shared-secret.ts';

const SCHEMES = { apiKey: { httpAuthSecurityScheme: { scheme: 'Bearer' } } } as const;

/**
 * The authenticators of a handler: those of `auth`, and those that the environment configures. `A2A_SECRET` is used if neither
 * `auth` nor `insecurePublic` is set; the variable that `apiKeyEnv` names is always used.
 *
 * @param explicit The authenticators of the option `auth`; undefined if it is not set, or false.
 */
export function withEnvironmentAuth(
  check: Check,
  given: Readonly<Record<string, unknown>>,
  explicit: readonly Authenticator[] | undefined,
): readonly Authenticator[] | undefined {
  const all = [...(explicit ?? [])];
  if (given['auth'] === undefined && given['insecurePublic'] !== true && hasSharedSecret()) all.push(sharedSecret());
  if (given['apiKeyEnv'] !== undefined) {
    const key = apiKeyAuth(check, given['apiKeyEnv'], given['auth'] === false, all.length > 0);
    if (key !== undefined) all.push(key);
  }
  return all.length === 0 ? undefined : all;
}

function hasSharedSecret(): boolean {
  return (environmentVariable('A2A_SECRET') ?? '').trim() !== '';
}

/** A missing key is an error, unless callers can authenticate in another way. In production every request gets 503 instead. */
function apiKeyAuth(check: Check, name: unknown, isAuthOff: boolean, hasOthers: boolean): Authenticator | undefined {
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    // Not quoted, because it may be the key itself.
    check.fault('apiKeyEnv', 'expected the name of an environment variable such as "A2A_API_KEY", not the key');
    return undefined;
  }
  if (isAuthOff) {
    check.fault('apiKeyEnv', 'must not be set if auth is false');
    return undefined;
  }
  const key = (environmentVariable(name) ?? '').trim();
  if (key !== '') {
    const fault = visibleOnly(key);
    if (fault === undefined) return { ...bearerTokens({ [name]: key }), schemes: SCHEMES };
    check.fault('apiKeyEnv', `names ${name}, whose value ${fault}`);
    return undefined;
  }
  if (hasOthers) {
    consoleLog.warn('Environment variable of apiKeyEnv is not set; API keys are rejected', { variable: name });
    return undefined;
  }
  if (!isHostedProduction()) check.fault('apiKeyEnv', `names ${name}, which is not set in the environment`);
  return { schemes: SCHEMES, challenge: BEARER_CHALLENGE, authenticate: () => rejectUnset(name) };
}

function rejectUnset(name: string): never {
  throw new A2AError('UNAVAILABLE', 'This agent cannot check API keys yet: its operator must set the key', {
    cause: new Error(`The environment variable ${name}, which apiKeyEnv names, is not set`),
    retryAfterMs: UNSET_RETRY_MS,
  });
}
