import { normalizeBase64 } from '../support/base64.ts';
import { decodeBase64, encodeBase64 } from '../support/bytes.ts';

/** The headers of a notification, as senders and receivers name them. The first three are those of Standard Webhooks. */
export const NOTIFICATION_HEADERS = {
  id: 'webhook-id',
  timestamp: 'webhook-timestamp',
  signature: 'webhook-signature',
  token: 'x-a2a-notification-token',
  jwt: 'x-a2a-notification-jwt',
} as const;

type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** The signed content. A retry has the same id and a new timestamp. */
export interface Signed {
  readonly id: string;
  /** Whole seconds since 1970, exactly as in the header. */
  readonly timestamp: string;
  readonly body: string;
}

/** The prefix of a secret whose bytes follow in base64. */
const PREFIX = 'whsec_';
const VERSION = 'v1';
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const;
/** Shorter secrets can be guessed. */
const MIN_SECRET_BYTES = 16;

/** The bytes of a secret: base64 after `whsec_`, or the text itself. @throws TypeError without the secret in its message. */
export function secretBytes(secret: string): Uint8Array {
  const base64 = secret.startsWith(PREFIX) ? normalizeBase64(secret.slice(PREFIX.length)) : undefined;
  if (secret.startsWith(PREFIX) && base64 === undefined) throw new TypeError(`must have base64 after ${PREFIX}`);
  const bytes = base64 === undefined ? new TextEncoder().encode(secret) : decodeBase64(base64);
  if (bytes.length < MIN_SECRET_BYTES) throw new TypeError(`must have at least ${MIN_SECRET_BYTES} bytes`);
  return bytes;
}

/** Signs and verifies with shared secrets, as Standard Webhooks specifies. Several secrets allow rotation. */
export class WebhookSignatures {
  readonly #secrets: readonly Uint8Array[];
  #keys: Promise<readonly SigningKey[]> | undefined;

  /** @throws TypeError of `secretBytes` */
  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.map(secretBytes);
  }

  /** The value of the header `webhook-signature`: one signature per secret. */
  async sign(signed: Signed): Promise<string> {
    const content = contentOf(signed);
    const signatures = (await this.#imported()).map((key) => crypto.subtle.sign(ALGORITHM, key, content));
    const texts = (await Promise.all(signatures)).map((bytes) => encodeBase64(new Uint8Array(bytes)));
    return texts.map((text) => `${VERSION},${text}`).join(' ');
  }

  /** Whether one of the signatures was made with one of the secrets. Compares in constant time. */
  async verify(signed: Signed, header: string): Promise<boolean> {
    const content = contentOf(signed);
    const keys = await this.#imported();
    const checks = signaturesIn(header).flatMap((signature) =>
      keys.map((key) => crypto.subtle.verify(ALGORITHM, key, signature, content)),
    );
    return (await Promise.all(checks)).includes(true);
  }

  #imported(): Promise<readonly SigningKey[]> {
    return (this.#keys ??= Promise.all(
      this.#secrets.map((bytes) => crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign', 'verify'])),
    ));
  }
}

function contentOf({ id, timestamp, body }: Signed): Uint8Array {
  return new TextEncoder().encode(`${id}.${timestamp}.${body}`);
}

/** Further signatures in the header are ignored. */
const MAX_SIGNATURES = 16;

function signaturesIn(header: string): readonly Uint8Array[] {
  return header
    .split(' ', MAX_SIGNATURES)
    .filter((each) => each.startsWith(`${VERSION},`))
    .flatMap((each) => normalizeBase64(each.slice(VERSION.length + 1)) ?? [])
    .map(decodeBase64);
}
