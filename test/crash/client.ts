import { A2AError } from '../../src/errors.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { isPaused, isTerminal } from '../../src/model/state.ts';
import type { Task, TaskStatus } from '../../src/model/task.ts';
import type { OperationCall, Report } from './errand.ts';
import { answerTo, CREDENTIAL, MAIL, UNANSWERED } from './programs.ts';

export const OWNER = { tenant: '', owner: 'ann' } as const;

/** How long a caller waits before he tries again. */
export const RETRY_MS = 100;

let readers = 0;

type Items = AsyncIterable<readonly StreamItem[]>;

export interface ClientOptions {
  /** Whether to answer what the task asks. */
  readonly mayAnswer: boolean;
  /** Where push notifications go. */
  readonly receiver: string;
  /** Whether to do again what a store in trouble has refused. */
  readonly mayRetry: () => boolean;
}

/**
 * A caller who sees one errand through, as far as it gets. What it may have done before its process died it does again
 * under the same name: it sends, answers and cancels without knowing whether it is a repeat.
 */
export class Client {
  readonly #engine: Engine;
  readonly #report: (line: Report) => void;
  readonly #errand: OperationCall;
  readonly #mayRetry: () => boolean;
  /** What it does beside watching, by name; each is done once. */
  readonly #deeds = new Map<string, Promise<void>>();
  readonly #receiver: string;
  #mayAnswer: boolean;
  #taskId = '';
  #isWaiting = false;
  #hasEnded = false;

  constructor(
    engine: Engine,
    report: (line: Report) => void,
    operationCall: OperationCall,
    { mayAnswer, receiver, mayRetry }: ClientOptions,
  ) {
    this.#mayRetry = mayRetry;
    this.#engine = engine;
    this.#report = report;
    this.#errand = operationCall;
    this.#mayAnswer = mayAnswer;
    this.#receiver = receiver;
  }

  /**
   * Resolves when the errand is at its end, or waits for an answer that is not to be given. False if the server could go
   * no further for now.
   */
  async run(): Promise<boolean> {
    const { key, kind } = this.#errand;
    try {
      await (kind === 'reply' ? this.#expectReply() : this.#seeThrough());
    } catch (error) {
      // A server that shuts down says so, and the errand goes on with the next process.
      if (A2AError.is(error, 'UNAVAILABLE')) return false;
      this.#report({ t: 'trouble', about: key, error: error instanceof Error ? (error.stack ?? '') : String(error) });
    }
    return true;
  }

  async #expectReply(): Promise<void> {
    const { key, mode } = this.#errand;
    if (mode !== 'stream') {
      const result = await this.#engine.send(this.#submission());
      if (!('message' in result)) throw new Error('A task instead of a message');
      this.#report({ t: 'reply', key, message: result.message });
      return;
    }
    const { items } = await this.#engine.stream(this.#submission());
    for await (const item of each(items)) {
      if (item.kind !== 'message') throw new Error(`${item.kind} instead of a message`);
      this.#report({ t: 'reply', key, message: item.message });
    }
  }

