import { WebhookSignatures } from '../push/webhook-signature.ts';
import { isSameSecret } from '../support/same-secret.ts';
import type { IncomingNotification } from './incoming.ts';
import type { TaskSecret, WebhookOptions } from './options.ts';
import { Refusal } from './refusal.ts';
import { isTimely } from './timely.ts';
import { TokenCheck } from './token-check.ts';

/** What the headers say that were found to be good. */
export interface Proven {
  /** The id of the notification, the same for each delivery attempt. */
  readonly id: string | undefined;
  /** A repeat has at least one of these ids. Empty if repeats cannot be recognised. */
  readonly repeatIds: readonly string[];
  /** The task that the sender has signed for, if he names one. */
  readonly taskId: string | undefined;
}

const TOLERANCE_MS = 5 * 60_000;

/** Finds out whether a notification comes from who it should. All that is configured must hold. */
export class Checks {
  /** Something is signed to the character: a parsed body is not enough. */
  readonly needsRawBody: boolean;
  readonly #options: WebhookOptions;
  readonly #toleranceMs: number;
  readonly #signatures: WebhookSignatures | undefined;
  readonly #tokens: TokenCheck | undefined;

  /** @throws TypeError if there is nothing to check by, or what there is can be no secret. */
  constructor(options: WebhookOptions) {
    const { secret, secrets = [], token, authorization, jwks, keys, insecure = false } = options;
    const shared = secret === undefined ? secrets : [secret, ...secrets];
    const isSigned = jwks !== undefined || keys !== undefined;
    if (shared.length === 0 && !isSigned && token === undefined && authorization === undefined && !insecure)
      throw new TypeError(
        'createWebhookHandler() has nothing to check senders by: give secret, token, authorization, jwks or keys',
      );
    this.#options = options;
    this.#toleranceMs = options.toleranceMs ?? TOLERANCE_MS;
    this.#signatures = shared.length === 0 ? undefined : signaturesBy(shared);
    this.#tokens = isSigned ? new TokenCheck(options, this.#toleranceMs) : undefined;
    this.needsRawBody = this.#signatures !== undefined || isSigned;
  }

  /** What can be checked without knowing the task. @throws Refusal */
  async headers(incoming: IncomingNotification, now: number): Promise<Proven> {
    const id = incoming.header('webhook-id');
    // The cheapest check first: it needs neither the body nor a key.
    await this.#checkSecrets(incoming, undefined);
    await this.#checkSignature(incoming, id, now);
    const said = await this.#tokens?.check(incoming, now);
    if (said === undefined) return { id, repeatIds: id === undefined ? [] : [id], taskId: undefined };
    // Without `jti` the only id is the unsigned header, which an attacker who has seen the token can change. The token itself
    // cannot be changed, but a sender may sign a new one for each attempt. So both identify a repeat.
    const { jti, tokenDigest, taskId } = said;
    const repeatIds = jti === undefined ? [tokenDigest, ...(id === undefined ? [] : [id])] : [jti];
    return { id: jti ?? id, repeatIds, taskId };
  }

  /** What may be different for each task. @throws Refusal */
  task(incoming: IncomingNotification, taskId: string): Promise<void> {
    return this.#checkSecrets(incoming, taskId);
  }

  /** Without a task id, checks fixed secrets; with one, checks secrets that a function gives for the task. */
  async #checkSecrets(incoming: IncomingNotification, taskId: string | undefined): Promise<void> {
    const { token, authorization } = this.#options;
    const fails = async (given: string | undefined, secret: TaskSecret | undefined): Promise<boolean> => {
      if (secret === undefined || (typeof secret === 'function') !== (taskId !== undefined)) return false;
      return !(await isOneOf(given, secret, taskId ?? ''));
    };
    if (await fails(notificationToken(incoming), token))
      throw new Refusal(401, 'The notification token is not the right one');
    if (await fails(incoming.header('authorization'), authorization))
      throw new Refusal(401, 'The credentials are not the right ones');
  }

  async #checkSignature(incoming: IncomingNotification, id: string | undefined, now: number): Promise<void> {
    const timestamp = incoming.header('webhook-timestamp');
    // Also where it is not signed: what says of itself that it is old is old.
    if (timestamp !== undefined && !this.#isTimely(timestamp, now))
      throw new Refusal(401, 'The notification is too old, or the clocks differ');
    if (this.#signatures === undefined) return;
    const signature = incoming.header('webhook-signature');
    if (id === undefined || timestamp === undefined || signature === undefined)
      throw new Refusal(401, 'The notification is not signed: webhook-id, -timestamp and -signature are expected');
    if (!(await this.#signatures.verify({ id, timestamp, body: incoming.body }, signature)))
      throw new Refusal(401, 'The signature is not by the agreed secret');
  }

  #isTimely(timestamp: string, now: number): boolean {
    return /^\d{1,12}$/.test(timestamp) && isTimely(Number(timestamp) * 1000, now, this.#toleranceMs);
  }
}

/** 0.3 names the header with `X-`. 1.0 names none, and the Go SDK 2.x sends the token without `X-`. */
function notificationToken(incoming: IncomingNotification): string | undefined {
  return incoming.header('x-a2a-notification-token') ?? incoming.header('a2a-notification-token');
}

function signaturesBy(secrets: readonly string[]): WebhookSignatures {
  try {
    return new WebhookSignatures(secrets);
  } catch (error) {
    throw new TypeError(`secret: ${error instanceof Error ? error.message : 'is no good'}`, { cause: error });
  }
}

async function isOneOf(given: string | undefined, secret: TaskSecret, taskId: string): Promise<boolean> {
  const expected = typeof secret === 'function' ? await secret(taskId) : secret;
  if (given === undefined || expected === undefined) return false;
  const all = typeof expected === 'string' ? [expected] : expected;
  const same = await Promise.all(all.filter((each) => each !== '').map((each) => isSameSecret(given, each)));
  return same.includes(true);
}
