import { A2AError } from '../../src/errors.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { isPaused, isTerminal } from '../../src/model/state.ts';
import type { Task, TaskStatus } from '../../src/model/task.ts';
import type { ClientRequest, Report } from './worker-protocol.ts';
import { answerTo, CREDENTIAL, INBOX_TEXTS, UNANSWERED } from './handlers.ts';

export const OWNER = { tenant: '', owner: 'ann' } as const;

/** The delay before a retry. */
export const RETRY_MS = 100;

let subscriberCount = 0;

type Items = AsyncIterable<readonly StreamItem[]>;

export interface ClientOptions {
  /** Whether to answer the questions of the task. */
  readonly mayAnswer: boolean;
  /** The address of the receiver of push notifications. */
  readonly receiver: string;
  /** Whether to retry an operation that failed with `UNAVAILABLE`. */
  readonly mayRetry: () => boolean;
}

/**
 * Sends one request and follows its task to the end. Every operation that an earlier process may have done is repeated with
 * the same id: sends, answers and cancels, without checking whether they are repeats.
 */
export class Client {
  readonly #engine: Engine;
  readonly #report: (line: Report) => void;
  readonly #request: ClientRequest;
  readonly #mayRetry: () => boolean;
  /** Operations beside the subscription, by name. Each is done once. */
  readonly #actions = new Map<string, Promise<void>>();
  readonly #receiver: string;
  #mayAnswer: boolean;
  #taskId = '';
  #isWaiting = false;
  #hasEnded = false;

  constructor(
    engine: Engine,
    report: (line: Report) => void,
    request: ClientRequest,
    { mayAnswer, receiver, mayRetry }: ClientOptions,
  ) {
    this.#mayRetry = mayRetry;
    this.#engine = engine;
    this.#report = report;
    this.#request = request;
    this.#mayAnswer = mayAnswer;
    this.#receiver = receiver;
  }

  /**
   * Resolves to true when the task has ended, or waits for an answer that this process does not give. Resolves to false if
   * the server is unavailable.
   */
  async run(): Promise<boolean> {
    const { key, kind } = this.#request;
    try {
      await (kind === 'reply' ? this.#expectReply() : this.#followTask());
    } catch (error) {
      // A server that shuts down responds with UNAVAILABLE, and the next process continues the request.
      if (A2AError.is(error, 'UNAVAILABLE')) return false;
      this.#report({ t: 'error', about: key, error: error instanceof Error ? (error.stack ?? '') : String(error) });
    }
    return true;
  }

  async #expectReply(): Promise<void> {
    const { key, mode } = this.#request;
    if (mode !== 'stream') {
      const result = await this.#engine.send(this.#submission());
      if (!('message' in result)) throw new Error('Expected a message, not a task');
      this.#report({ t: 'reply', key, message: result.message });
      return;
    }
    const { items } = await this.#engine.stream(this.#submission());
    for await (const item of each(items)) {
      if (item.kind !== 'message') throw new Error(`Expected a message, not ${item.kind}`);
      this.#report({ t: 'reply', key, message: item.message });
    }
  }

  async #followTask(): Promise<void> {
    const { key, mode, hasOutput } = this.#request;
    const items = await this.#open();
    const before = await this.#getIfVisible();
    if (before !== undefined) this.#handleStatus(before.status, hasOutput);
    const other = mode === 'now' ? this.#watchFromStart() : undefined;
    if (!this.#isWaiting) await this.#watch('own', items);
    await Promise.all(this.#actions.values());
    const task = await this.#engine.get(OWNER, this.#taskId);
    if (this.#isWaiting) {
      this.#report({ t: 'unanswered', key, task });
      return;
    }
    await other;
    if (this.#hasEnded) this.#report({ t: 'ended', key, task });
  }

  /** Creates the task and subscribes to it, or resumes the subscription of the earlier process. */
  async #open(): Promise<Items> {
    const { key, mode, last, taskId } = this.#request;
    // A task that a stream has announced may not be visible to others yet, so the client repeats its request.
    if (mode === 'stream' && last === 0) {
      const opened = await this.#engine.stream(this.#submission());
      this.#taskId = opened.taskId;
      this.#report({ t: 'task', key, taskId: opened.taskId });
      return opened.items;
    }
    if (taskId === undefined) {
      const result = await this.#engine.send({ ...this.#submission(), returnImmediately: mode === 'now' });
      if (!('task' in result)) throw new Error('Expected a task, not a message');
      this.#taskId = result.task.id;
      this.#report({ t: 'task', key, taskId: result.task.id, task: result.task });
    } else {
      this.#taskId = taskId;
    }
    return this.#engine.subscribe(OWNER, this.#taskId, { after: last });
  }

  async #getIfVisible(): Promise<Task | undefined> {
    try {
      return await this.#engine.get(OWNER, this.#taskId);
    } catch (error) {
      if (A2AError.is(error, 'TASK_NOT_FOUND')) return undefined;
      throw error;
    }
  }

