import { expect, test } from 'vitest';
import { EndedQueue } from './ended-queue.ts';

interface Row {
  readonly name: number;
  endedPlace: number | undefined;
}

function queueOf(count: number): { readonly queue: EndedQueue<Row>; readonly rows: readonly Row[] } {
  const queue = new EndedQueue<Row>();
  const rows = Array.from({ length: count }, (_, name): Row => ({ name, endedPlace: undefined }));
  for (const row of rows) queue.add(row);
  return { queue, rows };
}

function namesIn(queue: EndedQueue<Row>): readonly number[] {
  return queue.all().map(({ name }) => name);
}

test('an empty queue has no first', () => {
  expect(queueOf(0).queue.first()).toBeUndefined();
});

test('first() returns the earliest row that was not removed', () => {
  const { queue, rows } = queueOf(3);
  expect(queue.first()).toBe(rows[0]);
  for (const row of rows.slice(0, 2)) queue.remove(row);
  expect(queue.first()).toBe(rows[2]);
  expect(namesIn(queue)).toEqual([2]);
});

test('removing an unknown or removed row has no effect', () => {
  const { queue, rows } = queueOf(2);
  for (const row of [...rows.slice(0, 1), ...rows.slice(0, 1), { name: 7, endedPlace: undefined }]) queue.remove(row);
  expect(namesIn(queue)).toEqual([1]);
});

test('the queue keeps its order when thousands of rows are added and removed', () => {
  const { queue, rows } = queueOf(5000);
  const names = rows.map(() => {
    const first = queue.first();
    if (first !== undefined) queue.remove(first);
    return first?.name;
  });
  expect(names).toEqual(rows.map(({ name }) => name));
  expect(queue.first()).toBeUndefined();
  const late = { name: 5000, endedPlace: undefined };
  queue.add(late);
  expect(queue.first()).toBe(late);
  expect(namesIn(queue)).toEqual([5000]);
});

test('rows can be removed from the middle after slots were cleared', () => {
  const { queue, rows } = queueOf(6000);
  const left = new Set(rows.map(({ name }) => name));
  const leave = (row: Row | undefined): void => {
    if (row === undefined) return;
    queue.remove(row);
    left.delete(row.name);
  };
  for (let i = 0; i < 2500; i += 1) leave(queue.first());
  for (const row of rows) if (row.name % 3 === 0) leave(row);
  expect(namesIn(queue)).toEqual([...left]);
  for (let i = 0; i < 1500; i += 1) leave(queue.first());
  leave(rows[5999]);
  leave(rows[5500]);
  expect(namesIn(queue)).toEqual([...left]);
});
