import { sha256 } from '../support/secret/sha256.ts';
import { toAgentEvent } from '../client/event.ts';
import type { StreamResponse } from '../model/event.ts';
import { type Log, silentLog } from '../observe/log.ts';
import { safeLog } from '../observe/safe-log.ts';
import { BodyTooLarge, decodeUtf8, gatherBytes } from '../support/bytes.ts';
import { systemClock } from '../support/time/clock.ts';
import { type Decoded, decode } from '../wire/dialect.ts';
import { assertOptions } from './assert-options.ts';
import { Checks } from './checks.ts';
import { type IncomingNotification, Rejection } from './incoming.ts';
import type { WebhookEvent, WebhookOptions } from './options.ts';
import { memorySeenIds, type SeenIds } from './seen-ids.ts';
import { A2AError } from '../errors.ts';
import { JsonShapeError, parseUntrustedJson } from '../support/json/untrusted-json.ts';
import { classifyPayload } from '../wire/classify.ts';
import { dialects, repairs } from '../wire/select.ts';

/** The response to a notification. */
export interface WebhookResponse {
  /** The HTTP status: 204 if the notification was handled, now or before. */
  readonly status: number;
  /** Why the notification was rejected. Sent to the sender as `{ "error": … }`. */
  readonly error?: string;
}

const MAX_BODY_BYTES = 8 * 2 ** 20;

/** The maximum length of the key of a handled notification. Two ids of the maximum length in Tandem (256) fit. */
const MAX_KEY = 600;

const TAKEN: WebhookResponse = Object.freeze({ status: 204 });

/**
 * Creates a receiver for push notifications of agents, in any version of A2A. It authenticates the sender, passes each
 * notification to `onEvent` once, and responds with an error if that fails, so that the sender retries.
 *
 * @example
 * const handler = createWebhookHandler({ secret: process.env.WEBHOOK_SECRET, onEvent: (event) => console.log(event.text) });
 * export default { fetch: handler.fetch };
 *
 * @throws TypeError if an option is unknown or invalid, or if no check is configured and `insecure` is not set.
 */
export function createWebhookHandler(options: WebhookOptions): WebhookHandler {
  assertOptions(options);
  return new WebhookHandler(options);
}

/** Receives push notifications. Create one with `createWebhookHandler()`. */
export class WebhookHandler {
  readonly #options: WebhookOptions;
  readonly #checks: Checks;
  readonly #seen: SeenIds;
  readonly #log: Log;
  /** Notifications in progress, so that a retry during handling does not run `onEvent` again. */
  readonly #pending = new Map<string, Promise<WebhookResponse>>();

  /** @internal */
  constructor(options: WebhookOptions) {
    this.#log = safeLog(options.log ?? silentLog);
    this.#options = { ...options, log: this.#log };
    this.#checks = new Checks(this.#options);
    this.#seen = options.seen ?? memorySeenIds();
  }

