import type { Engine, TaskStream } from '../../engine/engine.ts';
import type { ContinuedStream, Continuation } from '../../host/continuation.ts';
import type { Submission } from '../../engine/tasks/submission.ts';
import { A2AError } from '../../errors.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { Log } from '../../observe/log.ts';
import type { Scope } from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { newId } from '../../support/id.ts';
import { isHostedProduction } from '../../host/auth/hosted.ts';
import type { Failures } from '../../host/failure.ts';
import type { HttpRequest, HttpResponse, WaitUntil } from '../../host/http.ts';
import { type ContinuationParts, type ServerlessSettings, SWEEP_PATH } from './serverless-options.ts';
import { handleRun, handleSweep } from './endpoints.ts';
import { ContinuedTask } from './continued-task.ts';
import { SelfRequests } from './self-requests.ts';
import { Signatures } from './signature.ts';

export interface ServerlessParts extends ContinuationParts {
  readonly engine: Engine;
  readonly settings: ServerlessSettings;
}

const MAX_REPAIRED = 1000;

const NO_URL = 'No public URL is configured: background tasks wait for the next sweep. Set publicUrl';
const NO_URL_LOCAL = 'No public URL is configured: background tasks run in this process. Set publicUrl';
const NO_SECRET =
  'No secret is configured for self-requests, so the agent makes none. Set A2A_SECRET or serverless.secret';
const NO_SECRET_LOCAL =
  'No secret is configured for self-requests, so only this process accepts its own. Production requires A2A_SECRET or serverless.secret';

/** Continues tasks on a host that freezes the process as soon as it has responded. */
export class Serverless implements Continuation {
  readonly settings: ServerlessSettings;
  /** Undefined in production without a secret. */
  readonly signatures: Signatures | undefined;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #requests: SelfRequests | undefined;
  /** Without a URL in development: tasks for other processes run in this one. */
  readonly #runsHere: boolean;
  /** When tasks were last resumed because of a request for them. */
  readonly #repaired = new Map<string, number>();

  constructor({ engine, settings, publicUrl, path, log }: ServerlessParts) {
    this.settings = settings;
    this.#engine = engine;
    this.#log = log;
    this.signatures = signaturesOf(settings, log);
    const url = settings.url ?? publicUrl;
    this.#runsHere = url === undefined && settings.after === undefined && !isHostedProduction();
    if (url === undefined && settings.after === undefined) {
      log.warn(this.#runsHere ? NO_URL_LOCAL : NO_URL);
    }
    engine.onDemand.onUnfinished((taskId) => this.handOver(taskId));
    const { signatures } = this;
    this.#requests =
      url === undefined || signatures === undefined
        ? undefined
        : new SelfRequests({ settings, url, path, signatures, log });
  }

  async send<T>(
    submission: Submission,
    waitUntil: WaitUntil | undefined,
    send: (prepared: Submission) => Promise<T>,
  ): Promise<T> {
    const kept = this.#keep(submission, waitUntil);
    const result = await kept.unlessFailed(send(kept.submission));
    await kept.responded();
    return result;
  }

  async stream(
    submission: Submission,
    waitUntil: WaitUntil | undefined,
    start: (prepared: Submission) => Promise<TaskStream>,
  ): Promise<ContinuedStream> {
    const kept = this.#keep(submission, waitUntil);
    const stream = await kept.unlessFailed(start(kept.submission));
    return { ...stream, afterwards: () => kept.responded() };
  }

  /** @throws A2AError `UNAVAILABLE` if no process would ever resume the task. */
  #keep(submission: Submission, waitUntil: WaitUntil | undefined): ContinuedTask {
    const awake = this.#keepAwake(waitUntil);
    if (submission.returnImmediately === true && awake === undefined) this.#assertCanRunLater();
    const { runMs } = this.settings;
    const { onDemand } = this.#engine;
    return new ContinuedTask(submission, { onDemand, runMs, awake, handOver: (taskId) => this.handOver(taskId) });
  }

  async continueTask(taskId: string, waitUntil?: WaitUntil): Promise<void> {
    const awake = this.#keepAwake(waitUntil);
    if (awake === undefined) return this.handOver(taskId);
    void this.#work(taskId).finally(() => awake.resolve());
  }

