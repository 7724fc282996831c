import { encodeBase64 } from '../../support/bytes.ts';

type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** What a request to itself is about: the task that is to be run, or whatever was left. */
export type Errand = { readonly run: string } | 'sweep';

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const;
/** Clocks of one host differ by less. */
const SKEW_MS = 60_000;
const TOKEN = /^(\d{1,15})\.([\w-]{43})$/;
/** A token of agent-native for a task: when it was signed, and the signature in hexadecimal digits. */
const NATIVE_TOKEN = /^(\d{1,15})\.([0-9a-f]{64})$/;

/** Signs the requests that an agent makes to itself, each for one errand and a short time. */
export class Signatures {
  readonly #secrets: readonly string[];
  readonly #lifeMs: number;
  readonly #now: () => number;
  #keys: Promise<readonly SigningKey[]> | undefined;

  /** The first secret signs, all are believed. */
  constructor(secrets: readonly string[], lifeMs: number, now: () => number = Date.now) {
    this.#secrets = secrets;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  async sign(errand: Errand): Promise<string> {
    const expires = this.#now() + this.#lifeMs;
    const [key] = await this.#imported();
    if (key === undefined) throw new TypeError('There is no secret to sign with');
    const bytes = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, contentOf(errand, expires)));
    const text = encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    return `${expires}.${text}`;
  }

  /** Whether a token can be good at all, before anything else of the request is read. */
  isCurrent(token: string): boolean {
    const [, signedAt] = NATIVE_TOKEN.exec(token) ?? [];
    const expires = signedAt === undefined ? Number(TOKEN.exec(token)?.[1]) : Number(signedAt) + this.#lifeMs;
    const now = this.#now();
    return expires > now && expires <= now + this.#lifeMs + SKEW_MS;
  }

  /**
   * Whether agent-native has signed a token for a task with the same secret: HMAC-SHA256 of `<taskId>:<time>`. Compared in constant time.
   */
  async verifyNative(token: string, taskId: string): Promise<boolean> {
    const [, signedAt = '', hex = ''] = NATIVE_TOKEN.exec(token) ?? [];
    if (hex === '' || !this.isCurrent(token)) return false;
    const signature = Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
    return this.#isSigned(signature, new TextEncoder().encode(`${taskId}:${signedAt}`));
  }

  /** Whether a token is good for an errand; compared in a time that tells nothing. */
  async verify(token: string, errand: Errand): Promise<boolean> {
    const [, expires = '', text = ''] = TOKEN.exec(token) ?? [];
    if (text === '' || !this.isCurrent(token)) return false;
    const binary = atob(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`);
    const signature = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return this.#isSigned(signature, contentOf(errand, Number(expires)));
  }

  async #isSigned(signature: Uint8Array, content: Uint8Array): Promise<boolean> {
    const checks = (await this.#imported()).map((key) => crypto.subtle.verify(ALGORITHM, key, signature, content));
    return (await Promise.all(checks)).includes(true);
  }

  #imported(): Promise<readonly SigningKey[]> {
    const encoder = new TextEncoder();
    return (this.#keys ??= Promise.all(
      this.#secrets.map((secret) =>
        crypto.subtle.importKey('raw', encoder.encode(secret), ALGORITHM, false, ['sign', 'verify']),
      ),
    ));
  }
}

/** The secret may sign other things elsewhere: no token of theirs begins like this. */
function contentOf(errand: Errand, expires: number): Uint8Array {
  const about = errand === 'sweep' ? ['sweep'] : ['run', errand.run];
  return new TextEncoder().encode(JSON.stringify(['tandem', expires, ...about]));
}
