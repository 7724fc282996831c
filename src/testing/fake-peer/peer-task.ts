import { A2AError } from '../../errors.ts';
import type { StreamResponse } from '../../model/event.ts';
import { applyEvent } from '../../model/fold.ts';
import type { Message } from '../../model/message.ts';
import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { timeText } from '../../engine/write/status-time.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import type { LeaveSignal } from '../../support/leave-signal.ts';
import { silence } from '../in-process.ts';
import type { Hold, Pending } from './answer.ts';

/** An event with its number. Number 1 is the task in its first state. */
export interface NumberedEvent {
  readonly number: number;
  readonly event: StreamResponse;
}

/**
 * A task that follows its script. It does not depend on time: it advances by one event when a caller reads its stream or gets it, and
 * to its end when a caller waits for it.
 */
export class PeerTask {
  readonly #now: () => number;
  #task: Task;
  readonly #log: StreamResponse[];
  #pending: Pending[] = [];
  #released = new WeakSet<Hold>();
  #changed: Deferred<void> = deferred();

  constructor(task: Task, now: () => number) {
    this.#task = task;
    this.#log = [{ task }];
    this.#now = now;
  }

  get snapshot(): Task {
    return this.#task;
  }

  /** The number of the last event that has happened. */
  get number(): number {
    return this.#log.length;
  }

  get isTerminal(): boolean {
    return isTerminal(this.#task.status.state);
  }

  /** Adds a message and the steps that follow it. A paused task becomes `working` again. */
  take(message: Message, steps: readonly Pending[]): void {
    this.#task = { ...this.#task, history: [...(this.#task.history ?? []), message] };
    if (isPaused(this.#task.status.state)) this.#change('TASK_STATE_WORKING');
    this.#pending.push(...steps);
    for (const step of steps) if ('until' in step) void this.#release(step);
    this.#notify();
  }

  /** Advances by one event, unless there is none or the task is on hold. */
  lookAt(): Task {
    this.#advance();
    return this.#task;
  }

  /** Advances to the end of the script. */
  async finish(signal: LeaveSignal): Promise<Task> {
    while (this.#pending.length > 0) if (!this.#advance()) await this.#nextChange(signal);
    return this.#task;
  }

  /** The events after a number, including future ones. Ends with the task, and also with a question if `endsAtQuestion` is set. */
  async *follow(after: number, endsAtQuestion: boolean, signal: LeaveSignal): AsyncGenerator<NumberedEvent> {
    for (let number = after; ;) {
      const event = this.#log[number];
      if (event !== undefined) {
        number += 1;
        yield { number, event };
      } else if (this.#pending.length === 0 && this.#isSettled(endsAtQuestion)) return;
      else if (!this.#advance()) await this.#nextChange(signal);
    }
  }

  /** @throws A2AError `TASK_NOT_CANCELABLE` */
  cancel(): Task {
    const { id: taskId } = this.#task;
    if (this.isTerminal) {
      throw new A2AError('TASK_NOT_CANCELABLE', `Task ${taskId} has ended`, { details: { taskId } });
    }
    this.#pending = [];
    this.#change('TASK_STATE_CANCELED');
    return this.#task;
  }

  #change(state: TaskState): void {
    const { id: taskId, contextId = '' } = this.#task;
    this.#apply({ statusUpdate: { taskId, contextId, status: { state, timestamp: timeText(this.#now()) } } });
  }

  #isSettled(endsAtQuestion: boolean): boolean {
    return this.isTerminal || (endsAtQuestion && isPaused(this.#task.status.state));
  }

  #advance(): boolean {
    for (;;) {
      const [next] = this.#pending;
      if (next === undefined) return false;
      if ('until' in next && !this.#released.has(next)) return false;
      this.#pending.shift();
      if ('until' in next) continue;
      this.#apply(this.#opening(next.event(this.#now())));
      return true;
    }
  }

  /** Removes `append` from the first chunk of an artifact. */
  #opening(event: StreamResponse): StreamResponse {
    if (!('artifactUpdate' in event)) return event;
    const { append: _, ...update } = event.artifactUpdate;
    const { artifactId } = update.artifact;
    const isKnown = this.#task.artifacts?.some((artifact) => artifact.artifactId === artifactId) === true;
    return isKnown ? event : { artifactUpdate: update };
  }

  #apply(event: StreamResponse): void {
    this.#task = applyEvent(this.#task, event);
    this.#log.push(event);
    this.#notify();
  }

  async #release(hold: Hold): Promise<void> {
    await hold.until;
    this.#released.add(hold);
    this.#notify();
  }

  #notify(): void {
    this.#changed.resolve();
    this.#changed = deferred();
  }

  /** Resolves when the task has changed. Rejects when the caller has disconnected. */
  async #nextChange(signal: LeaveSignal): Promise<void> {
    await Promise.race([this.#changed.promise, silence(signal)]);
  }
}
