import type { TaskRecord } from '../../store/store.ts';
import type { LoadedTask } from '../replay/load-task.ts';
import { isTurnQuestion, type Outcome } from '../run/outcome.ts';
import type { Runnable } from '../runnable.ts';

/** Returns the outcome of a claimed task that must be ended instead of run, if any. */
export function refusalToRun({ limits }: Runnable, { record, journal }: LoadedTask, now: number): Refusal | undefined {
  const { attempts, crashes = 0, suspectMs, question, canceling } = record;
  if (canceling) return { kind: 'end', state: 'TASK_STATE_CANCELED' };
  if (attempts > limits.maxAttempts)
    return { ...failure(`The task was interrupted ${attempts - 1} times and will not be retried`), isGivenUp: true };
  if (crashes > limits.maxCrashes)
    return {
      ...failure(`The process crashed ${crashes} times while running the task, so it will not be retried`),
      isGivenUp: true,
    };
  // A crash beside another suspect does not count as an attempt, but the handler has run.
  if (limits.recovery === 'fail' && (attempts > 1 || suspectMs !== undefined || journal.hasBegun))
    return failure('The task was interrupted, and this agent does not retry tasks');
  const { maxQueuedMs = Number.POSITIVE_INFINITY } = limits;
  const isNew = attempts <= 1 && suspectMs === undefined && !journal.hasBegun && !isAtWork(record);
  if (isNew && now - record.createdAt >= maxQueuedMs)
    return failure(
      `The task waited ${maxQueuedMs} ms for a free slot and was not started. Send the message again later.`,
    );
  // A turn starts with a message. If the task is woken without one, the question has expired.
  if (question === undefined || !isTurnQuestion(question)) return undefined;
  return { ...failure('The question was not answered in time'), ifOpen: question };
}

function isAtWork({ status }: TaskRecord): boolean {
  return status.state !== 'TASK_STATE_SUBMITTED';
}

type EndOutcome = Extract<Outcome, { kind: 'end' }>;

interface Refusal extends EndOutcome {
  /** Set if too many interruptions are the reason. */
  readonly isGivenUp?: true;
}

function failure(text: string): EndOutcome {
  return { kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text }] };
}
