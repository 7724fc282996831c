import { expect, test } from 'vitest';
import { EndedQueue } from './ended-queue.ts';

interface Row {
  readonly name: number;
  isGone: boolean;
}

function queueOf(count: number): { readonly queue: EndedQueue<Row>; readonly rows: readonly Row[] } {
  const queue = new EndedQueue<Row>();
  const rows = Array.from({ length: count }, (_, name) => ({ name, isGone: false }));
  for (const row of rows) queue.add(row);
  return { queue, rows };
}

test('an empty queue has no first', () => {
  expect(queueOf(0).queue.first()).toBeUndefined();
});

test('the first is the one that came first and is still there', () => {
  const { queue, rows } = queueOf(3);
  expect(queue.first()).toBe(rows[0]);
  for (const row of rows.slice(0, 2)) row.isGone = true;
  expect(queue.first()).toBe(rows[2]);
  expect(queue.all()).toEqual([rows[2]]);
});

test('thousands come and go, in order', () => {
  const { queue, rows } = queueOf(5000);
  const names = rows.map(() => {
    const first = queue.first();
    if (first !== undefined) first.isGone = true;
    return first?.name;
  });
  expect(names).toEqual(rows.map(({ name }) => name));
  expect(queue.first()).toBeUndefined();
  const late = { name: 5000, isGone: false };
  queue.add(late);
  expect(queue.first()).toBe(late);
  expect(queue.all()).toEqual([late]);
});
