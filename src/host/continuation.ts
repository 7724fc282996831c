import type { TaskStream } from '../engine/engine.ts';
import type { Submission } from '../engine/tasks/submission.ts';
import type { TaskStatus } from '../model/task.ts';
import type { Scope } from '../store/store.ts';
import type { Failures } from './failure.ts';
import type { HttpRequest, HttpResponse, WaitUntil } from './http.ts';

/** A stream of a message, and what to do after its last event. */
export interface ContinuedStream extends TaskStream {
  readonly afterwards?: () => Promise<void>;
}

/**
 * Continues tasks after the response to their request. Only a process that may be frozen between requests has to do anything
 * for that. Members that return `undefined` have nothing to wait for.
 */
export interface Continuation {
  /**
   * Sends a message whose task continues after the response.
   *
   * @param send Sends the submission that it gets, which can have a task id of its own.
   */
  send<T>(
    submission: Submission,
    waitUntil: WaitUntil | undefined,
    send: (prepared: Submission) => Promise<T>,
  ): Promise<T>;
  /** Like `send`, for a stream. */
  stream(
    submission: Submission,
    waitUntil: WaitUntil | undefined,
    start: (prepared: Submission) => Promise<TaskStream>,
  ): Promise<ContinuedStream>;
  /** When a stream that starts now must end; `Infinity` for never. */
  streamEnd(): number;
  /** Resumes a task that no request waits for. */
  continueTask(taskId: string, waitUntil?: WaitUntil): Promise<void> | undefined;
  /**
   * Called for a request for a task: resumes the task if the process that should run it may be gone.
   *
   * @param status The status, if known.
   */
  resumeIfStale(
    access: Scope,
    taskId: string,
    waitUntil: WaitUntil | undefined,
    status?: TaskStatus,
  ): Promise<void> | undefined;
  /** Called for a canceled task. */
  canceled(taskId: string, waitUntil: WaitUntil | undefined): Promise<void> | undefined;
  /** Handles a request of the process to itself, or of a scheduler; `undefined` if there are none. */
  handle(request: HttpRequest, failures: Failures): Promise<HttpResponse> | undefined;
}

/** For a process that runs until it is closed. */
export const NO_CONTINUATION: Continuation = {
  send: (submission, _waitUntil, send) => send(submission),
  stream: (submission, _waitUntil, start) => start(submission),
  streamEnd: () => Infinity,
  continueTask: () => undefined,
  resumeIfStale: () => undefined,
  canceled: () => undefined,
  handle: () => undefined,
};
