import type { Log } from '../observe/log.ts';
import type { TraceHeaders } from '../observe/trace-context.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { Clock } from '../support/time/clock.ts';
import { PrivateAddressError } from '../support/net/guarded-lookup.ts';
import { type HttpClient, type OutboundResponse, TransportFailure } from '../support/http-client/http-client.ts';
import { TimeLimitPassed, withinTime } from '../support/http-client/time-limit.ts';
import { PACKAGE_VERSION } from '../support/package-version.ts';
import { retryAfterMs } from '../support/net/retry-after.ts';
import { type AddressGuard, AddressRejected, type Admitted, ADDRESS_NOT_ALLOWED } from './address-guard.ts';
import type { NotificationTokens } from './notification-tokens.ts';
import { NOTIFICATION_HEADERS, type WebhookSignatures } from './webhook-signature.ts';

/** One notification, encoded in the dialect of its receiver. */
export interface Notification {
  /** The same for every attempt, so that receivers can recognise repeats. */
  readonly id: string;
  /** The task id that the receiver knows. */
  readonly taskId: string;
  readonly config: TaskPushNotificationConfig;
  readonly mediaType: string;
  readonly body: string;
  /** The headers of the trace that the notification belongs to. */
  readonly trace: TraceHeaders;
}

/** The outcome of one attempt. The reason is safe to show to the owner of the task: it reveals nothing about our network. */
export type Attempt =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      readonly reason: string;
      /** The receiver asked for this delay, at most 24 hours. */
      readonly retryAfterMs?: number;
      /** The receiver responded with 410: it wants no further notifications. */
      readonly gone?: boolean;
    };

export interface SenderParts {
  readonly guard: AddressGuard;
  readonly http: HttpClient;
  readonly timeoutMs: number;
  readonly signatures: WebhookSignatures | undefined;
  readonly tokens: NotificationTokens | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The longest delay accepted from a `Retry-After` header: 24 hours. */
const MAX_WAIT_MS = 86_400_000;

const USER_AGENT = `tandem-a2a/${PACKAGE_VERSION}`;

const DELIVERED: Attempt = Object.freeze({ kind: 'delivered' });

/** The notification could not be created. The receiver is not the cause. */
class NotificationError extends Error {
  override readonly name = 'NotificationError';
}

/** Posts notifications, one attempt per call, to URLs that the guard allows. */
export class PushSender {
  readonly #parts: SenderParts;

  constructor(parts: SenderParts) {
    this.#parts = parts;
  }

  /** Never throws: an error becomes the outcome of the attempt. Takes at most `timeoutMs`. */
  async send(notification: Notification, signal: AbortSignal): Promise<Attempt> {
    const { guard, http, timeoutMs, clock } = this.#parts;
    try {
      const { url, isTrusted } = guard.admit(notification.config.url);
      const headers = await this.#headersOf(notification, url).catch((error: unknown) => {
        throw new NotificationError('The notification could not be created; the log of the agent has the cause', {
          cause: error,
        });
      });
      const { body } = notification;
      const request = { method: 'POST', url, guarded: !isTrusted, headers, body } as const;
      return await withinTime(clock, timeoutMs, signal, async (stop) =>
        this.#judge(await http.call({ ...request, signal: stop })),
      );
    } catch (error) {
      return { kind: 'failed', reason: this.#reasonOf(error, notification) };
    }
  }

  close(): void {
    void this.#parts.http.close();
  }

  async #headersOf(notification: Notification, url: Admitted['url']): Promise<Record<string, string>> {
    const { clock, signatures, tokens } = this.#parts;
    const { id, taskId, config, mediaType, body, trace } = notification;
    const timestamp = String(Math.floor(clock.now() / 1000));
    const headers: Record<string, string> = {
      'content-type': mediaType,
      'user-agent': USER_AGENT,
      [NOTIFICATION_HEADERS.id]: id,
      [NOTIFICATION_HEADERS.timestamp]: timestamp,
    };
    Object.assign(headers, trace);
    if (config.token !== undefined) headers[NOTIFICATION_HEADERS.token] = config.token;
    const { scheme = '', credentials = '' } = config.authentication ?? {};
    if (credentials !== '') headers['authorization'] = `${scheme} ${credentials}`;
    if (signatures !== undefined)
      headers[NOTIFICATION_HEADERS.signature] = await signatures.sign({ id, timestamp, body });
    if (tokens !== undefined) {
      const token = await tokens.sign({ id, taskId, audience: url.href, body });
      // The A2A guide puts the token here, but the credentials of the push config take precedence.
      if (credentials === '') headers['authorization'] = `Bearer ${token}`;
      else headers[NOTIFICATION_HEADERS.jwt] = token;
    }
    return headers;
  }

  /** Only the status counts: 2xx means delivered, even if reading the body fails. */
  #judge(response: OutboundResponse): Attempt {
    const { status } = response;
    response.discard();
    if (status >= 200 && status < 300) return DELIVERED;
    const isRedirect = status >= 300 && status < 400;
    const reason = `The receiver responded with status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
    const wait = retryAfterMs(response.header('retry-after'), this.#parts.clock.now());
    return {
      kind: 'failed',
      reason,
      ...(wait !== undefined && { retryAfterMs: Math.min(wait, MAX_WAIT_MS) }),
      ...(status === 410 && { gone: true }),
    };
  }

  #reasonOf(error: unknown, { id, taskId }: Notification): string {
    if (error instanceof TimeLimitPassed) return error.message;
    if (error instanceof NotificationError) {
      this.#parts.log.error('Could not create push notification', { taskId, deliveryId: id, error: error.cause });
      return error.message;
    }
    if (error instanceof AddressRejected) return `The push URL ${error.message}`;
    const { cause, code } = error instanceof TransportFailure ? error : {};
    if (cause instanceof PrivateAddressError) {
      this.#parts.log.warn('Did not send push notification: its URL resolves to a private network', {
        taskId,
        deliveryId: id,
        error: cause,
      });
      return `The push URL ${ADDRESS_NOT_ALLOWED}`;
    }
    return `The receiver could not be reached${code === undefined ? '' : ` (${code})`}`;
  }
}
