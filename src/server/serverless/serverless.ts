import type { Engine } from '../../engine/engine.ts';
import type { Submission } from '../../engine/submission.ts';
import { A2AError } from '../../errors.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Log } from '../../observe/log.ts';
import type { Scope } from '../../store/store.ts';
import { systemClock } from '../../support/clock.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { newId } from '../../support/id.ts';
import { LoneTimers } from '../../support/lone-timers.ts';
import type { Offer } from '../../wire/offer.ts';
import { EndingFrames } from '../auth/ending-frames.ts';
import { isHostedProduction } from '../auth/hosted.ts';
import type { EventFrames } from '../event-frames.ts';
import type { HttpRequest, HttpResponse, WaitUntil } from '../http.ts';
import { runPathOf, type ServerlessSettings } from '../serverless-options.ts';
import type { Service } from '../service.ts';
import { withAfterwards } from './afterwards.ts';
import { answerRun, answerSweep } from './endpoints.ts';
import { KeptTask } from './kept-task.ts';
import { SelfRequests } from './self-requests.ts';
import { Signatures } from './signature.ts';

export interface ServerlessParts {
  readonly engine: Engine;
  readonly settings: ServerlessSettings;
  readonly publicUrl: string | undefined;
  readonly offer: Offer;
  readonly log: Log;
}

const MAX_REPAIRED = 1000;

/** Keeps tasks going on a host that freezes the process as soon as it has answered. */
export class Serverless {
  readonly settings: ServerlessSettings;
  /** Without a secret, where others could make one up, there is none. */
  readonly signatures: Signatures | undefined;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #requests: SelfRequests | undefined;
  /** On a desk, where it does not know its address: what should go on elsewhere goes on here. */
  readonly #isAlone: boolean;
  readonly #timers = new LoneTimers(systemClock);
  /** When tasks were last gone on with because somebody asked after them. */
  readonly #repaired = new Map<string, number>();

  constructor({ engine, settings, publicUrl, offer, log }: ServerlessParts) {
    this.settings = settings;
    this.#engine = engine;
    this.#log = log;
    this.signatures = signaturesOf(settings, log);
    const url = settings.url ?? publicUrl;
    this.#isAlone = url === undefined && settings.after === undefined && !isHostedProduction();
    if (url === undefined && settings.after === undefined) {
      const effect = this.#isAlone ? 'run in this process, as if it lived on' : 'wait for a sweep';
      log.warn(`The agent does not know its address: set publicUrl, or tasks that nobody waits for ${effect}`);
    }
    const { signatures } = this;
    this.#requests =
      url === undefined || signatures === undefined
        ? undefined
        : new SelfRequests({ settings, url, path: runPathOf(offer), signatures, log });
  }

  /** Sends a message whose task goes on after the answer. */
  async whileSent<T>(
    submission: Submission,
    waitUntil: WaitUntil | undefined,
    send: (kept: Submission) => Promise<T>,
  ): Promise<T> {
    const kept = this.keep(submission, waitUntil);
    const result = await kept.unlessFailed(send(kept.submission));
    await kept.answered();
    return result;
  }

  /** @throws A2AError `UNAVAILABLE` if nobody would ever go on with the task. */
  keep(submission: Submission, waitUntil: WaitUntil | undefined): KeptTask {
    const awake = this.#keepAwake(waitUntil);
    if (submission.returnImmediately === true && awake === undefined) this.#assertSomebodyRunsIt();
    const { runMs } = this.settings;
    const { onDemand } = this.#engine;
    return new KeptTask(submission, { onDemand, runMs, awake, handOver: (taskId) => this.handOver(taskId) });
  }

  /** A task has something to do, and nobody here waits for it. */
  async goOn(taskId: string, waitUntil?: WaitUntil): Promise<void> {
    const awake = this.#keepAwake(waitUntil);
    if (awake === undefined) return this.handOver(taskId);
    void this.#work(taskId).finally(() => awake.resolve());
  }

