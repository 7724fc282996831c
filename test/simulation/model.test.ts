import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TASK_STATES, type TaskState } from '../../src/model/state.ts';
import type { TaskStatus } from '../../src/model/task.ts';
import { guardHolds, newRecord, recordAfter } from '../../src/store/guard.ts';
import type { NewEvent, NewTask, TaskWrite } from '../../src/store/store.ts';
import { created, difference, reduce } from './model.ts';
import { foldArtifacts, isTerminalState, type TaskModel } from './model-task.ts';

const NEW: NewTask = {
  tenant: '',
  owner: 'ann',
  id: 't',
  contextId: 'c',
  agent: 'a',
  node: 'n',
  origin: {},
  createdAt: 0,
  wakeAt: 0,
  status: { state: 'TASK_STATE_SUBMITTED', timestamp: time(0) },
  message: { messageId: 'm0', role: 'ROLE_USER', parts: [] },
};

function time(ms: number): string {
  return new Date(ms).toISOString();
}

function statusEvent(status: TaskStatus): NewEvent {
  return { kind: 'status', body: JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } }) };
}

/** A write of the node that runs the task, with a status in a state, as an engine would write it. */
function statusWrite(task: TaskModel, state: TaskState, more: Partial<TaskWrite> = {}): TaskWrite {
  const status = { state, timestamp: time(1) };
  const first: readonly NewEvent[] = task.log.length === 0 ? [{ kind: 'task', body: '{}' }] : [];
  return {
    taskId: 't',
    guard: { lease: { node: 'n', fence: task.fence } },
    events: [...first, statusEvent(status)],
    status,
    visible: true,
    ...(isTerminalState(state) && { endedAt: 1 }),
    ...more,
  };
}

const states = fc.constantFrom(...TASK_STATES.filter((state) => state !== 'TASK_STATE_UNSPECIFIED'));
/** The possible contents of one write; most of them are not allowed at a given moment. */
const moves = fc.record(
  {
    state: states,
    fenceOff: fc.constantFrom(0, 0, 0, 1, -1),
    canceling: fc.constant(true as const),
    release: fc.constant(true as const),
    question: fc.constantFrom('q', null),
    ifCanceling: fc.boolean(),
    ifOpen: fc.constant('q'),
  },
  { requiredKeys: ['fenceOff'] },
);
type Move = typeof moves extends fc.Arbitrary<infer M> ? M : never;

function writeOf(task: TaskModel, { state, fenceOff, ifCanceling, ifOpen, ...more }: Move): TaskWrite {
  const guard = {
    lease: { node: 'n', fence: task.fence + fenceOff },
    ...(ifCanceling !== undefined && { canceling: ifCanceling }),
    ...(ifOpen !== undefined && { question: ifOpen }),
  };
  const write: TaskWrite =
    state === undefined ? { taskId: 't', guard, visible: true } : statusWrite(task, state, { guard });
  return { ...write, ...more };
}

/** Applies moves, and claims the task in between if it is due. Returns the task after each of them. */
function pathOf(all: readonly Move[]): readonly TaskModel[] {
  const path = [created(NEW)];
  for (const move of all) {
    const task = path.at(-1) ?? created(NEW);
    const held = reduce(task, { kind: 'claim', node: 'n', now: 10, isHeld: task.node !== undefined });
    const ready = held.kind === 'done' && held.task !== undefined ? held.task : task;
    const verdict = reduce(ready, { kind: 'append', write: writeOf(ready, move), isHeld: ready.node !== undefined });
    path.push(verdict.kind === 'done' && verdict.task !== undefined ? verdict.task : ready);
  }
  return path;
}

const moveLists = fc.array(moves, { maxLength: 25 });

test('a task in a terminal state is changed by no operation', () => {
  fc.assert(
    fc.property(moveLists, (all) => {
      const path = pathOf(all);
      const end = path.findIndex(({ hasEnded }) => hasEnded);
      if (end >= 0) expect(path.slice(end).every((task) => task === path[end])).toBe(true);
    }),
  );
});

test('a task with the intent to cancel ends only as canceled', () => {
  fc.assert(
    fc.property(moveLists, (all) => {
      const path = pathOf(all);
      const intent = path.findIndex(({ isCanceling }) => isCanceling);
      const last = path.at(-1);
      if (intent < 0 || last?.hasEnded !== true) return;
      // The intent may come in the same write as the end.
      const wasOver = path[intent]?.hasEnded === true;
      expect(wasOver || last.status.state === 'TASK_STATE_CANCELED').toBe(true);
    }),
  );
});

test('events are only appended to the log, and fencing numbers never decrease', () => {
  fc.assert(
    fc.property(moveLists, (all) => {
      const path = pathOf(all);
      for (const [i, task] of path.entries()) {
        const before = path[i - 1] ?? task;
        expect(task.log.slice(0, before.log.length)).toEqual(before.log);
        expect(task.fence).toBeGreaterThanOrEqual(before.fence);
        expect(task.isCanceling || !before.isCanceling).toBe(true);
      }
    }),
  );
});

