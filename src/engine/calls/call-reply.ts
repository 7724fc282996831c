import type { JsonValue } from '../../model/json.ts';
import type { Part } from '../../model/part.ts';
import { textOfParts } from '../../model/part-text.ts';
import { RESULT } from '../../model/skills.ts';
import { textOfTask } from '../../model/task-text.ts';
import type { CallOutcome, CallReply } from './call.ts';
import type { CalledEntry } from './call-request.ts';
import type { PeerState } from './peers.ts';

/** The result of a call as its handler gets it. */
export function replyOf({ outcome, reason, state }: CalledEntry): CallReply {
  const task = state?.kind === 'task' ? state.task : undefined;
  const message = state?.kind === 'message' ? state.message : undefined;
  const said = task === undefined ? textOfParts(message?.parts ?? []) : textOfTask(task);
  const text = outcome === 'completed' ? said : (reason ?? said);
  return { outcome, text, data: state && dataOf(state), task, message };
}

const WORDS: Readonly<Record<CallOutcome, string>> = {
  completed: 'completed',
  failed: 'failed',
  rejected: 'was rejected',
  canceled: 'was canceled',
  unreachable: 'could not be made',
  'timed-out': 'timed out',
  uncertain: 'has an unknown outcome',
};

/** Why a call did not complete, for the author of the handler and for models. */
export function failureText(peer: string, { outcome, text }: CallReply): string {
  return `The call to ${peer} ${WORDS[outcome]}${text === '' ? '' : `: ${text}`}`;
}

function dataOf(state: PeerState): JsonValue | undefined {
  if (state.kind === 'message') return dataIn(state.message.parts);
  const { artifacts = [], status } = state.task;
  const result = artifacts.find(({ name }) => name === RESULT);
  const named = result && dataIn(result.parts);
  const last = artifacts.map(({ parts }) => dataIn(parts)).findLast((data) => data !== undefined);
  return named ?? last ?? dataIn(status.message?.parts ?? []);
}

function dataIn(parts: readonly Part[]): JsonValue | undefined {
  const part = parts.findLast((each) => 'data' in each);
  return part !== undefined && 'data' in part ? part.data : undefined;
}
