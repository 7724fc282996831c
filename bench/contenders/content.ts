/**
 * The responses of every contender, as JSON in the 1.0 format. All contenders send the same bytes except for ids and
 * the order of members.
 */

/** The work that a message requests in its metadata. Default: one artifact, then the task is completed. */
export interface WorkOrder {
  /** The number of chunks of the artifact. */
  readonly chunks?: number;
  /** Whether each chunk is sent in a separate turn of the event loop, as if it came from a model. */
  readonly isPaced?: boolean;
  /** The pause between two chunks in milliseconds. Each chunk then contains the time of its creation. */
  readonly everyMs?: number;
  /** Whether the task does nothing until it is canceled. */
  readonly isIdle?: boolean;
}

/** The id of the task that the `get` bench reads. Each contender has it from the start. */
export const HISTORY_TASK_ID = '0f5b6c1e-77aa-4c0c-9d52-3f1f6c1d2a10';
export const HISTORY_LENGTH = 50;

export const ARTIFACT_ID = 'translation';
export const ARTIFACT_NAME = 'translation.txt';

/** The text that the agent returns in the `send` bench. */
export function workOn(text: string): string {
  return `fr: ${text}`;
}

/** The n-th chunk of the artifact in the `stream` bench, about as long as a few tokens of a model. */
export function chunkText(n: number): string {
  return `chunk ${n} of an answer, `;
}

/** The time in milliseconds on a clock that all processes of this machine share. */
export function machineTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A completed task with a history of 50 messages. */
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

/** The n-th task of the `list` bench. Each one is a millisecond later than the previous one. */
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

/** The order of ids differs from that of the numbers, as with real ids. */
export function listedTaskId(n: number): string {
  const mixed = Math.imul(n + 1, 0x9e3779b1) >>> 0;
  return `${mixed.toString(16).padStart(8, '0')}-${n.toString(16).padStart(8, '0')}`;
}
