import type { ReadProgress, TaskProgress } from '../../store.ts';

/** A committed change of a task. */
export interface Change {
  readonly taskId: string;
  /** The node in `TaskWrite.by`. */
  readonly by: string | undefined;
  /** Whether any node may run the task now or later. */
  readonly isClaimable: boolean;
  /** The progress of the task. Undefined if the task was removed. */
  readonly progress: TaskProgress | undefined;
  /** Whether the write has added calls or made calls due. */
  readonly callsDue: boolean;
}

/** The hint about one task in a payload. */
interface Hint extends Omit<Change, 'progress'> {
  readonly progress: ReadProgress;
}

/** PostgreSQL requires less than 8000 bytes in its encoding, in which a character may take up to 1.5 times as many bytes. */
const MAX_BYTES = 5300;
/** `,null` */
const BYTES_OF_NONE = 5;

/**
 * The changes of one writer: the ids of tasks that any node may run, and of all others, and the positions among both of the changes
 * that made calls due. Most writes make none due.
 */
type Head = readonly [
  sender: string,
  by: string | null,
  left: readonly string[],
  rest: readonly string[],
  callsDue?: readonly number[],
];

/**
 * Encodes changes as two lines: the writer with the ids of the tasks, and the progress of each task as far as there is room. Every
 * node parses the first line. A node parses the second line only if it has a subscriber of one of the tasks.
 */
export function encodeHint(sender: string, by: string | null, changes: readonly Change[]): string {
  const left = changes.filter(({ isClaimable }) => isClaimable);
  const rest = changes.filter(({ isClaimable }) => !isClaimable);
  const ordered = [...left, ...rest];
  const due = ordered.flatMap(({ callsDue }, index) => (callsDue ? [index] : []));
  const names = [sender, by, left.map(idOf), rest.map(idOf)] as const;
  const head = JSON.stringify((due.length === 0 ? names : [...names, due]) satisfies Head);
  let room = MAX_BYTES - Buffer.byteLength(head) - changes.length * BYTES_OF_NONE;
  // Without a hint, other nodes notice the change at their next poll.
  if (room < 0) return '';
  const told = ordered.map(({ progress }) => {
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

/** Undefined if there is no room. */
function progressText({ lastEvent, endedAt, status, events }: TaskProgress, room: number): string | undefined {
  // Skips the serialization if the events alone are too long.
  if (events.reduce((sum, { body }) => sum + body.length, 0) > room) return undefined;
  const text = JSON.stringify({ lastEvent, endedAt, status: { state: status.state }, events } satisfies TaskProgress);
  return Buffer.byteLength(text) > room ? undefined : text;
}

/** Decodes a payload. Returns no hints for any other payload. */
export function decodeHint(payload: string): readonly Hint[] {
  const end = payload.indexOf('\n');
  const head = parsed(payload.slice(0, Math.max(0, end)));
  if (!isHead(head)) return [];
  const [, by, left, rest, due = []] = head;
  let told: unknown;
  const progressOf = (index: number): TaskProgress | undefined => {
    told ??= parsed(payload.slice(end + 1));
    return Array.isArray(told) ? ((told[index] as TaskProgress | null | undefined) ?? undefined) : undefined;
  };
  return [...left, ...rest].map((taskId, index) => ({
    taskId,
    by: by ?? undefined,
    isClaimable: index < left.length,
    progress: () => progressOf(index),
    callsDue: due.includes(index),
  }));
}

function isHead(value: unknown): value is Head {
  if (!Array.isArray(value) || !Array.isArray(value[2]) || !Array.isArray(value[3])) return false;
  return value[4] === undefined || Array.isArray(value[4]);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