  /**
   * Somebody asks after a task. If it should be at work and has been silent for long, whoever should run it may have been
   * lost. Never rejects.
   *
   * @param status If it is known.
   */
  async asked(access: Scope, taskId: string, waitUntil: WaitUntil | undefined, status?: TaskStatus): Promise<void> {
    if (status !== undefined && !this.#isSilent(status)) return;
    const now = Date.now();
    if (now - (this.#repaired.get(taskId) ?? 0) < this.settings.repairMs) return;
    try {
      const due = await this.#engine.onDemand.statusIfDue(access, taskId);
      if (due === undefined || !this.#isSilent(due)) return;
      if (this.#repaired.size >= MAX_REPAIRED) this.#repaired.clear();
      this.#repaired.set(taskId, now);
      await this.goOn(taskId, waitUntil);
    } catch (error) {
      this.#log.warn('A task that was asked after could not be looked at', { taskId, error });
    }
  }

  /** A task was canceled: that is to be told, and no run does so if it had none. Never rejects. */
  async canceled(taskId: string, waitUntil: WaitUntil | undefined): Promise<void> {
    try {
      if (await this.#engine.onDemand.hasPushesDue()) await this.goOn(taskId, waitUntil);
    } catch (error) {
      this.#log.warn('Whether anybody is to be told of a task could not be found out', { taskId, error });
    }
  }

  /** Asks another process to go on. Never rejects: a sweep finds what nobody could be asked for. */
  async handOver(taskId: string): Promise<void> {
    try {
      if (this.#isAlone) void this.#work(taskId);
      else await this.#requests?.run(taskId);
    } catch (error) {
      this.#log.warn('A task could not be handed over', { taskId, error });
    }
  }

  /** A stream that ends before the host ends it, and after which the task goes on. */
  whileRead(
    frames: EventFrames,
    known: AsyncIterable<string>,
    afterwards: (() => Promise<void>) | undefined,
  ): AsyncIterable<string> {
    const end = Date.now() + this.settings.runMs;
    const cut = known === frames ? new EndingFrames(frames, end, this.#timers) : this.#cutAt(end, frames, known);
    return afterwards === undefined ? cut : withAfterwards(cut, afterwards);
  }

  /** A request of the agent to itself, or of whoever calls for a sweep. Never rejects. */
  answer(service: Service, request: HttpRequest, what: 'run' | 'sweep'): Promise<HttpResponse> {
    return what === 'run' ? answerRun(this, service, request) : answerSweep(this, service, request);
  }

  close(): void {
    this.#timers.clear();
  }

  /** Never rejects. */
  async #work(taskId: string): Promise<void> {
    try {
      const worked = await this.#engine.onDemand.work(taskId, { forMs: this.settings.runMs });
      if (worked !== 'resting') await this.handOver(taskId);
    } catch (error) {
      this.#log.warn('Could not resume task', { taskId, error });
      // What failed here at once would fail here again.
      if (!this.#isAlone) await this.handOver(taskId);
    }
  }

  /** To be resolved when the process may be frozen, if the host can wait for that. */
  #keepAwake(waitUntil = this.settings.after): Deferred<void> | undefined {
    if (waitUntil === undefined && !this.#isAlone) return undefined;
    const done = deferred<void>();
    try {
      waitUntil?.(done.promise);
      return done;
    } catch (error) {
      // Outside of what it takes for a request, for one.
      this.#log.warn('The host does not wait', { error });
      return undefined;
    }
  }

  #isSilent({ state, timestamp = '' }: TaskStatus): boolean {
    if (isTerminal(state) || isPaused(state)) return false;
    return Date.now() - Date.parse(timestamp) > this.settings.repairMs;
  }

  #cutAt(end: number, frames: EventFrames, known: AsyncIterable<string>): AsyncIterable<string> {
    const disarm = this.#timers.add(end, () => frames.cutShort());
    return withAfterwards(known, async () => disarm());
  }

  #assertSomebodyRunsIt(): void {
    if (this.#requests !== undefined || this.settings.cronSecret !== undefined || !isHostedProduction()) return;
    throw new A2AError('UNAVAILABLE', 'This agent cannot work after its answer: wait for the task, or stream it', {
      cause: new Error('Nothing goes on after an answer: set serverless.secret and publicUrl, or serverless.after'),
    });
  }
}

/** On a desk the process believes itself and nobody else. */
function signaturesOf({ secrets, tokenMs }: ServerlessSettings, log: Log): Signatures | undefined {
  if (secrets.length > 0) return new Signatures(secrets, tokenMs);
  const isClosed = isHostedProduction();
  const effect = isClosed
    ? 'the agent makes none'
    : 'only this process believes them. In production there are none then';
  log.warn(`No secret is set for requests to itself: ${effect}. Set A2A_SECRET, or serverless.secret`);
  return isClosed ? undefined : new Signatures([newId() + newId()], tokenMs);
}