  /** Subscribes like another client: from the beginning, until the task ends or the server is unavailable. */
  async #watchFromStart(): Promise<void> {
    const subscriber = `${process.pid} ${++subscriberCount}`;
    try {
      await this.#watch(subscriber, this.#engine.subscribe(OWNER, this.#taskId));
    } catch (error) {
      if (!A2AError.is(error, 'UNAVAILABLE')) throw error;
    }
  }

  async #watch(subscriber: string, items: Items): Promise<void> {
    const { key } = this.#request;
    for await (const item of each(items)) {
      if (item.kind === 'message') throw new Error('Expected an event, not a message');
      const content = item.kind === 'snapshot' ? { task: item.task } : { body: item.body };
      this.#report({ t: 'item', key, subscriber, number: item.number, ...content });
      if (item.kind === 'snapshot') this.#handleStatus(item.task.status, item.task.artifacts !== undefined);
      else this.#handleEvent(JSON.parse(item.body) as StreamResponse);
      if (this.#isWaiting) return;
    }
  }

  #handleEvent(event: StreamResponse): void {
    if ('statusUpdate' in event) this.#handleStatus(event.statusUpdate.status, false);
    if ('artifactUpdate' in event) this.#handleProgress();
  }

  #handleStatus({ state, message }: TaskStatus, hasOutput: boolean): void {
    if (isTerminal(state)) this.#hasEnded = true;
    if (hasOutput && !isTerminal(state)) this.#handleProgress();
    if (!isPaused(state)) return;
    if (state === 'TASK_STATE_AUTH_REQUIRED') {
      this.#once('authorize', () => this.#authorize());
      return;
    }
    const [question = ''] = textOfParts(message?.parts ?? []).split('\n');
    if (question === UNANSWERED) return;
    if (this.#mayAnswer) this.#once(question, () => this.#send(question, answerTo(question)));
    else this.#isWaiting = true;
  }

  /** Called when the task is working: sends the messages or the cancel that it waits for. */
  #handleProgress(): void {
    const { key, kind } = this.#request;
    if (kind === 'inbox') {
      this.#once('inbox messages', async () => {
        for (const text of INBOX_TEXTS) await this.#send(text, text);
      });
    } else if (kind === 'cancel while sleeping' || kind === 'cancel while working') {
      this.#once('cancel', async () => {
        this.#report({ t: 'canceled', key, task: await this.#engine.cancel(OWNER, this.#taskId) });
      });
    }
  }

  #once(name: string, action: () => Promise<void>): void {
    if (this.#actions.has(name)) return;
    const done = this.#untilDone(action);
    // Reported where all actions are awaited.
    done.catch(() => {});
    this.#actions.set(name, done);
  }

  async #untilDone(action: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await action();
        return;
      } catch (error) {
        if (!A2AError.is(error, 'UNAVAILABLE') || !this.#mayRetry()) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** If an earlier process has authorized the task already, it does not wait for a credential and rejects this one. */
  async #authorize(): Promise<void> {
    try {
      await this.#engine.authorize(OWNER, this.#taskId, CREDENTIAL);
    } catch (error) {
      if (!A2AError.is(error, 'UNSUPPORTED_OPERATION')) throw error;
    }
  }

  async #send(name: string, text: string): Promise<void> {
    const { key } = this.#request;
    const messageId = `${key}/${name}`;
    const message = { messageId, taskId: this.#taskId, role: 'ROLE_USER' as const, parts: [{ text }] };
    const returnImmediately = name.length % 2 === 0 || name === 'first';
    const result = await this.#engine.send({ ...this.#submission(messageId), message, returnImmediately });
    if (!('task' in result)) throw new Error('Expected a task, not a message');
    this.#report({ t: 'accepted', key, messageId, task: result.task });
  }

  #submission(idempotencyKey = this.#request.key): Submission {
    const { key, kind, isPushed } = this.#request;
    const message = { messageId: key, role: 'ROLE_USER' as const, parts: [{ text: kind }] };
    const caller = { id: OWNER.owner, isVerified: true };
    const pushConfig = { config: { id: 'hook', url: this.#receiver }, dialect: '1.0' };
    return { ...OWNER, agent: 'agent', caller, message, idempotencyKey, ...(isPushed && { pushConfig }) };
  }
}

async function* each(items: Items): AsyncGenerator<StreamItem> {
  for await (const batch of items) yield* batch;
}
