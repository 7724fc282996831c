import { A2AError } from '../../errors.ts';
import { verifyCard } from '../../wire/card/signing/card-signature.ts';
import { type CardKey, type CardKeys, type CardSignatureHeader, findKey } from '../../wire/card/card-signature-key.ts';
import { isObject } from '../../wire/codec.ts';
import { parseJson } from '../request/binding.ts';
import type { CallScope } from '../request/call-scope.ts';
import type { CardTrust } from './card-trust.ts';
import { exchange, type ClientContext } from '../request/exchange.ts';
import { parseUrl, Trust } from '../request/trust.ts';

/**
 * Returns the card as it was signed, without members that the signature does not cover. A card without a signature is returned
 * unchanged if the mode allows it.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE` if no signature is valid for a trusted key.
 */
export async function verifiedCard(
  context: ClientContext,
  scope: CallScope,
  json: unknown,
  { mode = 'required', keys, keyOrigins = [] }: CardTrust,
): Promise<unknown> {
  if (mode === 'if-signed' && !isSigned(json)) return json;
  const { clock, warn } = context.settings;
  const remote = new RemoteKeys(context, scope, keyOrigins);
  const find = async (header: CardSignatureHeader): Promise<CardKey | undefined> => {
    if (typeof keys === 'function') {
      const key = await keys(header);
      if (key !== undefined) return key;
    } else if (keys?.keys.some(({ kid }) => kid === header.kid) === true) return findKey(keys, header, clock.now());
    return remote.find(header);
  };
  const verifying = verifyCard(json, { keys: find, now: () => clock.now() });
  const { card, signature, variant } = await scope.deadline.within(verifying);
  if (variant !== 'spec') {
    const description = `the signature uses a canonical form other than that of the specification: ${variant}`;
    warn([{ code: 'card-signature-form', field: 'signatures', description }]);
  }
  return { ...card, signatures: [{ ...signature }] };
}

function isSigned(json: unknown): boolean {
  const signatures = isObject(json) ? json['signatures'] : undefined;
  return signatures !== undefined && signatures !== null && !(Array.isArray(signatures) && signatures.length === 0);
}

type KeySet = Extract<CardKeys, { readonly keys: unknown }>;

/** Fetches the key sets that signatures name in `jku`, only from origins that the user named. */
class RemoteKeys {
  readonly #context: ClientContext;
  readonly #scope: CallScope;
  readonly #origins: ReadonlySet<string>;
  readonly #sets = new Map<string, Promise<KeySet>>();

  constructor(context: ClientContext, scope: CallScope, origins: readonly string[]) {
    const { settings } = context;
    this.#context = {
      ...context,
      trust: new Trust(origins),
      // The key server must not get the user's headers, and a redirect could lead to another origin.
      settings: { ...settings, headers: {}, limits: { ...settings.limits, maxRedirects: 0 } },
    };
    this.#scope = scope;
    this.#origins = new Set(origins.map((origin) => parseUrl(origin).origin));
  }

  async find(header: CardSignatureHeader): Promise<CardKey | undefined> {
    const { jku } = header;
    if (jku === undefined || this.#origins.size === 0) return undefined;
    if (!URL.canParse(jku)) throw new Error('its jku is not a URL');
    const url = new URL(jku);
    if (url.protocol !== 'https:') throw new Error('its jku does not use https');
    if (!this.#origins.has(url.origin)) throw new Error(`its jku is at ${url.origin}, which is not in keyOrigins`);
    let set = this.#sets.get(url.href);
    if (set === undefined) this.#sets.set(url.href, (set = this.#fetch(url.href)));
    return findKey(await set, header, this.#context.settings.clock.now());
  }

  async #fetch(url: string): Promise<KeySet> {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const request = { operation: 'CardKeys', method: 'GET', url, headers } as const;
    const response = await exchange(this.#context, this.#scope, request, undefined);
    const json = parseJson(await response.text(this.#context.settings.limits.maxCardBytes, 'limits.maxCardBytes'));
    if (response.status === 200 && isKeySet(json)) return json;
    throw new A2AError('INVALID_AGENT_RESPONSE', `its jku responded with ${response.status} and without a key set`);
  }
}

function isKeySet(json: unknown): json is KeySet {
  return isObject(json) && Array.isArray(json['keys']) && json['keys'].every((key) => isObject(key));
}
