import type { CryptoKey } from 'jose';
import type { JsonObject } from '../../model/json.ts';
import type { CardSignerKey } from '../../wire/card/signing/card-signature.ts';
import type { CardSigningKey } from '../options/card-signing-options.ts';

/** The number of cached signed cards. Extended cards can differ by caller. */
const MAX_KEPT = 256;

/** Signs cards. Signatures are cached by content. */
export class CardSigner {
  readonly #keys: readonly CardSigningKey[];
  readonly #signed = new Map<string, Promise<JsonObject>>();
  #imported: Promise<readonly CardSignerKey[]> | undefined;

  constructor(keys: readonly CardSigningKey[]) {
    this.#keys = keys;
  }

  /** Imports the keys. @throws TypeError that names the invalid key. */
  start(): Promise<readonly CardSignerKey[]> {
    return (this.#imported ??= Promise.all(this.#keys.map(imported)));
  }

  signed(json: JsonObject): Promise<JsonObject> {
    const text = JSON.stringify(json);
    const known = this.#signed.get(text);
    if (known !== undefined) return known;
    if (this.#signed.size >= MAX_KEPT) this.#signed.clear();
    const signed = this.#sign(json);
    this.#signed.set(text, signed);
    signed.catch(() => this.#signed.delete(text));
    return signed;
  }

  async #sign(json: JsonObject): Promise<JsonObject> {
    // Loaded late, because most agents do not sign cards.
    const { signDocument } = await import('../../wire/card/signing/card-document.ts');
    return signDocument(json, await this.start());
  }
}

/** Imports a key and signs with it once, because an error could not be reported later. */
async function imported({ privateKey, ...names }: CardSigningKey): Promise<CardSignerKey> {
  const { alg, kid } = names;
  try {
    const signer = { ...names, key: await keyOf(privateKey, alg) };
    const { cardSignature } = await import('../../wire/card/signing/card-signature.ts');
    await cardSignature('{}', signer);
    return signer;
  } catch {
    // Without the cause, because the error of the library may quote the key.
    throw new TypeError(`cardSigning: the key ${JSON.stringify(kid)} cannot sign with ${alg}`);
  }
}

async function keyOf(privateKey: CardSigningKey['privateKey'], alg: string): Promise<CardSignerKey['key']> {
  const { importJWK, importPKCS8 } = await import('jose');
  if (typeof privateKey === 'string') return importPKCS8(privateKey, alg);
  return 'kty' in privateKey ? ((await importJWK(privateKey, alg)) as CryptoKey) : privateKey;
}
