import type { Caller } from '../../engine/handler.ts';
import { isName } from '../../support/name.ts';
import { sha256 } from '../../support/sha256.ts';
import { Check, isObject, kindOf } from '../check.ts';

/** What may be said of a caller beside its name. */
export interface CallerGrants {
  /** What it may do, in words of yours; nothing that asks for a scope if not set. */
  readonly scopes?: readonly string[];
  /** The tenants it may call for; any if not set. */
  readonly tenants?: readonly string[];
}

interface Entry {
  readonly caller: Caller;
  readonly secrets: readonly string[];
}

/** How the callers of one authenticator are written down. */
export interface CallerForm {
  /** For errors: `bearerTokens()`. */
  readonly what: string;
  /** The member that has the secret: `token`. */
  readonly member: string;
  /** What else is wrong with a name or a secret, for a header or a login can hold less than a text. */
  nameFault?(name: string): string | undefined;
  secretFault(secret: string): string | undefined;
  /** What a caller proves himself with; the secret if not set. */
  proof?(name: string, secret: string): string;
}

const MAX_NAME = 255;

/**
 * Callers by what they prove themselves with. Only digests are kept and compared: how long a look takes says nothing
 * about a secret, for nobody can choose what his guess is hashed to, and a guess can be of any length and any bytes.
 */
export class KnownCallers {
  readonly #byDigest = new Map<string, Caller>();
  readonly #loading: Promise<unknown> | undefined;

  /** @throws TypeError that names everything that is wrong, and no secret. */
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

  find(proof: string): Caller | undefined | Promise<Caller | undefined> {
    const digest = sha256(proof);
    return typeof digest === 'string' ? this.#byDigest.get(digest) : this.#findLater(digest);
  }

  async #findLater(digest: Promise<string>): Promise<Caller | undefined> {
    await this.#loading;
    return this.#byDigest.get(await digest);
  }
}

function readCallers(given: unknown, form: CallerForm): readonly Entry[] {
  const check = new Check();
  const { what, member } = form;
  if (!isObject(given)) throw new TypeError(`${what} takes an object like { alice: '…' }, not ${kindOf(given)}`);
  const names = Object.keys(given);
  if (names.length === 0) throw new TypeError(`${what} needs one caller at least: without any nobody could call`);
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
      if (owner !== undefined) check.fault(path, `is the same as one of ${owner}: each must be of one caller`);
      owners.set(proof, name);
    }
    const scopes = readWords(check, grants['scopes'], `${name}.scopes`);
    const tenants = readWords(check, grants['tenants'], `${name}.tenants`);
    const caller = { id: name, isVerified: true, ...(scopes && { scopes }), ...(tenants && { tenants }) };
    return { caller: Object.freeze(caller), secrets };
  });
  check.finish(`${what} cannot use these callers:`);
  return entries;
}

/** Tokens of others become ids with a `#` in them, so that nobody can get such a token for a name that stands here. */
function nameFault(name: string): string | undefined {
  if (name === 'anonymous') return 'is what callers are called whom nobody knows';
  if (name.trim() === '' || name.length > MAX_NAME) return `must have 1 to ${MAX_NAME} characters`;
  return name.includes('#') || !isName(name) ? 'must have neither # nor NUL' : undefined;
}

function readSecrets(check: Check, value: unknown, path: string, form: CallerForm): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (all.length === 0) check.fault(path, 'must name one at least');
  return all.map((secret, i) => {
    const at = Array.isArray(value) ? `${path}[${i}]` : path;
    if (typeof secret !== 'string' || secret === '') check.fault(at, `must be a text, not ${kindOf(secret)}`);
    else {
      const fault = form.secretFault(secret);
      if (fault !== undefined) check.fault(at, fault);
    }
    return String(secret);
  });
}

function readWords(check: Check, value: unknown, path: string): readonly string[] | undefined {
  if (value === undefined) return undefined;
  return Object.freeze(check.list(value, path, 'texts', (item, at) => check.text(item, at)));
}

/** For what travels in a header or an address as it is. */
export function visibleOnly(secret: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(secret) ? undefined : 'must have visible ASCII characters only, as headers do';
}
