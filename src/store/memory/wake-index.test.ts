import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { TaskRecord } from '../store.ts';
import { type Waking, WakeIndex, type WakeQuery } from './wake-index.ts';

interface Row extends Waking {
  record: TaskRecord;
}

function row(order: number, changes: Partial<TaskRecord> = {}): Row {
  const record: TaskRecord = {
    tenant: 'acme',
    owner: 'alice',
    id: `task-${order}`,
    contextId: 'context-1',
    agent: 'translator',
    status: { state: 'TASK_STATE_WORKING' },
    origin: {},
    visible: true,
    lastEvent: 0,
    lastJournal: 0,
    fence: 0,
    attempts: 0,
    canceling: false,
    createdAt: 0,
  };
  return { record: { ...record, ...changes }, order };
}

function indexOf(...rows: readonly Row[]): WakeIndex<Row> {
  const index = new WakeIndex<Row>();
  for (const one of rows) index.add(one);
  return index;
}

function orders(index: WakeIndex<Row>, query: Partial<WakeQuery> = {}): readonly number[] {
  const found = index.find({ agents: ['translator'], isAlive: () => false, until: 100, limit: 100, ...query });
  return found.map(({ order }) => order);
}

test('the longest due come first, those of the same time in the order of their making', () => {
  const index = indexOf(row(3, { wakeAt: 5 }), row(1, { wakeAt: 7 }), row(2, { wakeAt: 5 }));

  expect(orders(index)).toEqual([2, 3, 1]);
});

test('those with another holder stand between the others', () => {
  const index = indexOf(row(1, { wakeAt: 5 }), row(2, { wakeAt: 4, node: 'a' }), row(3, { wakeAt: 6, node: 'b' }));

  expect(orders(index)).toEqual([2, 1, 3]);
  expect(orders(index, { limit: 2 })).toEqual([2, 1]);
  expect(orders(index, { isAlive: (node) => node === 'a' })).toEqual([1, 3]);
});

test('neither what is not due yet nor what will never be', () => {
  const index = indexOf(row(1, { wakeAt: 5 }), row(2, { wakeAt: 6 }), row(3));

  expect(orders(index, { until: 5 })).toEqual([1]);
  expect(orders(index, { until: Infinity })).toEqual([1, 2]);
});

test('rows of other agents take no place away', () => {
  const index = indexOf(row(1, { wakeAt: 5, agent: 'painter' }), row(2, { wakeAt: 6 }));

  expect(orders(index, { limit: 1 })).toEqual([2]);
});

test.each([0, -1])('a limit of %i gives nothing', (limit) => {
  expect(orders(indexOf(row(1, { wakeAt: 5 })), { limit })).toEqual([]);
});

test('the living are not looked at, however many tasks they have', () => {
  const held = Array.from({ length: 1000 }, (_, i) => row(i, { wakeAt: i, node: 'a' }));
  const index = indexOf(...held, row(2000, { wakeAt: 5 }));
  let looks = 0;
  const agents = ['translator'];
  agents.includes = (name) => {
    looks += 1;
    return name === 'translator';
  };

  expect(orders(index, { agents, isAlive: (node) => node === 'a' })).toEqual([2000]);
  expect(looks).toBe(1);
});

test('an index that was changed at random gives what sorting and filtering gives', () => {
  const member = fc.record(
    { wakeAt: fc.nat(9), node: fc.constantFrom('a', 'b', 'c'), agent: fc.constantFrom('translator', 'painter') },
    { requiredKeys: ['agent'] },
  );
  const step = fc.record({ what: fc.constantFrom('add', 'add', 'change', 'remove'), pick: fc.nat(30), member });
  const query = fc.record({
    agents: fc.constantFrom<readonly string[]>(['painter'], ['painter', 'translator']),
    living: fc.subarray(['a', 'b', 'c']),
    until: fc.nat(9),
    limit: fc.nat(9),
  });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), query, (steps, { living, ...asked }) => {
      const index = new WakeIndex<Row>();
      const rows: Row[] = [];
      for (const [i, { what, pick, member: changes }] of steps.entries()) {
        const known = rows[pick % Math.max(rows.length, 1)];
        if (what === 'add' || known === undefined) {
          const added = row(i, changes);
          rows.push(added);
          index.add(added);
        } else {
          index.remove(known);
          if (what === 'remove') rows.splice(rows.indexOf(known), 1);
          else known.record = row(known.order, changes).record;
          if (what === 'change') index.add(known);
        }
      }

      const isAlive = (node: string | undefined): boolean => node !== undefined && living.includes(node);
      const expected = rows
        .filter(({ record }) => (record.wakeAt ?? Infinity) <= asked.until && asked.agents.includes(record.agent))
        .filter(({ record }) => !isAlive(record.node))
        .sort((a, b) => (a.record.wakeAt ?? 0) - (b.record.wakeAt ?? 0) || a.order - b.order)
        .map(({ order }) => order);
      expect(orders(index, { ...asked, isAlive })).toEqual(expected.slice(0, asked.limit));
    }),
  );
});
