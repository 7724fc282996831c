import { NOTIFICATION_HEADERS, WebhookSignatures } from '../push/webhook-signature.ts';
import { isSameSecret } from '../support/secret/same-secret.ts';
import { type IncomingNotification, Rejection } from './incoming.ts';
import type { TaskSecret, WebhookOptions } from './options.ts';
import { TokenCheck } from './token-check.ts';

/** The facts of the headers after verification. */
export interface Proven {
  /** The id of the notification, the same for each delivery attempt. */
  readonly id: string | undefined;
  /** A repeat has at least one of these ids. Empty if repeats cannot be recognised. */
  readonly repeatIds: readonly string[];
  /** The task in the signed token, if it contains one. */
  readonly taskId: string | undefined;
}

const TOLERANCE_MS = 5 * 60_000;

/** Authenticates the sender of a notification. All configured checks must pass. */
export class Checks {
  /** A signature covers the exact text of the body, so a parsed body is not enough. */
  readonly needsRawBody: boolean;
  readonly #options: WebhookOptions;
  readonly #toleranceMs: number;
  readonly #signatures: WebhookSignatures | undefined;
  readonly #tokens: TokenCheck | undefined;

  /** @throws TypeError if no check is configured or a secret is invalid. */
  constructor(options: WebhookOptions) {
    const { secret, secrets = [], token, authorization, jwks, keys, insecure = false } = options;
    const shared = secret === undefined ? secrets : [secret, ...secrets];
    const isSigned = jwks !== undefined || keys !== undefined;
    if (shared.length === 0 && !isSigned && token === undefined && authorization === undefined && !insecure)
      throw new TypeError(
        'createWebhookHandler() cannot authenticate senders: pass secret, token, authorization, jwks or keys, or insecure: true',
      );
    this.#options = options;
    this.#toleranceMs = options.toleranceMs ?? TOLERANCE_MS;
    this.#signatures = shared.length === 0 ? undefined : signaturesBy(shared);
    this.#tokens = isSigned ? new TokenCheck(options, this.#toleranceMs) : undefined;
    this.needsRawBody = this.#signatures !== undefined || isSigned;
  }

  /** Runs the checks that do not depend on the task. @throws Rejection */
  async headers(incoming: IncomingNotification, now: number): Promise<Proven> {
    const id = incoming.header(NOTIFICATION_HEADERS.id);
    // The cheapest check first: it needs neither the body nor a key.
    await this.#checkSecrets(incoming, undefined);
    await this.#checkSignature(incoming, id, now);
    const claims = await this.#tokens?.check(incoming, now);
    if (claims === undefined) return { id, repeatIds: id === undefined ? [] : [id], taskId: undefined };
    // Without `jti` the only id is the unsigned header, which an attacker who has seen the token can change. The token itself
    // cannot be changed, but a sender may sign a new one for each attempt. So both identify a repeat.
    const { jti, tokenDigest, taskId } = claims;
    const repeatIds = jti === undefined ? [tokenDigest, ...(id === undefined ? [] : [id])] : [jti];
    return { id: jti ?? id, repeatIds, taskId };
  }

  /** Runs the checks whose secrets depend on the task. @throws Rejection */
  task(incoming: IncomingNotification, taskId: string): Promise<void> {
    return this.#checkSecrets(incoming, taskId);
  }

  /** Without a task id, checks fixed secrets. With one, checks the secrets that a function returns for the task. */
  async #checkSecrets(incoming: IncomingNotification, taskId: string | undefined): Promise<void> {
    const { token, authorization } = this.#options;
    const fails = async (given: string | undefined, secret: TaskSecret | undefined): Promise<boolean> => {
      if (secret === undefined || (typeof secret === 'function') !== (taskId !== undefined)) return false;
      return !(await isOneOf(given, secret, taskId ?? ''));
    };
    if (await fails(notificationToken(incoming), token))
      throw new Rejection(401, 'The notification token is missing or wrong');
    if (await fails(incoming.header('authorization'), authorization))
      throw new Rejection(401, 'The Authorization header is missing or wrong');
  }

  async #checkSignature(incoming: IncomingNotification, id: string | undefined, now: number): Promise<void> {
    const timestamp = incoming.header(NOTIFICATION_HEADERS.timestamp);
    // Checked even if the timestamp is not signed, because no sender has a reason to backdate it.
    if (timestamp !== undefined && !this.#isTimely(timestamp, now))
      throw new Rejection(401, 'webhook-timestamp is too old, or the clocks of sender and receiver differ');
    if (this.#signatures === undefined) return;
    const signature = incoming.header(NOTIFICATION_HEADERS.signature);
    if (id === undefined || timestamp === undefined || signature === undefined)
      throw new Rejection(
        401,
        'The notification is not signed: expected the headers webhook-id, webhook-timestamp and webhook-signature',
      );
    if (!(await this.#signatures.verify({ id, timestamp, body: incoming.body }, signature)))
      throw new Rejection(401, 'webhook-signature does not match the secret of this receiver');
  }

  #isTimely(timestamp: string, now: number): boolean {
    return /^\d{1,12}$/.test(timestamp) && Math.abs(now - Number(timestamp) * 1000) <= this.#toleranceMs;
  }
}

/** A2A 0.3 defines the header with `X-`. 1.0 defines none, and the Go SDK 2.x sends the token without `X-`. */
function notificationToken(incoming: IncomingNotification): string | undefined {
  return incoming.header(NOTIFICATION_HEADERS.token) ?? incoming.header('a2a-notification-token');
}

function signaturesBy(secrets: readonly string[]): WebhookSignatures {
  try {
    return new WebhookSignatures(secrets);
  } catch (error) {
    throw new TypeError(`secret: ${error instanceof Error ? error.message : 'is invalid'}`, { cause: error });
  }
}

async function isOneOf(given: string | undefined, secret: TaskSecret, taskId: string): Promise<boolean> {
  const expected = typeof secret === 'function' ? await secret(taskId) : secret;
  if (given === undefined || expected === undefined) return false;
  const all = typeof expected === 'string' ? [expected] : expected;
  const same = await Promise.all(all.filter((each) => each !== '').map((each) => isSameSecret(given, each)));
  return same.includes(true);
}
