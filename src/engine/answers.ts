import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { Core } from './core.ts';
import { senderLeft } from './disconnect.ts';
import type { FindReply } from './mailbox.ts';
import type { Begun } from './new-task.ts';
import { notFound } from './not-found.ts';
import { asItIs, readTask } from './read-task.ts';
import type { Runnable } from './runnable.ts';
import type { Runs } from './runs.ts';
import type { TaskRecord } from '../store/store.ts';
import type { Submission } from './submission.ts';
import { fitsPage } from './task-page.ts';
import { RestWaiter } from './wait.ts';

/** What a send comes to: a task, or a bare message. */
export type SendResult = { readonly task: Task } | { readonly message: Message };

/** Waits for what comes of a message that is stored. */
export class Answers {
  readonly #core: Core;
  readonly #runs: Runs;
  readonly #reading = new Map<string, Promise<Task>>();

  constructor(core: Core, runs: Runs) {
    this.#core = core;
    this.#runs = runs;
  }

  /** What came of the same request before. */
  async repeated(
    agent: Runnable,
    submission: Submission,
    { taskId, reply }: Extract<Begun, { kind: 'repeated' }>,
    findReply: FindReply,
  ): Promise<SendResult> {
    return reply === undefined ? this.ofTask(agent, submission, taskId, findReply) : { message: reply };
  }

  /** For a task that exists: whatever happened before the listening began is in the store. */
  async ofTask(
    agent: Runnable,
    submission: Submission,
    taskId: string,
    findReply: FindReply,
    since = 0,
  ): Promise<SendResult> {
    if (submission.returnImmediately === true) return asItIs(this.#core, submission, taskId, findReply);
    const waiter = new RestWaiter(this.#core, submission, taskId, since);
    void waiter.look();
    return this.outcome(agent, submission, taskId, waiter, findReply).finally(() => waiter.close());
  }

  async outcome(
    agent: Runnable,
    submission: Submission,
    taskId: string,
    waiter: RestWaiter,
    findReply: FindReply,
  ): Promise<SendResult> {
    const { maxWaitMs = Number.POSITIVE_INFINITY, signal } = submission;
    const rest = await waiter.wait(Math.min(maxWaitMs, agent.limits.maxWaitMs), signal);
    if (rest.kind === 'replied') return { message: rest.message };
    if (rest.kind === 'gone') {
      const message = await this.#replyOf(taskId, waiter, findReply);
      if (message === undefined) throw notFound(taskId);
      return { message };
    }
    if (rest.kind === 'late') {
      if (signal?.aborted === true) senderLeft(this.#core, this.#runs, agent, submission, taskId);
      return asItIs(this.#core, submission, taskId, () => this.#replyOf(taskId, waiter, findReply));
    }
    const { task, record } = rest;
    return { task: task !== undefined && fitsPage(record) ? task : await this.#read(submission, record) };
  }

  /** Many may wait for the same task: those that hear of its end at the same moment share what is read. */
  #read(submission: Submission, { id, lastEvent, lastJournal }: TaskRecord): Promise<Task> {
    const key = `${id} ${lastEvent} ${lastJournal}`;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = readTask(this.#core, submission, id).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  /** Of a task that is gone: the run that dropped it, if it is here, is about to say what for. */
  async #replyOf(taskId: string, waiter: RestWaiter, findReply: FindReply): Promise<Message | undefined> {
    const message = waiter.hasReply || this.#runs.isHere(taskId) ? await waiter.reply : undefined;
    return message ?? findReply();
  }
}
