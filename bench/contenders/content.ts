/**
 * What every contender answers, in the JSON of 1.0, so that all of them put the same bytes on the wire but for their
 * ids and the order of members.
 */

/** What a message asks of the agent, in its metadata. Without a word about it: one artifact, and done. */
export interface WorkOrder {
  /** An artifact in so many pieces. */
  readonly chunks?: number;
  /** Each piece in a turn of the event loop of its own, as if it came from somewhere. */
  readonly isPaced?: boolean;
  /** So many milliseconds between two pieces, each of which says when it was made. */
  readonly everyMs?: number;
  /** Nothing, until it is canceled. */
  readonly isIdle?: boolean;
}

/** The id of the task that the `get` bench reads; each contender has it from the start. */
export const HISTORY_TASK_ID = '0f5b6c1e-77aa-4c0c-9d52-3f1f6c1d2a10';
export const HISTORY_LENGTH = 50;

export const ARTIFACT_ID = 'translation';
export const ARTIFACT_NAME = 'translation.txt';

/** The agent's whole work in the `send` bench. */
export function workOn(text: string): string {
  return `fr: ${text}`;
}

/** The n-th piece of the artifact in the `stream` bench, about as long as a few tokens of a model. */
export function chunkText(n: number): string {
  return `chunk ${n} of an answer, `;
}

/** What time it is for all processes of this machine, in milliseconds. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A finished task with a conversation of 50 messages behind it. */
export function historyTask() {
  const contextId = '5d0c2f7e-2f0f-4f5c-8f2e-0d7e6c3b9a11';
  return {
    id: HISTORY_TASK_ID,
    contextId,
    status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-11-15T12:00:00.000Z' } as const,
    artifacts: [
      { artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, parts: [{ text: 'The whole conversation, translated.' }] },
    ],
    history: Array.from({ length: HISTORY_LENGTH }, (_, n) => ({
      messageId: `message-${n}`,
      contextId,
      taskId: HISTORY_TASK_ID,
      role: n % 2 === 0 ? ('ROLE_USER' as const) : ('ROLE_AGENT' as const),
      parts: [{ text: `Turn ${n}: please keep the tone of the first paragraph, and the numbers as they are.` }],
    })),
  };
}

const FIRST_TIME = Date.parse('2026-11-01T00:00:00.000Z');

/** The n-th of the many tasks of the `list` bench. Each is a millisecond later than the one before. */
export function listedTask(n: number) {
  const id = listedTaskId(n);
  const contextId = `context of ${listedTaskId(Math.trunc(n / 100))}`;
  return {
    id,
    contextId,
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date(FIRST_TIME + n).toISOString() } as const,
    artifacts: [{ artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, parts: [{ text: chunkText(n) }] }],
    history: [
      { messageId: `m-${id}`, contextId, taskId: id, role: 'ROLE_USER' as const, parts: [{ text: `message ${n}` }] },
    ],
  };
}

/** Not in the order of the numbers, as real ids are not. */
export function listedTaskId(n: number): string {
  const mixed = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  return `${mixed.toString(16).padStart(8, '0')}-${n.toString(16).padStart(8, '0')}`;
}