  async #seeThrough(): Promise<void> {
    const { key, mode, hasOutput } = this.#errand;
    const items = await this.#open();
    const before = await this.#getIfVisible();
    if (before !== undefined) this.#see(before.status, hasOutput);
    const other = mode === 'now' ? this.#watchBeside() : undefined;
    if (!this.#isWaiting) await this.#watch('own', items);
    await Promise.all(this.#deeds.values());
    const task = await this.#engine.get(OWNER, this.#taskId);
    if (this.#isWaiting) {
      this.#report({ t: 'held', key, task });
      return;
    }
    await other;
    if (this.#hasEnded) this.#report({ t: 'ended', key, task });
  }

  /** Makes the task, or goes on with it where its subscriber was. */
  async #open(): Promise<Items> {
    const { key, mode, last, taskId } = this.#errand;
    // A task that is known by nothing but its stream may not be visible yet: only who made it sees it.
    if (mode === 'stream' && last === 0) {
      const opened = await this.#engine.stream(this.#submission());
      this.#taskId = opened.taskId;
      this.#report({ t: 'task', key, taskId: opened.taskId });
      return opened.items;
    }
    if (taskId === undefined) {
      const result = await this.#engine.send({ ...this.#submission(), returnImmediately: mode === 'now' });
      if (!('task' in result)) throw new Error('A message instead of a task');
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

  /** As somebody else would, from the beginning, and as far as the server lets him. */
  async #watchBeside(): Promise<void> {
    const reader = `${process.pid} ${++readers}`;
    try {
      await this.#watch(reader, this.#engine.subscribe(OWNER, this.#taskId));
    } catch (error) {
      if (!A2AError.is(error, 'UNAVAILABLE')) throw error;
    }
  }

  async #watch(reader: string, items: Items): Promise<void> {
    const { key } = this.#errand;
    for await (const item of each(items)) {
      if (item.kind === 'message') throw new Error('A message instead of an event');
      const what = item.kind === 'snapshot' ? { task: item.task } : { body: item.body };
      this.#report({ t: 'item', key, reader, number: item.number, ...what });
      if (item.kind === 'snapshot') this.#see(item.task.status, item.task.artifacts !== undefined);
      else this.#hear(JSON.parse(item.body) as StreamResponse);
      if (this.#isWaiting) return;
    }
  }

  #hear(event: StreamResponse): void {
    if ('statusUpdate' in event) this.#see(event.statusUpdate.status, false);
    if ('artifactUpdate' in event) this.#goOn();
  }

  #see({ state, message }: TaskStatus, hasOutput: boolean): void {
    if (isTerminal(state)) this.#hasEnded = true;
    if (hasOutput && !isTerminal(state)) this.#goOn();
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

  /** The task is at work: what it waits for can come. */
  #goOn(): void {
    const { key, kind } = this.#errand;
    if (kind === 'inbox') {
      this.#once('mail', async () => {
        for (const text of MAIL) await this.#send(text, text);
      });
    } else if (kind === 'cancel asleep' || kind === 'cancel at work') {
      this.#once('cancel', async () => {
        this.#report({ t: 'canceled', key, task: await this.#engine.cancel(OWNER, this.#taskId) });
      });
    }
  }

  #once(name: string, deed: () => Promise<void>): void {
    if (this.#deeds.has(name)) return;
    const done = this.#untilDone(deed);
    // Whoever waits for all of them hears of it.
    done.catch(() => {});
    this.#deeds.set(name, done);
  }

  async #untilDone(deed: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await deed();
        return;
      } catch (error) {
        if (!A2AError.is(error, 'UNAVAILABLE') || !this.#mayRetry()) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** One that was given before its process died has its effect, and the task waits for none any more. */
  async #authorize(): Promise<void> {
    try {
      await this.#engine.authorize(OWNER, this.#taskId, CREDENTIAL);
    } catch (error) {
      if (!A2AError.is(error, 'UNSUPPORTED_OPERATION')) throw error;
    }
  }

  async #send(name: string, text: string): Promise<void> {
    const { key } = this.#errand;
    const messageId = `${key}/${name}`;
    const message = { messageId, taskId: this.#taskId, role: 'ROLE_USER' as const, parts: [{ text }] };
    const returnImmediately = name.length % 2 === 0 || name === 'first';
    const result = await this.#engine.send({ ...this.#submission(messageId), message, returnImmediately });
    if (!('task' in result)) throw new Error('A message instead of a task');
    this.#report({ t: 'accepted', key, messageId, task: result.task });
  }

  #submission(idempotencyKey = this.#errand.key): Submission {
    const { key, kind, isPushed } = this.#errand;
    const message = { messageId: key, role: 'ROLE_USER' as const, parts: [{ text: kind }] };
    const caller = { id: OWNER.owner, isVerified: true };
    const pushConfig = { config: { id: 'hook', url: this.#receiver }, dialect: '1.0' };
    return { ...OWNER, agent: 'agent', caller, message, idempotencyKey, ...(isPushed && { pushConfig }) };
  }
}

async function* each(items: Items): AsyncGenerator<StreamItem> {
  for await (const batch of items) yield* batch;
}
