import type { Message } from '../../model/message.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import type { JournalRecord } from '../../store/store.ts';
import type { CallOutcome } from './call.ts';
import type { CallingTask, CallRequest, CallUpdateEntry } from './call-request.ts';
import type { PeerState } from './peers.ts';

/** Why a call ends although its child has not: the child is canceled first. */
export interface Stop {
  readonly outcome: Exclude<CallOutcome, 'completed'>;
  readonly reason: string;
}

/** The key in the journal of a question of a called agent. */
function forwardedKey(callId: string, questionId: string): string {
  return `call ${callId}/${questionId}`;
}

/** The end of a question that was passed on to the caller of the parent, or to its handler. */
export type AnswerEntry =
  | { readonly value: Message | string }
  | { readonly expired: true }
  | { readonly canceled: true }
  /** The question could not be asked, or the handler that answers questions has failed. */
  | { readonly refused: string };

/** Derives why a call has to be stopped from stored facts; `undefined` if it continues. */
export function stopOf(callId: string, request: CallRequest, task: CallingTask, now: number): Stop | undefined {
  const { record, entries } = task;
  const isOver = record.canceling || record.endedAt !== undefined;
  if (isOver && request.onParentEnd === 'cancel' && !isDetached(request, task))
    return { outcome: 'canceled', reason: 'The calling task has ended' };
  if (entries.some(({ kind, key }) => kind === 'call-cancel' && key === request.key))
    return { outcome: 'canceled', reason: 'The call was canceled' };
  if (request.deadline !== undefined && request.deadline <= now)
    return { outcome: 'timed-out', reason: 'The deadline of the call has passed' };
  const prefix = forwardedKey(callId, '');
  for (const { kind, key, body } of entries) {
    if (kind !== 'answer' || !key.startsWith(prefix) || body === null) continue;
    const answer = body as unknown as AnswerEntry;
    if ('expired' in answer) return { outcome: 'timed-out', reason: 'The question was not answered in time' };
    if ('canceled' in answer)
      return { outcome: 'canceled', reason: 'The caller sent another message instead of an answer' };
    if ('refused' in answer) return { outcome: 'failed', reason: answer.refused };
  }
  return undefined;
}

function isDetached({ key }: CallRequest, { entries }: CallingTask): boolean {
  return entries.some((entry) => entry.kind === 'call-detach' && entry.key === key);
}

/** The outcome of a call by the state of its child; `undefined` if the child has not ended. */
export function outcomeOf(state: PeerState): CallOutcome | undefined {
  if (state.kind === 'message') return 'completed';
  switch (state.task.status.state) {
    case 'TASK_STATE_COMPLETED':
      return 'completed';
    case 'TASK_STATE_FAILED':
      return 'failed';
    case 'TASK_STATE_REJECTED':
      return 'rejected';
    case 'TASK_STATE_CANCELED':
      return 'canceled';
    default:
      return isTerminal(state.task.status.state) ? 'failed' : undefined;
  }
}

/** The question that the child shows, if it waits for an answer. */
export function shownQuestion({ status }: Task): ShownQuestion | undefined {
  const { state, message, timestamp } = status;
  if (!isPaused(state)) return undefined;
  const id = message?.messageId ?? timestamp ?? 'question';
  return {
    id,
    state: state as ShownQuestion['state'],
    message: message ?? { messageId: id, role: 'ROLE_AGENT', parts: [{ text: 'The agent asks for input.' }] },
  };
}

export interface ShownQuestion {
  readonly id: string;
  readonly state: 'TASK_STATE_INPUT_REQUIRED' | 'TASK_STATE_AUTH_REQUIRED';
  readonly message: Message;
}

/** The questions of one call that the journal of the parent has, and their answers. */
export class CallQuestions {
  readonly #callId: string;
  readonly #asked = new Set<string>();
  readonly #answers = new Map<string, AnswerEntry>();
  readonly #withdrawn = new Set<string>();

  constructor(callId: string, entries: readonly JournalRecord[]) {
    this.#callId = callId;
    const prefix = forwardedKey(callId, '');
    for (const { kind, key, body } of entries) {
      if (!key.startsWith(prefix)) continue;
      if (kind === 'call-question') this.#asked.add(key);
      else if (kind === 'call-withdrawn') this.#withdrawn.add(key);
      else if (kind === 'answer') this.#answers.set(key, body as unknown as AnswerEntry);
    }
  }

  /** The key under which a question was passed on last. It is passed on again if its answer was rejected. */
  keyOf(questionId: string): string | undefined {
    let key: string | undefined;
    for (let times = 1; ; times++) {
      const next = this.#key(questionId, times);
      if (!this.#asked.has(next)) return key;
      key = next;
    }
  }

  /** A key under which the question was not passed on yet. */
  newKey(questionId: string): string {
    for (let times = 1; ; times++) {
      const key = this.#key(questionId, times);
      if (!this.#asked.has(key)) return key;
    }
  }

  answer(key: string): AnswerEntry | undefined {
    return this.#answers.get(key);
  }

  /** The open questions, except for the one that the child shows. */
  stale(shown: string | undefined): readonly string[] {
    return [...this.#asked].filter((key) => key !== shown && !this.#answers.has(key) && !this.#withdrawn.has(key));
  }

  #key(questionId: string, times: number): string {
    return forwardedKey(this.#callId, times === 1 ? questionId : `${questionId}~${times}`);
  }
}

/** The number of the last event of the child that was relayed. */
export function lastRelayed(callId: string, entries: readonly JournalRecord[]): number | undefined {
  let last: number | undefined;
  for (const { kind, key, body } of entries) {
    if (kind !== 'call-update' || !key.startsWith(`${callId}/`)) continue;
    const { event } = body as unknown as CallUpdateEntry;
    if (event !== undefined) last = Math.max(last ?? 0, event);
  }
  return last;
}
