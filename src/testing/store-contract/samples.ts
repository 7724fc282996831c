import { deepEqual, fail } from 'node:assert/strict';

import type { Message } from '../../model/message.ts';
import type { TaskState } from '../../model/state.ts';
import type { TaskStatus } from '../../model/task.ts';
import type {
  Appended,
  Guard,
  Idempotency,
  JournalEntry,
  JournalRecord,
  NewEvent,
  NewTask,
  PushConfigRecord,
  Scope,
  Store,
  StoredTask,
  TaskEvent,
  TaskRecord,
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

/** Creates a task. Fails if the store does not create it. */
export async function create(store: Store, task: NewTask): Promise<TaskRecord> {
  const created = await store.create(task);
  return created.kind === 'created' ? created.record : fail(`Not created: ${JSON.stringify(created)}`);
}

export type Done = Extract<Appended, { readonly kind: 'appended' }>;
export type Change = Omit<TaskWrite, 'taskId' | 'guard'>;

/** Writes to a task. Fails if the store rejects it. */
export async function append(store: Store, taskId: string, change: Change, guard: Guard = {}): Promise<Done> {
  const done = await store.append({ taskId, guard, ...change });
  return done.kind === 'appended' ? done : fail(`Not appended: ${JSON.stringify(done)}`);
}

/** A change that ends a task. */
export function end(endedAt: number = START, state: TaskState = 'TASK_STATE_COMPLETED'): Change {
  return { status: status(state, endedAt), endedAt };
}

/** Claims the task for a living node. */
export async function lease(store: Store, node: string, id: string): Promise<TaskRecord> {
  await store.heartbeat(node, TTL);
  const record = (await store.claim({ node, agents: ['translator'], limit: 1000 })).find((one) => one.id === id);
  return record ?? fail(`${node} did not get ${id}`);
}

export async function recordOf(store: Store, id: string, scope: Scope = ALICE): Promise<TaskRecord> {
  return (await store.read(scope, id))?.record ?? fail(`There is no task ${id}`);
}

export interface Everything {
  readonly task: StoredTask | undefined;
  readonly events: readonly TaskEvent[];
  readonly journal: readonly JournalRecord[];
}

/** All stored data of a task. */
export async function everythingOf(store: Store, id: string, scope: Scope = ALICE): Promise<Everything> {
  return {
    task: await store.read(scope, id, { artifacts: true }),
    events: await store.events(id, 0, 10_000),
    journal: await store.journal(id),
  };
}

/** Checks that the store has no data of a task. */
export async function assertUnknown(store: Store, id: string, scope: Scope = ALICE): Promise<void> {
  deepEqual(await everythingOf(store, id, scope), { task: undefined, events: [], journal: [] });
  deepEqual(await store.append({ taskId: id, guard: {}, events: [event('late')] }), { kind: 'rejected' });
}

/** The ids in a list, and its total. */
export async function listed(
  store: Store,
  query: Partial<Parameters<Store['list']>[1]> = {},
  scope: Scope = ALICE,
): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
  const { tasks, total } = await store.list(scope, { limit: 1000, history: 0, ...query });
  return { ids: tasks.map(({ record }) => record.id), total };
}

/** Stores a push configuration of Alice with a high limit. */
export function putPush(
  store: Store,
  taskId: string,
  record: PushConfigRecord,
  max = 1000,
): ReturnType<Store['putPushConfig']> {
  return store.putPushConfig(ALICE, taskId, record, max);
}

/** The ids of the push configurations of a task. */
export async function pushIds(
  store: Store,
  taskId: string,
  query: { readonly after?: string } = {},
): Promise<readonly string[] | undefined> {
  return (await store.pushConfigs(ALICE, taskId, { limit: 1000, ...query }))?.map(({ id }) => id);
}

/** The numbers from 0 up to a count. */
export function times(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}
