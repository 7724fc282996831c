import type { JsonObject } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import type { TaskState } from '../../model/state.ts';
import type { Writable } from '../../support/writable.ts';
import type { RunOutputs } from '../output/run-outputs.ts';
import type { Decision } from '../write/write-batch.ts';

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
