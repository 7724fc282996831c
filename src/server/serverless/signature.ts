import { encodeBase64 } from '../../support/bytes.ts';

type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The purpose of a self-request: to run a task, or to sweep abandoned tasks. */
export type SelfRequestPurpose = { readonly run: string } | 'sweep';

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const;
/** Clocks of one host differ by less than this. */
const SKEW_MS = 60_000;
const TOKEN = /^(\d{1,15})\.([\w-]{43})$/;
/** A token of agent-native for a task: when it was signed, and the signature in hexadecimal digits. */
const NATIVE_TOKEN = /^(\d{1,15})\.([0-9a-f]{64})$/;

/** Signs requests of an agent to itself. Each signature is valid for one purpose and a short time. */
export class Signatures {
  readonly #secrets: readonly string[];
  readonly #lifeMs: number;
  readonly #now: () => number;
  #keys: Promise<readonly SigningKey[]> | undefined;

  /** The first secret signs; all are accepted. */
  constructor(secrets: readonly string[], lifeMs: number, now: () => number = Date.now) {
    this.#secrets = secrets;
    this.#lifeMs = lifeMs;
    this.#now = now;
  }

  async sign(purpose: SelfRequestPurpose): Promise<string> {
    const expires = this.#now() + this.#lifeMs;
    const [key] = await this.#imported();
    if (key === undefined) throw new TypeError('There is no secret to sign with');
    const bytes = new Uint8Array(await crypto.subtle.sign(ALGORITHM, key, contentOf(purpose, expires)));
    const text = encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    return `${expires}.${text}`;
  }

  /** Whether a token has the right form and has not expired. Checked before the body is read. */
  isCurrent(token: string): boolean {
    const [, signedAt] = NATIVE_TOKEN.exec(token) ?? [];
    const expires = signedAt === undefined ? Number(TOKEN.exec(token)?.[1]) : Number(signedAt) + this.#lifeMs;
    const now = this.#now();
    return expires > now && expires <= now + this.#lifeMs + SKEW_MS;
  }

  /**
   * Whether a token of agent-native is valid for a task: HMAC-SHA256 of `<taskId>:<time>` with the same secret. Compared in constant
   * time.
   */
  async verifyNative(token: string, taskId: string): Promise<boolean> {
    const [, signedAt = '', hex = ''] = NATIVE_TOKEN.exec(token) ?? [];
    if (hex === '' || !this.isCurrent(token)) return false;
    const signature = Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
    return this.#isSigned(signature, new TextEncoder().encode(`${taskId}:${signedAt}`));
  }

  /** Whether a token is valid for a purpose. Compared in constant time. */
  async verify(token: string, purpose: SelfRequestPurpose): Promise<boolean> {
    const [, expires = '', text = ''] = TOKEN.exec(token) ?? [];
    if (text === '' || !this.isCurrent(token)) return false;
    const binary = atob(`${text.replaceAll('-', '+').replaceAll('_', '/')}=`);
    const signature = Uint8Array.from(binary, (char) => char.charCodeAt(0));
    return this.#isSigned(signature, contentOf(purpose, Number(expires)));
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

/** The prefix separates these signatures from other uses of the same secret. */
function contentOf(purpose: SelfRequestPurpose, expires: number): Uint8Array {
  const about = purpose === 'sweep' ? ['sweep'] : ['run', purpose.run];
  return new TextEncoder().encode(JSON.stringify(['tandem', expires, ...about]));
}
