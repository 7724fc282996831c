import { A2AError } from '../errors.ts';
import { verifyCard } from '../wire/card-signature.ts';
import { type CardKey, type CardKeys, type CardSignatureHeader, findKey } from '../wire/card-signature-key.ts';
import { isObject } from '../wire/codec.ts';
import { parseJson } from './binding.ts';
import type { CallScope } from './call-scope.ts';
import type { CardTrust } from './card-trust.ts';
import { exchange, type Wiring } from './exchange.ts';
import { parseUrl, Trust } from './trust.ts';

/**
 * The card as it was signed, and nothing of what the signature does not cover. A card that has no signature is given back
 * as it is, where that is allowed.
 *
 * @throws A2AError `INVALID_AGENT_RESPONSE` if no signature holds for a key that is trusted.
 */
export async function verifiedCard(
  wiring: Wiring,
  scope: CallScope,
  json: unknown,
  { mode = 'required', keys, keyOrigins = [] }: CardTrust,
): Promise<unknown> {
  if (mode === 'if-signed' && !isSigned(json)) return json;
  const { clock, warn } = wiring.settings;
  const remote = new RemoteKeys(wiring, scope, keyOrigins);
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
    const description = `the signature is over another form than that of the protocol: ${variant}`;
    warn([{ code: 'card-signature-form', field: 'signatures', description }]);
  }
  return { ...card, signatures: [{ ...signature }] };
}

function isSigned(json: unknown): boolean {
  const signatures = isObject(json) ? json['signatures'] : undefined;
  return signatures !== undefined && signatures !== null && !(Array.isArray(signatures) && signatures.length === 0);
}

type KeySet = Extract<CardKeys, { readonly keys: unknown }>;

/** Key sets at addresses that signatures name, from origins that the user named. */
class RemoteKeys {
  readonly #wiring: Wiring;
  readonly #scope: CallScope;
  readonly #origins: ReadonlySet<string>;
  readonly #sets = new Map<string, Promise<KeySet>>();

  constructor(wiring: Wiring, scope: CallScope, origins: readonly string[]) {
    const { settings } = wiring;
    this.#wiring = {
      ...wiring,
      trust: new Trust(origins),
      // What the user sends to the agent is nothing for whoever keeps its keys, and a redirect leads to somebody else.
      settings: { ...settings, headers: {}, limits: { ...settings.limits, maxRedirects: 0 } },
    };
    this.#scope = scope;
    this.#origins = new Set(origins.map((origin) => parseUrl(origin).origin));
  }

  async find(header: CardSignatureHeader): Promise<CardKey | undefined> {
    const { jku } = header;
    if (jku === undefined || this.#origins.size === 0) return undefined;
    if (!URL.canParse(jku)) throw new Error('its jku is no address');
    const url = new URL(jku);
    if (url.protocol !== 'https:') throw new Error('its jku is not https');
    if (!this.#origins.has(url.origin)) throw new Error('its jku is at none of the keyOrigins');
    let set = this.#sets.get(url.href);
    if (set === undefined) this.#sets.set(url.href, (set = this.#fetch(url.href)));
    return findKey(await set, header, this.#wiring.settings.clock.now());
  }

  async #fetch(url: string): Promise<KeySet> {
    const { deadline, trace } = this.#scope;
    const passage = { deadline, trace, auth: undefined, card: undefined };
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const response = await exchange(this.#wiring, passage, { operation: 'CardKeys', method: 'GET', url, headers });
    const json = parseJson(await response.text(this.#wiring.settings.limits.maxCardBytes));
    if (response.status === 200 && isKeySet(json)) return json;
    throw new A2AError('INVALID_AGENT_RESPONSE', `there is no key set at its jku (${response.status})`);
  }
}

function isKeySet(json: unknown): json is KeySet {
  return isObject(json) && Array.isArray(json['keys']) && json['keys'].every((key) => isObject(key));
}
