import { expect, test } from 'vitest';

import { TASK_STATES } from '../model/state.ts';
import { guardHolds, recordAfter, statusTime } from './guard.ts';
import type { Guard, TaskRecord, TaskWrite } from './store.ts';

const TASK: TaskRecord = {
  tenant: 'acme',
  owner: 'alice',
  id: 'one',
  contextId: 'context-1',
  agent: 'translator',
  status: { state: 'TASK_STATE_WORKING', timestamp: '2026-03-12T10:00:00.000Z' },
  metadata: { a: 1 },
  origin: { dialect: '1.0' },
  visible: true,
  lastEvent: 4,
  lastJournal: 2,
  fence: 3,
  node: 'node-a',
  attempts: 2,
  wakeAt: 1000,
  question: 'q-1',
  canceling: false,
  createdAt: 500,
};
const { node: _node, ...FREE } = TASK;
const { wakeAt: _wakeAt, ...ASLEEP } = TASK;
const { question: _question, ...UNASKED } = TASK;

function after(write: Omit<TaskWrite, 'taskId' | 'guard'>, task: TaskRecord = TASK): TaskRecord {
  return recordAfter(task, { taskId: task.id, guard: {}, ...write });
}

test.each<[string, Guard]>([
  ['nothing', {}],
  ['the lease', { lease: { node: 'node-a', fence: 3 } }],
  ['the state', { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] }],
  ['the question', { question: 'q-1' }],
  ['no intent to cancel', { canceling: false }],
])('a guard for %s holds', (_name, guard) => {
  expect(guardHolds(guard, TASK, true)).toBe(true);
});

test.each<[string, Guard]>([
  ['another node', { lease: { node: 'node-b', fence: 3 } }],
  ['an older lease', { lease: { node: 'node-a', fence: 2 } }],
  ['a newer lease', { lease: { node: 'node-a', fence: 4 } }],
  ['another state', { states: ['TASK_STATE_SUBMITTED'] }],
  ['no state', { states: [] }],
  ['an idle task', { idle: true }],
  ['another question', { question: 'q-2' }],
  ['the intent to cancel', { canceling: true }],
])('a guard for %s does not hold, even if all other conditions do', (_name, guard) => {
  const rest: Guard = {
    lease: { node: 'node-a', fence: 3 },
    states: ['TASK_STATE_WORKING'],
    question: 'q-1',
    canceling: false,
  };

  expect(guardHolds(guard, TASK, true)).toBe(false);
  expect(guardHolds({ ...rest, ...guard }, TASK, true)).toBe(false);
});

test('a task is idle if no living node holds it, whatever node is in its record', () => {
  expect(guardHolds({ idle: true }, TASK, false)).toBe(true);
  expect(guardHolds({ idle: true }, FREE, false)).toBe(true);
});

test.each(TASK_STATES.map((state) => [state]))('no guard holds for a terminal task: %s', (state) => {
  const task: TaskRecord = { ...TASK, status: { state } };
  const isOver = /COMPLETED|FAILED|CANCELED|REJECTED/.test(state);

  expect(guardHolds({}, task, false)).toBe(!isOver);
  expect(guardHolds({ states: [state] }, task, false)).toBe(!isOver);
});

test('an empty write does not change the record', () => {
  expect(after({})).toStrictEqual(TASK);
});

test.each<[string, Omit<TaskWrite, 'taskId' | 'guard'>, TaskRecord]>([
  ['events', { events: Array.from({ length: 3 }, () => ({ kind: 'status', body: '{}' })) }, { ...TASK, lastEvent: 7 }],
  ['journal', { journal: [{ kind: 'step', key: 'k', body: null }] }, { ...TASK, lastJournal: 3 }],
  ['status', { status: { state: 'TASK_STATE_SUBMITTED' } }, { ...TASK, status: { state: 'TASK_STATE_SUBMITTED' } }],
  ['metadata', { metadata: { b: 2 } }, { ...TASK, metadata: { b: 2 } }],
  ['wake-up', { wakeAt: 0 }, { ...TASK, wakeAt: 0 }],
  ['no wake-up', { wakeAt: null }, ASLEEP],
  ['question', { question: 'q-2' }, { ...TASK, question: 'q-2' }],
  ['no question', { question: null }, UNASKED],
  ['intent to cancel', { canceling: true }, { ...TASK, canceling: true }],
  ['release', { release: true }, { ...FREE, attempts: 0 }],
  ['revocation', { revoke: true }, { ...FREE, fence: 4 }],
  ['release and revocation', { release: true, revoke: true }, { ...FREE, fence: 4, attempts: 0 }],
  [
    'history, artifacts and key',
    { history: [], artifacts: '[]', idempotency: { key: 'k', digest: 'd', keepUntil: 1 } },
    TASK,
  ],
])('a write updates the record: %s', (_name, write, expected) => {
  expect(after(write)).toStrictEqual(expected);
});

test('the end of a task removes lease, wake-up time and question, even those of the same write', () => {
  const { wakeAt: _w, question: _q, ...rest } = FREE;

  expect(after({ endedAt: 9 })).toStrictEqual({ ...rest, endedAt: 9 });
  expect(after({ endedAt: 9, wakeAt: 10, question: 'q-2' })).toStrictEqual({ ...rest, endedAt: 9 });
  expect(after({ endedAt: 9, revoke: true })).toStrictEqual({ ...rest, endedAt: 9, fence: 4 });
});

test('visible and canceling are never reset', () => {
  expect(after({}, { ...TASK, visible: false }).visible).toBe(false);
  expect(after({ visible: true }, { ...TASK, visible: false }).visible).toBe(true);
  expect(after({}, { ...TASK, canceling: true }).canceling).toBe(true);
});

test('lists use the time of the status, or of the creation if the status has none', () => {
  expect(statusTime(TASK)).toBe(Date.UTC(2026, 2, 12, 10));
  expect(statusTime({ ...TASK, status: { state: 'TASK_STATE_WORKING' } })).toBe(500);
});
