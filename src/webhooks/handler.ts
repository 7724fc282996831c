import { sha256 } from '../support/sha256.ts';
import { toAgentEvent } from '../client/event.ts';
import type { StreamResponse } from '../model/event.ts';
import { type Log, silentLog } from '../observe/log.ts';
import { gatherBytes } from '../push/gather-bytes.ts';
import { BodyTooLarge } from '../push/transport.ts';
import { systemClock } from '../support/clock.ts';
import type { Decoded } from '../wire/dialect.ts';
import { assertOptions } from './assert-options.ts';
import { Checks } from './checks.ts';
import type { IncomingNotification } from './incoming.ts';
import type { WebhookEvent, WebhookOptions } from './options.ts';
import { readNotification, taskIdOf } from './read-notification.ts';
import { Refusal } from './refusal.ts';
import { memorySeenIds, type SeenIds } from './seen-ids.ts';

/** What a sender is answered. */
export interface WebhookAnswer {
  readonly status: number;
  /** Why it was not taken. */
  readonly error?: string;
}

const MAX_BODY_BYTES = 8 * 2 ** 20;

/** The maximum length of the key of a handled notification. Two ids of the maximum length in Tandem (256) fit. */
const MAX_KEY = 600;

const TAKEN: WebhookAnswer = Object.freeze({ status: 204 });

/**
 * Receives push notifications of agents, of any version: checks who sent them, gives each to `onEvent` once, and answers
 * so that the sender comes again if that fails.
 *
 * @example
 * const handler = createWebhookHandler({ secret: process.env.WEBHOOK_SECRET, onEvent: (event) => console.log(event.text) });
 * export default { fetch: handler.fetch };
 *
 * @throws TypeError if there is nothing to check senders by and `insecure` is not set, or a check would check nothing.
 */
export function createWebhookHandler(options: WebhookOptions): WebhookHandler {
  assertOptions(options);
  return new WebhookHandler(options);
}

export class WebhookHandler {
  readonly #options: WebhookOptions;
  readonly #checks: Checks;
  readonly #seen: SeenIds;
  readonly #log: Log;
  /** Notifications that are being handled: an impatient sender must not have one handled twice. */
  readonly #underway = new Map<string, Promise<WebhookAnswer>>();

  /** @internal */
  constructor(options: WebhookOptions) {
    this.#options = options;
    this.#checks = new Checks(options);
    this.#seen = options.seen ?? memorySeenIds();
    this.#log = options.log ?? silentLog;
  }

  /** @internal */
  get maxBodyBytes(): number {
    return this.#options.maxBodyBytes ?? MAX_BODY_BYTES;
  }

  /** @internal A body that a parser has read is not enough. */
  get needsRawBody(): boolean {
    return this.#checks.needsRawBody;
  }

  /** Answers a web-standard request. */
  readonly fetch = async (request: Request): Promise<Response> => {
    const answer = await this.#answerTo(request);
    const { status, error } = answer;
    return error === undefined ? new Response(null, { status }) : Response.json({ error }, { status });
  };

  /** Takes a notification whose body is there already. Never throws. */
  async receive(incoming: IncomingNotification): Promise<WebhookAnswer> {
    try {
      if (incoming.method !== 'POST') throw new Refusal(405, 'Notifications are posted');
      return await this.#take(incoming);
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, error: error.message };
      this.#log.error('A notification could not be handled', { error });
      return { status: 500, error: 'The notification could not be handled: send it again' };
    }
  }

  async #answerTo(request: Request): Promise<WebhookAnswer> {
    const { method, headers } = request;
    try {
      const bytes = await gatherBytes((request.body ?? nothing()) as AsyncIterable<Uint8Array>, this.maxBodyBytes);
      const header = (name: string): string | undefined => headers.get(name) ?? undefined;
      return await this.receive({ method, header, body: textOf(bytes) });
    } catch (error) {
      if (error instanceof BodyTooLarge) return { status: 413, error: error.message };
      return { status: 400, error: 'The body cannot be read, or is no UTF-8' };
    }
  }

  async #take(incoming: IncomingNotification): Promise<WebhookAnswer> {
    const now = (this.#options.clock ?? systemClock).now();
    const proven = await this.#checks.headers(incoming, now);
    const notification = readNotification(incoming.body);
    const taskId = taskIdOf(notification.value);
    if (proven.taskId !== undefined && proven.taskId !== taskId)
      throw new Refusal(401, 'The signed token is for another task');
    await this.#checks.task(incoming, taskId);
    const { expects } = this.#options;
    if (expects !== undefined && !(await expects(taskId))) throw new Refusal(404, 'Nobody waits for this task');
    const keys = await Promise.all(proven.repeatIds.map((id) => repeatKey(taskId, id)));
    return this.#once(keys, () => this.#tell(notification, proven.id, taskId));
  }

  /** Handles a notification unless one with any of these keys was handled or is being handled. */
  async #once(keys: readonly string[], tell: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    for (const key of keys) {
      const underway = this.#underway.get(key);
      if (underway !== undefined) return underway;
    }
    const handling = this.#ifNew(keys, tell);
    for (const key of keys) this.#underway.set(key, handling);
    return handling.finally(() => {
      for (const key of keys) this.#underway.delete(key);
    });
  }

  async #ifNew(keys: readonly string[], tell: () => Promise<WebhookAnswer>): Promise<WebhookAnswer> {
    for (const key of keys) if (await this.#seen.has(key)) return TAKEN;
    const answer = await tell();
    for (const key of keys) await this.#seen.add(key);
    return answer;
  }

  async #tell(
    { value, raw, warnings }: Decoded<StreamResponse>,
    id: string | undefined,
    taskId: string,
  ): Promise<WebhookAnswer> {
    const fetchTask: WebhookEvent['fetchTask'] = async () => {
      const { client } = this.#options;
      if (client === undefined) throw new Error('Give createWebhookHandler() a client to fetch tasks with');
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

/** The key of a handled notification, made of its task and its id. Senders choose both, so a long key is replaced by its digest. */
async function repeatKey(taskId: string, id: string): Promise<string> {
  const key = JSON.stringify([taskId, id]);
  return key.length <= MAX_KEY ? key : `sha256:${await sha256(key)}`;
}

/** With a mark at its beginning, if it has one: it was signed with it. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
