import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { TaskState } from '../../model/state.ts';
import type { TaskQuery, TaskRecord } from '../store.ts';
import { type Indexed, TaskIndex } from './task-index.ts';

const ALICE = { tenant: 'acme', owner: 'alice' };

function row(id: string, time: number, changes: Partial<TaskRecord> = {}): Indexed {
  const record: TaskRecord = {
    ...ALICE,
    id,
    contextId: 'context-1',
    agent: 'translator',
    status: statusAt(time),
    origin: {},
    visible: true,
    lastEvent: 0,
    lastJournal: 0,
    fence: 0,
    attempts: 0,
    canceling: false,
    createdAt: 0,
  };
  return { record: { ...record, ...changes } };
}

function statusAt(time: number, state: TaskState = 'TASK_STATE_WORKING'): TaskRecord['status'] {
  return { state, timestamp: new Date(time).toISOString() };
}

function indexOf(...rows: readonly Indexed[]): TaskIndex<Indexed> {
  const index = new TaskIndex<Indexed>();
  for (const one of rows) index.add(one);
  return index;
}

function ids(index: TaskIndex<Indexed>, query: Partial<TaskQuery> = {}): readonly string[] {
  return index.page(ALICE, { limit: 100, ...query }).rows.map(({ record }) => record.id);
}

test('rows are sorted by time, latest first, and ids break ties', () => {
  expect(ids(indexOf(row('b', 1), row('a', 2), row('c', 1), row('d', 3), row('Z', 1)))).toEqual([
    'd',
    'a',
    'c',
    'b',
    'Z',
  ]);
});

test('a row moves when its status changes, and stays when only its record changes', () => {
  const [one, two] = [row('one', 1), row('two', 2)];
  const index = indexOf(one, two);

  index.update(one, { ...one.record, attempts: 7 });
  expect(ids(index)).toEqual(['two', 'one']);
  expect(one.record.attempts).toBe(7);

  index.update(one, { ...one.record, status: statusAt(3) });
  expect(ids(index)).toEqual(['one', 'two']);
});

test('a row is listed once it is visible', () => {
  const hidden = row('hidden', 1, { visible: false });
  const index = indexOf(hidden, row('one', 2));
  expect(ids(index)).toEqual(['one']);

  index.update(hidden, { ...hidden.record, visible: true });
  expect(ids(index)).toEqual(['one', 'hidden']);
});

test('removing a hidden row does not remove another one', () => {
  const index = indexOf(row('one', 1));
  index.remove(row('one', 1, { visible: false }));

  expect(ids(index)).toEqual(['one']);
});

test('a removed row is no longer listed, and an owner without rows can get new ones', () => {
  const [one, two] = [row('one', 1), row('two', 2)];
  const index = indexOf(one, two);

  index.remove(two);
  expect(ids(index)).toEqual(['one']);
  index.remove(one);
  expect(index.page(ALICE, { limit: 1 })).toEqual({ rows: [], total: 0 });
  index.add(two);
  expect(ids(index)).toEqual(['two']);
});

test('each owner has a separate list', () => {
  const bob = { tenant: 'acme', owner: 'bob' };
  const index = indexOf(
    row('one', 1),
    row('two', 1, bob),
    row('three', 1, { tenant: 'acmeal', owner: 'ice' }),
    row('four', 1, { tenant: 'globex' }),
  );

  expect(ids(index)).toEqual(['one']);
  expect(index.page(bob, { limit: 9 }).rows.map(({ record }) => record.id)).toEqual(['two']);
});

test('a page can start at a position between tasks or of a task that has moved', () => {
  const index = indexOf(row('a', 1), row('b', 2), row('c', 3));

  expect(ids(index, { after: { statusTime: 2, id: 'b' } })).toEqual(['a']);
  expect(ids(index, { after: { statusTime: 2, id: 'a' } })).toEqual(['a']);
  expect(ids(index, { after: { statusTime: 2, id: 'x' } })).toEqual(['b', 'a']);
  // b was at 3 when the first page was read, and has moved after that position.
  expect(ids(index, { after: { statusTime: 3, id: 'b' } })).toEqual(['b', 'a']);
});

test('after random changes the index equals sorting and filtering', () => {
  const states: readonly TaskState[] = ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'];
  const step = fc.record({
    what: fc.constantFrom(...(['add', 'add', 'add', 'update', 'update', 'remove'] as const)),
    pick: fc.nat(30),
    time: fc.nat(4),
    state: fc.constantFrom(...states),
    contextId: fc.constantFrom('red', 'blue'),
    visible: fc.boolean(),
  });
  const query = fc.record(
    {
      contextId: fc.constantFrom('red', 'blue'),
      states: fc.constantFrom([states[0] ?? 'TASK_STATE_WORKING'], states),
      statusSince: fc.nat(4),
      after: fc.nat(30),
    },
    { requiredKeys: [] },
  );

  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60, size: 'max' }),
      query,
      fc.integer({ min: 1, max: 9 }),
      (steps, { after, ...asked }, limit) => {
        const index = new TaskIndex<Indexed>();
        const rows: Indexed[] = [];
        for (const [i, { what, pick, time, state, contextId, visible }] of steps.entries()) {
          const known = rows[pick % Math.max(rows.length, 1)];
          const status = statusAt(time, state);
          if (what === 'add' || known === undefined) {
            // Ids in another order than the creation.
            const added = row(`${(i * 7) % 10}-${i}`, time, { status, contextId, visible });
            rows.push(added);
            index.add(added);
          } else if (what === 'update') {
            index.update(known, { ...known.record, status, visible: known.record.visible || visible });
          } else {
            index.remove(known);
            rows.splice(rows.indexOf(known), 1);
          }
        }

        const matching = rows
          .filter(({ record }) => record.visible)
          .filter(({ record }) => record.contextId === (asked.contextId ?? record.contextId))
          .filter(({ record }) => asked.states?.includes(record.status.state) ?? true)
          .filter(({ record }) => timeOf(record) >= (asked.statusSince ?? 0))
          .sort((a, b) => timeOf(b.record) - timeOf(a.record) || (a.record.id < b.record.id ? 1 : -1));
        const last = after === undefined ? undefined : matching[after % Math.max(matching.length, 1)];
        const start = last === undefined ? 0 : matching.indexOf(last) + 1;
        const position = last && { after: { statusTime: timeOf(last.record), id: last.record.id } };
        expect(index.page(ALICE, { ...asked, ...position, limit })).toEqual({
          rows: matching.slice(start, start + limit),
          total: matching.length,
        });
      },
    ),
  );
});

function timeOf({ status }: TaskRecord): number {
  return Date.parse(status.timestamp ?? '');
}
