import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { ClaimRequest, TaskRecord } from '../store.ts';
import { type Waking, WakeIndex } from './wake-index.ts';

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
  return { record: { ...record, ...changes }, order, isQueued: false };
}

function indexOf(...rows: readonly Row[]): WakeIndex<Row> {
  const index = new WakeIndex<Row>();
  for (const one of rows) index.add(one);
  return index;
}

interface Query extends Partial<ClaimRequest> {
  readonly now?: number;
}

/** The rows of a claim. The index is not changed. */
function orders(index: WakeIndex<Row>, { now = 100, ...request }: Query = {}): readonly number[] {
  const given = index.claim({ node: 'n', agents: ['translator'], limit: 100, ...request }, now);
  return given.map(({ order }) => order);
}

test('the longest due rows come first, and rows with the same time in the order of their creation', () => {
  const index = indexOf(row(3, { wakeAt: 5 }), row(1, { wakeAt: 7 }), row(2, { wakeAt: 5 }));

  expect(orders(index)).toEqual([2, 3, 1]);
});

test('a claim does not return held rows, and rows of dead nodes are found', () => {
  const index = indexOf(row(1, { wakeAt: 5 }), row(2, { wakeAt: 4, node: 'a' }), row(3, { wakeAt: 6, node: 'b' }));
  const dead = [...index.ofDeadNodes((node) => node === 'a')];

  expect(orders(index)).toEqual([1]);
  expect(dead.map((rows) => rows.map(({ order }) => order))).toEqual([[3]]);
});

test('suspects come before all others, up to the requested number, those with the fewest attempts first', () => {
  const suspect = { suspectMs: 1000, wakeAt: 50 };
  const index = indexOf(
    row(1, { wakeAt: 60 }),
    row(2, { ...suspect, attempts: 2 }),
    row(3, { ...suspect, attempts: 1 }),
    row(4, { ...suspect, attempts: 1, wakeAt: 40 }),
    row(5, { ...suspect, wakeAt: 101 }),
  );

  expect(orders(index, { limit: 1 })).toEqual([4]);
  expect(orders(index, { suspects: 0 })).toEqual([1]);
  expect(orders(index, { suspects: 1 })).toEqual([4, 1]);
  expect(orders(index, { suspects: 2 })).toEqual([4, 3, 1]);
  expect(orders(index)).toEqual([4, 2, 3, 1]);
  expect(index.next(['translator'], () => true, 60)).toBe(101);
});

test('a claim returns neither rows that are due later nor rows without a wake-up time', () => {
  const index = indexOf(row(1, { wakeAt: 5 }), row(2, { wakeAt: 6 }), row(3));

  expect(orders(index, { now: 5 })).toEqual([1]);
  expect(orders(index)).toEqual([1, 2]);
});

test('rows of other agents do not count against the limit', () => {
  const index = indexOf(row(1, { wakeAt: 5, agent: 'painter' }), row(2, { wakeAt: 6 }));

  expect(orders(index, { limit: 1 })).toEqual([2]);
});

test.each([0, -1])('a claim with the limit %i returns nothing', (limit) => {
  expect(orders(indexOf(row(1, { wakeAt: 5 })), { limit })).toEqual([]);
});

test('the rows of living nodes are not read, however many there are', () => {
  const held = Array.from({ length: 1000 }, (_, i) => row(i, { wakeAt: i, node: 'a' }));
  const index = indexOf(...held, row(2000, { wakeAt: 5 }));
  let looks = 0;
  const isAlive = (node: string | undefined): boolean => {
    looks += 1;
    return node === 'a';
  };

  expect(orders(index)).toEqual([2000]);
  expect([...index.ofDeadNodes(isAlive)]).toEqual([]);
  expect(index.next(['translator'], isAlive)).toBe(5);
  expect(looks).toBeLessThan(10);
});

test('a claim reads only a few rows, however many rows of one owner wait', () => {
  const flood = Array.from({ length: 10_000 }, (_, i) => row(i, { wakeAt: i % 100 }));
  const index = indexOf(...flood, row(20_000, { owner: 'bob', wakeAt: 100 }), row(20_001, { wakeAt: 200 }));
  expect(orders(index, { limit: 1 })).toEqual([0]);
  let looks = 0;
  for (const { record } of flood) {
    const { owner } = record;
    Object.defineProperty(record, 'owner', { get: () => ((looks += 1), owner) });
  }
  const shares = { running: new Map([['alice', 9]]), openSlots: 0 };

  expect(orders(index, { limit: 1 })).toEqual([20_000]);
  expect(orders(index, { limit: 10, shares })).toEqual([20_000]);
  expect(index.next(['translator'], () => false, 100)).toBe(200);
  expect(looks).toBeLessThan(50);
});

test('after random changes the index equals sorting and filtering', () => {
  const member = fc.record(
    { wakeAt: fc.nat(9), node: fc.constantFrom('a', 'b', 'c'), agent: fc.constantFrom('translator', 'painter') },
    { requiredKeys: ['agent'] },
  );
  const step = fc.record({
    what: fc.constantFrom('add', 'add', 'change', 'remove', 'claim'),
    pick: fc.nat(30),
    member,
  });
  const query = fc.record({
    agents: fc.constantFrom<readonly string[]>(['painter'], ['painter', 'translator']),
    living: fc.subarray(['a', 'b', 'c']),
    now: fc.nat(9),
  });

  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), query, (steps, { living, now, agents }) => {
      const index = new WakeIndex<Row>();
      const rows: Row[] = [];
      for (const [i, { what, pick, member: changes }] of steps.entries()) {
        const known = rows[pick % Math.max(rows.length, 1)];
        if (what === 'claim') orders(index, { limit: 1, now: pick % 10 });
        else if (what === 'add' || known === undefined) {
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
      const idle = rows
        .filter(({ record }) => record.wakeAt !== undefined && agents.includes(record.agent) && !isAlive(record.node))
        .sort((a, b) => (a.record.wakeAt ?? 0) - (b.record.wakeAt ?? 0) || a.order - b.order);
      const later = idle.filter(({ record }) => (record.wakeAt ?? 0) > now);
      // Rows that an earlier claim found due are in the queue, and time does not go back.
      const due = idle.filter((one) => one.record.node === undefined && (!later.includes(one) || one.isQueued));
      expect(index.next(agents, isAlive)).toBe(idle[0]?.record.wakeAt);
      expect(index.next(agents, isAlive, now)).toBe(later[0]?.record.wakeAt);
      expect(orders(index, { agents, now })).toEqual(due.map(({ order }) => order));
    }),
  );
});
