import type { Message } from '../../model/message.ts';
import type { TaskState } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type {
  Idempotency,
  JournalEntry,
  NewEvent,
  NewTask,
  PushConfigRecord,
  Scope,
  TaskWrite,
} from '../../store/store.ts';

export const START = Date.parse('2026-03-12T10:00:00.000Z');
export const HOUR = 3_600_000;
/** How long a node in these tests is alive after a heartbeat. */
export const TTL = 30_000;

export const ALICE: Scope = { tenant: 'acme', owner: 'alice' };

export function message(messageId: string, text = messageId): Message {
  return { messageId, role: 'ROLE_USER', parts: [{ text }] };
}

export function status(state: TaskState, time: number = START): TaskStatus {
  return { state, timestamp: new Date(time).toISOString() };
}

/** An event whose body identifies it. */
export function event(name: string, kind: NewEvent['kind'] = 'status'): NewEvent {
  return { kind, body: JSON.stringify({ name }) };
}

export function entry(key: string): JournalEntry {
  return { kind: 'step', key, body: { result: key } };
}

/** A journal entry with an outline, whose value must not be kept if it is sensitive. */
export function outlinedEntry(key: string, isSensitive = false): JournalEntry {
  return { ...entry(key), outline: { at: START, outcome: `of ${key}` }, ...(isSensitive && { sensitive: true }) };
}

export function key(name: string, digest = 'digest-1', keepUntil: number = START + 24 * HOUR): Idempotency {
  return { key: name, digest, keepUntil };
}

export function pushConfig(id: string, changes: Partial<PushConfigRecord> = {}): PushConfigRecord {
  const config = { id, url: `https://example.com/${encodeURIComponent(id)}`, token: `token of ${id}` };
  return { id, config, dialect: '1.0', createdAt: START, ...changes };
}

/** A visible task of Alice that is due and has no holder. */
export function newTask(id: string, changes: Partial<NewTask> = {}): NewTask {
  return { ...provisionalTask(id), event: event('created', 'task'), ...changes };
}

export function provisionalTask(id: string, changes: Partial<NewTask> = {}): NewTask {
  return {
    ...ALICE,
    id,
    contextId: `context of ${id}`,
    agent: 'translator',
    status: status('TASK_STATE_SUBMITTED'),
    origin: { dialect: '1.0' },
    message: message(`first of ${id}`),
    createdAt: START,
    wakeAt: START,
    ...changes,
  };
}

export type Change = Omit<TaskWrite, 'taskId' | 'guard'>;

/** A change that ends a task. */
export function end(endedAt: number = START, state: TaskState = 'TASK_STATE_COMPLETED'): Change {
  return { status: status(state, endedAt), endedAt };
}

/** The numbers from 0 up to a count. */
export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** One member of each item. */
export function pluck<T, K extends keyof T>(items: readonly T[], member: K): readonly T[K][] {
  return items.map((item) => item[member]);
}