  /**
   * If the task should be running and its status has not changed for `repairMs`, the process that should run it may be gone. Never
   * rejects.
   */
  async resumeIfStale(
    access: Scope,
    taskId: string,
    waitUntil: WaitUntil | undefined,
    status?: TaskStatus,
  ): Promise<void> {
    if (status !== undefined && !this.#isStale(status)) return;
    const now = Date.now();
    if (now - (this.#repaired.get(taskId) ?? 0) < this.settings.repairMs) return;
    try {
      const due = await this.#engine.onDemand.statusIfDue(access, taskId);
      if (due === undefined || !this.#isStale(due)) return;
      if (this.#repaired.size >= MAX_REPAIRED) this.#repaired.clear();
      this.#repaired.set(taskId, now);
      await this.continueTask(taskId, waitUntil);
    } catch (error) {
      this.#log.warn('Could not check whether to resume task', { taskId, error });
    }
  }

  /** Delivers the push notifications of a canceled task and cancels its calls, because an idle task has no run that would. Never rejects. */
  async canceled(taskId: string, waitUntil: WaitUntil | undefined): Promise<void> {
    try {
      const { onDemand } = this.#engine;
      if ((await onDemand.hasPushesDue()) || (await onDemand.hasCallsDue())) await this.continueTask(taskId, waitUntil);
    } catch (error) {
      this.#log.warn('Could not check for due push notifications and calls', { taskId, error });
    }
  }

  /** Asks another process to resume the task. Never rejects, because a sweep finds tasks that could not be handed over. */
  async handOver(taskId: string): Promise<void> {
    try {
      if (this.#runsHere) void this.#work(taskId);
      else await this.#requests?.run(taskId);
    } catch (error) {
      this.#log.warn('Could not hand over task', { taskId, error });
    }
  }

  /** Streams end before the host ends them. */
  streamEnd(): number {
    return Date.now() + this.settings.runMs;
  }

  /** Never rejects. */
  handle(request: HttpRequest, failures: Failures): Promise<HttpResponse> {
    const { settings, signatures } = this;
    const handOver = (taskId: string): Promise<void> => this.handOver(taskId);
    const context = { engine: this.#engine, failures, settings, signatures, handOver };
    return request.path === SWEEP_PATH ? handleSweep(context, request) : handleRun(context, request);
  }

  /** Never rejects. */
  async #work(taskId: string): Promise<void> {
    try {
      const worked = await this.#engine.onDemand.work(taskId, { forMs: this.settings.runMs });
      if (worked !== 'resting') await this.handOver(taskId);
    } catch (error) {
      this.#log.warn('Could not resume task', { taskId, error });
      // In this process it would fail again.
      if (!this.#runsHere) await this.handOver(taskId);
    }
  }

  /** Keeps the process awake until the result is resolved; undefined if the host does not support it. */
  #keepAwake(waitUntil = this.settings.after): Deferred<void> | undefined {
    if (waitUntil === undefined && !this.#runsHere) return undefined;
    const done = deferred<void>();
    try {
      waitUntil?.(done.promise);
      return done;
    } catch (error) {
      // For example, because it is called outside of a request.
      this.#log.warn('Host rejected waitUntil', { error });
      return undefined;
    }
  }

  #isStale({ state, timestamp = '' }: TaskStatus): boolean {
    if (isTerminal(state) || isPaused(state)) return false;
    return Date.now() - Date.parse(timestamp) > this.settings.repairMs;
  }

  #assertCanRunLater(): void {
    if (this.#requests !== undefined || this.settings.cronSecret !== undefined || !isHostedProduction()) return;
    throw new A2AError(
      'UNAVAILABLE',
      'This agent cannot run tasks in the background: wait for the task, or stream it',
      {
        cause: new Error(
          'Tasks cannot run after the response: set serverless.secret and publicUrl, or serverless.after',
        ),
      },
    );
  }
}

/** Without a secret in development the process uses a random one, so it accepts only its own requests. */
function signaturesOf({ secrets, tokenMs }: ServerlessSettings, log: Log): Signatures | undefined {
  if (secrets.length > 0) return new Signatures(secrets, tokenMs);
  const isClosed = isHostedProduction();
  log.warn(isClosed ? NO_SECRET : NO_SECRET_LOCAL);
  return isClosed ? undefined : new Signatures([newId() + newId()], tokenMs);
}
