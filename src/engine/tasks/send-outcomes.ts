import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { EngineContext } from '../engine-context.ts';
import { senderLeft } from './disconnect.ts';
import type { FindReply } from '../stream/mailbox.ts';
import type { Begun } from './new-task.ts';
import { notFound } from './task-access.ts';
import { asItIs, readTask, fitsPage } from './task-page.ts';
import type { Runnable } from '../runnable.ts';
import type { Runs } from '../schedule/runs.ts';
import type { TaskRecord } from '../../store/store.ts';
import type { Submission } from './submission.ts';
import { type Settled, SettleWaiter } from './settle-waiter.ts';

/** The result of a send: a task, or a message without a task. */
export type SendResult =
  | {
      /** The task that the message created or continued. */
      readonly task: Task;
    }
  | {
      /** The reply of a handler that ended its run with `ctx.reply()`. */
      readonly message: Message;
    };

/** How long a sender waits for its task. */
export function maxWaitOf({ limits }: Runnable, { maxWaitMs = Number.POSITIVE_INFINITY }: Submission): number {
  return Math.min(maxWaitMs, limits.maxWaitMs);
}

/** The task of a response, if it need not be read. */
export function taskAt(settled: Settled): Task | undefined {
  return settled.kind === 'settled' && fitsPage(settled.record) ? settled.task : undefined;
}

/** The end of a wait, and the sources of a reply. */
interface Waited {
  readonly settled: Settled;
  readonly waiter: SettleWaiter;
  readonly findReply: FindReply;
}

/** Waits for the outcome of stored messages. */
export class SendOutcomes {
  readonly #engine: EngineContext;
  readonly #runs: Runs;
  readonly #reading = new Map<string, Promise<Task>>();

  constructor(engine: EngineContext, runs: Runs) {
    this.#engine = engine;
    this.#runs = runs;
  }

  /** The outcome of an earlier request with the same key. */
  async repeated(
    agent: Runnable,
    submission: Submission,
    { taskId, reply }: Extract<Begun, { kind: 'repeated' }>,
    findReply: FindReply,
  ): Promise<SendResult> {
    return reply === undefined ? this.ofTask(agent, submission, taskId, findReply) : { message: reply };
  }

  /** For an existing task: reads the store first, because the task may have settled before the waiter started to listen. */
  async ofTask(agent: Runnable, submission: Submission, taskId: string, findReply: FindReply): Promise<SendResult> {
    if (submission.returnImmediately === true) return asItIs(this.#engine, submission, taskId, findReply);
    const waiter = new SettleWaiter(this.#engine, submission, taskId);
    void waiter.poll();
    try {
      const settled = await waiter.wait(maxWaitOf(agent, submission), submission.signal);
      return await this.outcome(agent, submission, taskId, { settled, waiter, findReply });
    } finally {
      waiter.close();
    }
  }

  /** The response for a task that has settled, or did not settle in time. */
  async outcome(
    agent: Runnable,
    submission: Submission,
    taskId: string,
    { settled, waiter, findReply }: Waited,
  ): Promise<SendResult> {
    if (settled.kind === 'replied') return { message: settled.message };
    if (settled.kind === 'gone') {
      const message = await this.#replyOf(taskId, waiter, findReply);
      if (message === undefined) throw notFound(taskId);
      return { message };
    }
    if (settled.kind === 'late') {
      if (submission.signal?.aborted === true) senderLeft(this.#engine, this.#runs, agent, submission, taskId);
      return asItIs(this.#engine, submission, taskId, () => this.#replyOf(taskId, waiter, findReply));
    }
    return { task: taskAt(settled) ?? (await this.#read(submission, settled.record)) };
  }

  /** Callers that wait for the same task and are notified at the same moment share one read. */
  #read(submission: Submission, { id, lastEvent, lastJournal }: TaskRecord): Promise<Task> {
    const key = `${id} ${lastEvent} ${lastJournal}`;
    let reading = this.#reading.get(key);
    if (reading === undefined) {
      reading = readTask(this.#engine, submission, id).finally(() => this.#reading.delete(key));
      this.#reading.set(key, reading);
    }
    return reading;
  }

  /** The reply of a dropped task. If the run that dropped it is on this node, it is about to publish the reply. */
  async #replyOf(taskId: string, waiter: SettleWaiter, findReply: FindReply): Promise<Message | undefined> {
    const message = waiter.hasReply || this.#runs.isHere(taskId) ? await waiter.reply : undefined;
    return message ?? findReply();
  }
}
