import type { TaskRecord } from '../store/store.ts';
import type { LoadedTask } from './load-task.ts';
import { isTurnQuestion, type Outcome } from './outcome.ts';
import type { Runnable } from './runnable.ts';

/** Why a claimed task is ended instead of run, if it is. */
export function refusalToRun({ limits }: Runnable, { record, journal }: LoadedTask, now: number): Refusal | undefined {
  const { attempts, crashes = 0, suspectMs, question, canceling } = record;
  if (canceling) return { kind: 'end', state: 'TASK_STATE_CANCELED' };
  if (attempts > limits.maxAttempts)
    return { ...failure(`The task was interrupted ${attempts - 1} times and is not tried again`), isGivenUp: true };
  if (crashes > limits.maxCrashes)
    return {
      ...failure(`The process crashed ${crashes} times during the task, which is not tried again`),
      isGivenUp: true,
    };
  // A crash beside another suspect does not count as an attempt, but the handler has run.
  if (limits.recovery === 'fail' && (attempts > 1 || suspectMs !== undefined || journal.hasBegun))
    return failure('The task was interrupted, and this agent does not run anything twice');
  const { maxQueuedMs = Number.POSITIVE_INFINITY } = limits;
  const isNew = attempts <= 1 && suspectMs === undefined && !journal.hasBegun && !isAtWork(record);
  if (isNew && now - record.createdAt >= maxQueuedMs)
    return failure(
      `The task waited ${maxQueuedMs} ms for a free slot and was not started: send the message again later`,
    );
  // A turn begins with a message; if it is woken without one, the time for it is over.
  if (question === undefined || !isTurnQuestion(question)) return undefined;
  return { ...failure('The question was not answered in time'), ifOpen: question };
}

function isAtWork({ status }: TaskRecord): boolean {
  return status.state !== 'TASK_STATE_SUBMITTED';
}

type EndOutcome = Extract<Outcome, { kind: 'end' }>;

interface Refusal extends EndOutcome {
  /** Crashes are the reason. */
  readonly isGivenUp?: true;
}

function failure(text: string): EndOutcome {
  return { kind: 'end', state: 'TASK_STATE_FAILED', parts: [{ text }] };
}