  /** @internal */
  get maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? MAX_BODY_BYTES;
  }

  /** @internal Whether a check needs the exact text of the body. */
  get needsRawBody(): boolean {
    return this.#checks.needsRawBody;
  }

  /**
   * Handles a web-standard request: status 204 if the notification was handled, otherwise JSON with an `error`. Never rejects.
   *
   * @example
   * export default { fetch: handler.fetch };
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    const response = await this.#respondTo(request);
    const { status, error } = response;
    return error === undefined ? new Response(null, { status }) : Response.json({ error }, { status });
  };

  /** Handles a notification whose body has already been read, for frameworks without web-standard requests. Never rejects. */
  async receive(incoming: IncomingNotification): Promise<WebhookResponse> {
    try {
      if (incoming.method !== 'POST') throw new Rejection(405, 'Send notifications with POST');
      return await this.#take(incoming);
    } catch (error) {
      if (error instanceof Rejection) return { status: error.status, error: error.message };
      this.#log.error('Could not handle notification', { error });
      return { status: 500, error: 'The notification could not be handled; send it again' };
    }
  }

  async #respondTo(request: Request): Promise<WebhookResponse> {
    const { method, headers } = request;
    try {
      const bytes = await gatherBytes((request.body ?? nothing()) as AsyncIterable<Uint8Array>, this.maxBodyBytes);
      const header = (name: string): string | undefined => headers.get(name) ?? undefined;
      return await this.receive({ method, header, body: decodeUtf8(bytes) });
    } catch (error) {
      if (error instanceof BodyTooLarge) return { status: 413, error: error.message };
      return { status: 400, error: 'The body could not be read, or is not UTF-8' };
    }
  }

  async #take(incoming: IncomingNotification): Promise<WebhookResponse> {
    const now = (this.#options.clock ?? systemClock).now();
    const proven = await this.#checks.headers(incoming, now);
    const notification = readNotification(incoming.body);
    const taskId = taskIdOf(notification.value);
    if (proven.taskId !== undefined && proven.taskId !== taskId)
      throw new Rejection(401, 'The signed token belongs to another task');
    await this.#checks.task(incoming, taskId);
    const { expects } = this.#options;
    if (expects !== undefined && !(await expects(taskId)))
      throw new Rejection(404, 'This receiver does not expect notifications about this task');
    const keys = await Promise.all(proven.repeatIds.map((id) => repeatKey(taskId, id)));
    return this.#once(keys, () => this.#notify(notification, proven.id, taskId));
  }

  /** Handles a notification unless one with any of these keys was handled or is being handled. */
  async #once(keys: readonly string[], notify: () => Promise<WebhookResponse>): Promise<WebhookResponse> {
    for (const key of keys) {
      const pending = this.#pending.get(key);
      if (pending !== undefined) return pending;
    }
    const handling = this.#ifNew(keys, notify);
    for (const key of keys) this.#pending.set(key, handling);
    return handling.finally(() => {
      for (const key of keys) this.#pending.delete(key);
    });
  }

  async #ifNew(keys: readonly string[], notify: () => Promise<WebhookResponse>): Promise<WebhookResponse> {
    for (const key of keys) if (await this.#seen.has(key)) return TAKEN;
    const response = await notify();
    for (const key of keys) await this.#seen.add(key);
    return response;
  }

  async #notify(
    { value, raw, warnings }: Decoded<StreamResponse>,
    id: string | undefined,
    taskId: string,
  ): Promise<WebhookResponse> {
    const fetchTask: WebhookEvent['fetchTask'] = async () => {
      const { client } = this.#options;
      if (client === undefined)
        throw new Error('event.fetchTask() needs a client: pass client to createWebhookHandler()');
      return (typeof client === 'function' ? await client(taskId) : client).get(taskId);
    };
    await this.#options.onEvent({
      ...toAgentEvent({ event: value, number: undefined, raw }),
      id,
      warnings,
      fetchTask,
    });
    return TAKEN;
  }
}

/** The key of a handled notification: its task and its id. Senders choose both, so a long key is replaced by its digest. */
async function repeatKey(taskId: string, id: string): Promise<string> {
  const key = JSON.stringify([taskId, id]);
  return key.length <= MAX_KEY ? key : `sha256:${await sha256(key)}`;
}

/** Keeps a byte order mark, because the signature covers it. */
async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Decodes a notification of any version. Only its members reveal the version. @throws Rejection */
function readNotification(body: string): Decoded<StreamResponse> {
  const json = parsed(body);
  const kind = classifyPayload(json);
  if (kind === undefined) throw new Rejection(400, 'The body is not a notification of any supported A2A version');
  try {
    return decode(dialects[kind].webhook, json, 'response', { repairs });
  } catch (error) {
    if (A2AError.is(error)) throw new Rejection(400, error.message);
    throw error;
  }
}

/** The task of the event. Empty for a message without a task. */
function taskIdOf(event: StreamResponse): string {
  if ('task' in event) return event.task.id;
  if ('message' in event) return event.message.taskId ?? '';
  return 'statusUpdate' in event ? event.statusUpdate.taskId : event.artifactUpdate.taskId;
}

function parsed(body: string): unknown {
  try {
    return parseUntrustedJson(body, Infinity);
  } catch (error) {
    if (error instanceof JsonShapeError) throw new Rejection(400, `The body ${error.message}`);
    throw new Rejection(400, 'The body is not JSON');
  }
}
