import type { ReadProgress, TaskProgress } from '../store.ts';

/** What was committed of a task. */
export interface Change {
  readonly taskId: string;
  /** What the write was signed with. */
  readonly by: string | undefined;
  /** Whether it is there for any node to run. */
  readonly isLeft: boolean;
  /** How far it has come; absent if it is gone. */
  readonly progress: TaskProgress | undefined;
}

/** What a payload tells of a task. */
interface Hint extends Omit<Change, 'progress'> {
  readonly progress: ReadProgress;
}

/** PostgreSQL wants it to be shorter than 8000 bytes in its own encoding, where a character may take half as much again. */
const MAX_BYTES = 5300;
/** `,null` */
const BYTES_OF_NONE = 5;

/** Of one writer: ids of tasks that any node may run, and of all others. */
type Head = readonly [sender: string, by: string | null, left: readonly string[], rest: readonly string[]];

/**
 * Two lines: who has written to what, and how far each of these tasks has come, as far as there is room. Every node reads
 * the first, and the second only where somebody listens to one of the tasks.
 */
export function encodeHint(sender: string, by: string | null, changes: readonly Change[]): string {
  const left = changes.filter(({ isLeft }) => isLeft);
  const rest = changes.filter(({ isLeft }) => !isLeft);
  const head = JSON.stringify([sender, by, left.map(idOf), rest.map(idOf)] satisfies Head);
  let room = MAX_BYTES - Buffer.byteLength(head) - changes.length * BYTES_OF_NONE;
  // Then nobody hears of it until he looks.
  if (room < 0) return '';
  const told = [...left, ...rest].map(({ progress }) => {
    const text = progress === undefined ? undefined : progressText(progress, room);
    if (text === undefined) return 'null';
    room -= Buffer.byteLength(text);
    return text;
  });
  return `${head}\n[${told.join(',')}]`;
}

function idOf({ taskId }: Change): string {
  return taskId;
}

/** Nothing if there is no room for it. */
function progressText({ lastEvent, endedAt, status, events }: TaskProgress, room: number): string | undefined {
  // What is much too long is not even written.
  if (events.reduce((sum, { body }) => sum + body.length, 0) > room) return undefined;
  const text = JSON.stringify({ lastEvent, endedAt, status: { state: status.state }, events } satisfies TaskProgress);
  return Buffer.byteLength(text) > room ? undefined : text;
}

/** Whatever comes: what is no hint of ours tells of nothing. */
export function decodeHint(payload: string): readonly Hint[] {
  const end = payload.indexOf('\n');
  const head = parsed(payload.slice(0, Math.max(0, end)));
  if (!isHead(head)) return [];
  const [, by, left, rest] = head;
  let told: unknown;
  const progressOf = (index: number): TaskProgress | undefined => {
    told ??= parsed(payload.slice(end + 1));
    return Array.isArray(told) ? ((told[index] as TaskProgress | null | undefined) ?? undefined) : undefined;
  };
  return [...left, ...rest].map((taskId, index) => ({
    taskId,
    by: by ?? undefined,
    isLeft: index < left.length,
    progress: () => progressOf(index),
  }));
}

function isHead(value: unknown): value is Head {
  return Array.isArray(value) && Array.isArray(value[2]) && Array.isArray(value[3]);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
