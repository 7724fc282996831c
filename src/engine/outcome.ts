import type { JsonObject } from '../model/json.ts';
import type { Part } from '../model/part.ts';
import type { TaskState } from '../model/state.ts';
import type { Writable } from '../support/writable.ts';
import type { RunOutputs } from './run-outputs.ts';
import type { Decision } from './write-batch.ts';

/** How a turn of the handler ends. The first one counts. */
export type Outcome =
  | {
      readonly kind: 'end';
      readonly state: TaskState;
      readonly parts?: readonly Part[];
      readonly metadata?: JsonObject | undefined;
      /** Only while this question is open: an answer at the last moment was first. */
      readonly ifOpen?: string;
    }
  | { readonly kind: 'reply'; readonly parts: readonly Part[] }
  /** The handler asks by a status and will be called again with the answer. */
  | {
      readonly kind: 'turn';
      readonly state: TaskState;
      readonly parts: readonly Part[];
      readonly metadata?: JsonObject | undefined;
    };

/** The question of a turn that ended with one: its answer begins the next turn. */
function turnQuestion(turn: number): string {
  return `turn ${turn}`;
}

/** Whether a question is answered by a new turn, and not by the value of an `ask`. */
export function isTurnQuestion(question: string): boolean {
  return question.startsWith('turn ');
}

/** What is stored at the end of a turn. */
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
