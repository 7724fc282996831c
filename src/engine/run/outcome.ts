import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import type { TaskState } from '../../model/state.ts';
import type { Writable } from '../../support/writable.ts';
import type { RunOutputs } from '../output/run-outputs.ts';
import type { Decision } from '../write/write-batch.ts';
import type { LoadedTask } from '../replay/load-task.ts';
import type { Runnable } from '../runnable.ts';
import type { TaskRecord } from '../../store/store.ts';

/** How a turn of the handler ends. Only the first outcome counts. */
export type Outcome =
  | {
      readonly kind: 'end';
      readonly state: TaskState;
      readonly parts?: readonly Part[];
      readonly metadata?: JsonObject | undefined;
      /** Applies only while this question is open, because an answer may arrive first. */
      readonly ifOpen?: string;
    }
  | { readonly kind: 'reply'; readonly parts: readonly Part[] }
  /** The handler pauses the task with a status. The next message starts a new turn. */
  | {
      readonly kind: 'turn';
      readonly state: TaskState;
      readonly parts: readonly Part[];
      readonly metadata?: JsonObject | undefined;
    };

/** The question key of a turn that ended with a pause. The answer starts the next turn. */
function turnQuestion(turn: number): string {
  return `turn ${turn}`;
}

/** Whether a question is answered by a new turn instead of the value of an `ask`. */
export function isTurnQuestion(question: string): boolean {
  return question.startsWith('turn ');
}

/** The decision that is stored at the end of a turn. */
export function decisionOf(
  outcome: Outcome,
  outputs: RunOutputs,
  { now, turn, questionTtlMs }: { readonly now: number; readonly turn: number; readonly questionTtlMs: number },
): Decision {
  if (outcome.kind === 'reply') return { status: outputs.status('TASK_STATE_COMPLETED', outcome.parts), endedAt: now };
  const { state, parts, metadata } = outcome;
  const decision: Writable<Decision> = { status: outputs.status(state, parts) };
  if (metadata !== undefined) decision.metadata = metadata;
  if (outcome.kind === 'end') {
    decision.endedAt = now;
    if (outcome.ifOpen !== undefined) decision.ifOpen = outcome.ifOpen;
  } else {
    decision.release = true;
    decision.question = turnQuestion(turn);
    decision.wakeAt = now + questionTtlMs;
  }
  return decision;
}

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