test('the random writes reach every task state', () => {
  const reached = new Set(
    fc.sample(moveLists, { numRuns: 2000, seed: 1 }).flatMap((all) => pathOf(all).map(({ status }) => status.state)),
  );
  expect(reached.size).toBe(TASK_STATES.length - 1);
});

test('guardHolds and recordAfter agree with the model for every write', () => {
  fc.assert(
    fc.property(moveLists, (all) => {
      let task = created(NEW);
      let record = newRecord(NEW);
      for (const move of all) {
        const write = writeOf(task, move);
        const isHeld = task.node !== undefined;
        const verdict = reduce(task, { kind: 'append', write, isHeld });
        if (verdict.kind === 'illegal') return;
        expect(guardHolds(write.guard, record, isHeld)).toBe(verdict.kind === 'done');
        if (verdict.kind !== 'done' || verdict.task === undefined) continue;
        ({ task } = { task: verdict.task });
        record = recordAfter(record, write);
        expect(difference(task, record)).toBeUndefined();
      }
    }),
  );
});

const chunks = fc.array(
  fc.record({ artifactId: fc.constantFrom('a', 'b', 'c'), text: fc.string({ maxLength: 3 }), append: fc.boolean() }),
  { maxLength: 30 },
);

test('folding later events into a snapshot gives the same artifacts as folding all events', () => {
  fc.assert(
    fc.property(chunks, fc.nat(30), (all, cut) => {
      const log = all.map(({ artifactId, text, append }): NewEvent => {
        const artifactUpdate = { taskId: 't', contextId: 'c', artifact: { artifactId, parts: [{ text }] }, append };
        return { kind: 'artifact', body: JSON.stringify({ artifactUpdate }) };
      });
      const snapshot = foldArtifacts(log.slice(0, cut));
      expect(foldArtifacts(log.slice(cut), snapshot)).toEqual(foldArtifacts(log));
    }),
  );
});

const WORKING = reducedTo(created(NEW), statusWrite(created(NEW), 'TASK_STATE_WORKING'));
const ASKED = reducedTo(WORKING, statusWrite(WORKING, 'TASK_STATE_INPUT_REQUIRED', { question: 'q' }));
const CANCELING = reducedTo(WORKING, { taskId: 't', guard: {}, canceling: true });
const ANSWER = { kind: 'answer', key: 'q', body: { value: 'yes' } };
const USER = { messageId: 'm1', role: 'ROLE_USER' as const, parts: [] };

function reducedTo(task: TaskModel, write: TaskWrite): TaskModel {
  const verdict = reduce(task, { kind: 'append', write, isHeld: true });
  if (verdict.kind !== 'done' || verdict.task === undefined) throw new Error(`The write is ${verdict.kind}`);
  return verdict.task;
}

test.each<[string, TaskModel, TaskWrite]>([
  ['no status returns to submitted', WORKING, statusWrite(WORKING, 'TASK_STATE_SUBMITTED')],
  ['ends only as canceled', CANCELING, statusWrite(CANCELING, 'TASK_STATE_COMPLETED')],
  ['does not pause', CANCELING, statusWrite(CANCELING, 'TASK_STATE_INPUT_REQUIRED', { question: 'q' })],
  ['a task is canceled only with the intent', WORKING, statusWrite(WORKING, 'TASK_STATE_CANCELED')],
  ['a question is open exactly while', WORKING, statusWrite(WORKING, 'TASK_STATE_INPUT_REQUIRED')],
  ['answered once, and only while it is open', WORKING, { taskId: 't', guard: {}, journal: [ANSWER], history: [USER] }],
  [
    'enters history and journal together',
    ASKED,
    statusWrite(ASKED, 'TASK_STATE_WORKING', { question: null, journal: [ANSWER] }),
  ],
  [
    'only the holder of the lease',
    WORKING,
    { taskId: 't', guard: {}, journal: [{ kind: 'step', key: 'x#1', body: {} }] },
  ],
  ['the node that ends a task holds it', WORKING, statusWrite(WORKING, 'TASK_STATE_COMPLETED', { guard: {} })],
  ['a lease is revoked only', WORKING, { taskId: 't', guard: {}, revoke: true }],
  ['has a wake time', WORKING, { taskId: 't', guard: { lease: { node: 'n', fence: 1 } }, release: true, wakeAt: null }],
  ['never older', WORKING, { ...statusWrite(WORKING, 'TASK_STATE_WORKING'), ...aged(WORKING) }],
])('the model forbids a write that breaks the rule "%s"', (rule, task, write) => {
  const verdict = reduce(task, { kind: 'append', write, isHeld: true });
  expect(verdict.kind === 'illegal' ? verdict.why : verdict.kind).toContain(rule);
});

function aged({ log }: TaskModel): Partial<TaskWrite> {
  const status = { state: 'TASK_STATE_WORKING' as const, timestamp: time(0) };
  return { status, events: log.length === 0 ? [] : [statusEvent(status)] };
}
