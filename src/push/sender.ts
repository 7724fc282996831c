import type { Log } from '../observe/log.ts';
import type { TraceHeaders } from '../observe/trace-context.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { Clock } from '../support/clock.ts';
import { PrivateAddressError } from '../support/guarded-lookup.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import { retryAfterMs } from '../support/retry-after.ts';
import { type AddressGuard, AddressRefused, type Admitted, NOT_OURS } from './address-guard.ts';
import type { NotificationTokens } from './notification-tokens.ts';
import { TimeLimitPassed, withinTime } from './time-limit.ts';
import type { OutboundAnswer, OutboundTransport } from './transport.ts';
import type { WebhookSignatures } from './webhook-signature.ts';

/** One thing to tell, in the words of who is told. */
export interface Notification {
  /** The same for every attempt: receivers know a repeat by it. */
  readonly id: string;
  /** As the receiver calls it. */
  readonly taskId: string;
  readonly config: TaskPushNotificationConfig;
  readonly mediaType: string;
  readonly body: string;
  /** Of the trace that it is part of. */
  readonly trace: TraceHeaders;
}

/** What came of one attempt. A reason is fit for the owner of the task, who is a stranger to our network. */
export type Attempt =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** The receiver wants to be left alone for so long. */
      readonly retryAfterMs?: number;
      /** The receiver wants no more of this, ever. */
      readonly gone?: boolean;
    };

export interface SenderParts {
  readonly guard: AddressGuard;
  readonly transport: OutboundTransport;
  readonly timeoutMs: number;
  readonly signatures: WebhookSignatures | undefined;
  readonly tokens: NotificationTokens | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is read of an answer, so that the connection can be used again. Nobody looks at it. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** Nobody is waited for any longer, whatever he asks for. */
const MAX_WAIT_MS = 86_400_000;

const USER_AGENT = `tandem-a2a/${PACKAGE_VERSION}`;

const DELIVERED: Attempt = Object.freeze({ kind: 'delivered' });

/** It is our own fault, and not that of the receiver. */
class NotMade extends Error {
  override readonly name = 'NotMade';
}

/** Posts notifications: one attempt at a time, and never where it must not. */
export class PushSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Never throws: what goes wrong is how the attempt ended. Lasts `timeoutMs` at most. */
  async send(notification: Notification, signal: AbortSignal): Promise<Attempt> {
    const { guard, transport, timeoutMs, clock } = this.#parts;
    try {
      const { url, isTrusted } = guard.admit(notification.config.url);
      const headers = await this.#headersOf(notification, url).catch((error: unknown) => {
        throw new NotMade('It could not be made; the log says why', { cause: error });
      });
      const { body } = notification;
      const request = { method: 'POST', url, isTrusted, headers, body } as const;
      return await withinTime(clock, timeoutMs, signal, async (stop) =>
        this.#judge(await transport.call({ ...request, signal: stop })),
      );
    } catch (error) {
      return { kind: 'failed', reason: this.#reasonOf(error, notification) };
    }
  }

  close(): void {
    this.#parts.transport.close();
  }

  async #headersOf(notification: Notification, url: Admitted['url']): Promise<Record<string, string>> {
    const { clock, signatures, tokens } = this.#parts;
    const { id, taskId, config, mediaType, body, trace } = notification;
    const timestamp = String(Math.floor(clock.now() / 1000));
    const headers: Record<string, string> = {
      'content-type': mediaType,
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': timestamp,
    };
    Object.assign(headers, trace);
    if (config.token !== undefined) headers['x-a2a-notification-token'] = config.token;
    const { scheme = '', credentials = '' } = config.authentication ?? {};
    if (credentials !== '') headers['authorization'] = `${scheme} ${credentials}`;
    if (signatures !== undefined) headers['webhook-signature'] = await signatures.sign({ id, timestamp, body });
    if (tokens !== undefined) {
      const token = await tokens.sign({ id, taskId, audience: url.href, body });
      // Where the guide of the protocol has it, unless what the receiver asked for stands there.
      if (credentials === '') headers['authorization'] = `Bearer ${token}`;
      else headers['x-a2a-notification-jwt'] = token;
    }
    return headers;
  }

  /** The status is the whole answer: a receiver that says 2xx has it, whatever becomes of the rest. */
  #judge(answer: OutboundAnswer): Attempt {
    const { status } = answer;
    answer.discard(MAX_ANSWER_BYTES);
    if (status >= 200 && status < 300) return DELIVERED;
    const isRedirect = status >= 300 && status < 400;
    const reason = `It answered ${status}${isRedirect ? ', and redirects are not followed' : ''}`;
    const wait = retryAfterMs(answer.header('retry-after'), this.#parts.clock.now());
    return {
      kind: 'failed',
      reason,
      ...(wait !== undefined && { retryAfterMs: Math.min(wait, MAX_WAIT_MS) }),
      ...(status === 410 && { gone: true }),
    };
  }

  #reasonOf(error: unknown, { id, taskId }: Notification): string {
    if (error instanceof TimeLimitPassed) return error.message;
    if (error instanceof NotMade) {
      this.#parts.log.error('A push notification could not be made', { taskId, deliveryId: id, error: error.cause });
      return error.message;
    }
    if (error instanceof AddressRefused) return `Its address ${error.message}`;
    if (error instanceof PrivateAddressError) {
      this.#parts.log.warn('A push notification was not sent: its address leads to a private network', {
        taskId,
        deliveryId: id,
        error,
      });
      return `Its address ${NOT_OURS}`;
    }
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    return `It could not be reached${code}`;
  }
}
