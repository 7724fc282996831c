import type { Caller } from '../../engine/handler.ts';
import { isName } from '../../support/name.ts';
import { sha256 } from '../../support/secret/sha256.ts';
import { Check, isObject, kindOf } from '../../support/check.ts';
import { invalidCredentials } from './authentication-errors.ts';

/** The permissions of a caller with fixed credentials. */
export interface CallerGrants {
  /** The scopes of the caller. You define their names. Default: none. */
  readonly scopes?: readonly string[];
  /** The tenants that the caller can access. Default: any. */
  readonly tenants?: readonly string[];
}

interface Entry {
  readonly caller: Caller;
  readonly secrets: readonly string[];
}

/** The format in which one authenticator lists its callers. */
export interface CallerForm {
  /** The name for error messages, such as `bearerTokens()`. */
  readonly what: string;
  /** The member that contains the secret, such as `token`. */
  readonly member: string;
  /** Why a name or a secret cannot be used; undefined if it can. Headers and logins allow fewer characters than strings. */
  nameFault?(name: string): string | undefined;
  secretFault(secret: string): string | undefined;
  /** The value that the caller sends; the secret if not set. */
  proof?(name: string, secret: string): string;
}

const MAX_NAME = 255;

/**
 * Finds callers by their credentials. Only SHA-256 digests are kept and looked up: the time of a lookup reveals nothing about a
 * secret, because an attacker cannot choose the digest of a guess.
 */
export class ConfiguredCallers {
  readonly #byDigest = new Map<string, Caller>();
  readonly #loading: Promise<unknown> | undefined;

  /** @throws TypeError that lists every problem without quoting a secret. */
  constructor(given: unknown, form: CallerForm) {
    const loads: Promise<unknown>[] = [];
    for (const { caller, secrets } of readCallers(given, form)) {
      for (const secret of secrets) {
        const digest = sha256(form.proof?.(caller.id, secret) ?? secret);
        if (typeof digest === 'string') this.#byDigest.set(digest, caller);
        else loads.push(digest.then((later) => this.#byDigest.set(later, caller)));
      }
    }
    if (loads.length > 0) this.#loading = Promise.all(loads);
  }

  /** The caller with these credentials. @throws A2AError `UNAUTHENTICATED` with the message if there is none. */
  authenticate(proof: string, message: string): Caller | Promise<Caller> {
    const digest = sha256(proof);
    return typeof digest === 'string' ? this.#callerOf(digest, message) : this.#callerLater(digest, message);
  }

  async #callerLater(digest: Promise<string>, message: string): Promise<Caller> {
    await this.#loading;
    return this.#callerOf(await digest, message);
  }

  #callerOf(digest: string, message: string): Caller {
    const caller = this.#byDigest.get(digest);
    if (caller === undefined) throw invalidCredentials(message);
    return caller;
  }
}

function readCallers(given: unknown, form: CallerForm): readonly Entry[] {
  const check = new Check();
  const { what, member } = form;
  if (!isObject(given)) throw new TypeError(`${what} expects an object such as { alice: '…' }, got ${kindOf(given)}`);
  const names = Object.keys(given);
  if (names.length === 0) throw new TypeError(`${what} needs at least one caller`);
  const owners = new Map<string, string>();
  const entries = names.map((name): Entry => {
    const fault = nameFault(name) ?? form.nameFault?.(name);
    if (fault !== undefined) check.fault(name, fault);
    const value = given[name];
    const grants = isObject(value) ? value : {};
    if (isObject(value)) check.keys(value, [member, 'scopes', 'tenants'], `${name}.`);
    const path = isObject(value) ? `${name}.${member}` : name;
    const secrets = readSecrets(check, isObject(value) ? value[member] : value, path, form);
    for (const secret of secrets) {
      const proof = form.proof?.(name, secret) ?? secret;
      const owner = owners.get(proof);
      if (owner !== undefined) check.fault(path, `is already used by ${owner}; each caller needs its own`);
      owners.set(proof, name);
    }
    const scopes = readWords(check, grants['scopes'], `${name}.scopes`);
    const tenants = readWords(check, grants['tenants'], `${name}.tenants`);
    const caller = { id: name, isVerified: true, ...(scopes && { scopes }), ...(tenants && { tenants }) };
    return { caller: Object.freeze(caller), secrets };
  });
  check.finish(`Invalid callers for ${what}:`);
  return entries;
}

/** Ids derived from JWTs contain a `#`. Names here must not, so that no JWT can impersonate a caller listed here. */
function nameFault(name: string): string | undefined {
  if (name === 'anonymous') return 'is reserved for anonymous callers';
  if (name.trim() === '' || name.length > MAX_NAME) return `must have 1 to ${MAX_NAME} characters`;
  return name.includes('#') || !isName(name) ? 'must not contain # or NUL' : undefined;
}

function readSecrets(check: Check, value: unknown, path: string, form: CallerForm): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) check.fault(path, 'must not be empty');
  return all.map((secret, i) => {
    const at = Array.isArray(value) ? `${path}[${i}]` : path;
    if (typeof secret !== 'string' || secret === '') check.fault(at, `expected a string, got ${kindOf(secret)}`);
    else {
      const fault = form.secretFault(secret);
      if (fault !== undefined) check.fault(at, fault);
    }
    return String(secret);
  });
}

function readWords(check: Check, value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  return Object.freeze(check.list(value, path, 'strings', (item, at) => check.text(item, at)));
}

/** For secrets that are sent in a header or a URL without encoding. */
export function visibleOnly(secret: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(secret) ? undefined : 'must contain only visible ASCII characters';
}
