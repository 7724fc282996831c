import { expect, test } from 'vitest';

import { queueShare, Slots } from './slots.ts';

function slots(
  concurrency: number,
  more: { readonly queue?: number; readonly runsPerCaller?: number } = {},
  memory = { isFull: false },
): Slots {
  return new Slots({ concurrency, queue: 10, ...more }, memory);
}

/** Takes slots for a caller until it may take no more. */
function fill(some: Slots, key: string): number {
  let count = 0;
  for (; some.mayTake(key); count++) some.take(key);
  return count;
}

function enqueue(some: Slots, owner: string, count: number): void {
  for (let i = 0; i < count; i++) some.enqueue({ id: `${owner}-${some.waiting}`, tenant: '', owner });
}

test.each([
  [0, 0],
  [1, 1],
  [2, 1],
  [3, 2],
  [10, 9],
  [19, 18],
  [20, 18],
  [100, 90],
  [1000, 900],
])('of %i slots one caller gets %i', (concurrency, expected) => {
  expect(fill(slots(concurrency), 'ann')).toBe(expected);
});

test('each slot of the reserve goes to one caller without a running task', () => {
  const some = slots(20);
  fill(some, 'ann');

  expect(fill(some, 'bob')).toBe(1);
  expect(fill(some, 'carl')).toBe(1);
  expect(fill(some, 'dave')).toBe(0);
  // While one of the reserve is free, it is kept for a caller that runs nothing.
  some.release('carl');
  expect([some.mayTake('ann'), some.mayTake('bob'), some.mayTake('dave')]).toEqual([false, false, true]);
  some.release('ann');
  some.release('ann');
  expect([some.mayTake('ann'), some.mayTake('bob'), some.mayTake('dave')]).toEqual([true, true, true]);
});

test('a new task does not start before one that waits and may start', () => {
  const some = slots(10);
  fill(some, 'ann');
  enqueue(some, 'ann', 3);
  expect([some.mayStart('ann'), some.mayStart('bob')]).toEqual([false, true]);

  enqueue(some, 'carl', 1);
  expect(some.mayStart('bob')).toBe(false);
  some.dequeue('carl-3');
  expect(some.mayStart('bob')).toBe(true);
});

test('runsPerCaller bounds one caller and leaves the others alone', () => {
  const some = slots(10, { runsPerCaller: 3 });

  expect([fill(some, 'ann'), fill(some, 'bob'), fill(some, 'carl')]).toEqual([3, 3, 3]);
  expect([fill(some, 'dave'), fill(some, 'eve')]).toEqual([1, 0]);
});

test('a claim asks for what the slots allow', () => {
  const some = slots(20);
  expect(some.claimable(64)).toMatchObject({ limit: 20, shares: { openSlots: 18 } });
  expect(some.claimable(5)).toEqual({ limit: 5 });
  fill(some, 'ann');
  expect(some.claimable(64)).toEqual({ limit: 2, shares: { openSlots: 0, running: new Map([['ann', 18]]) } });
  some.take('bob');
  some.take('carl');
  expect(some.claimable(64)).toBeUndefined();
  expect(slots(20, { runsPerCaller: 2 }).claimable(5)).toMatchObject({ limit: 5, shares: { perKey: 2 } });
});

test('slots that are held for a claim are in use, and belong to nobody', () => {
  const some = slots(10);
  some.hold(9);
  expect([some.taken, some.mayTake('ann')]).toEqual([9, true]);
  some.take('ann');
  expect([some.free, some.mayTake('bob')]).toEqual([0, false]);
  some.hold(-9);
  expect(fill(some, 'ann')).toBe(8);
});

test('slots are tight when a caller with a running task gets no more', () => {
  const some = slots(10);
  for (let i = 0; i < 8; i++) some.take('ann');
  expect(some.isTight).toBe(false);
  some.take('ann');
  expect(some.isTight).toBe(true);

  const bounded = slots(10, { runsPerCaller: 2 });
  bounded.take('ann');
  expect(bounded.isTight).toBe(false);
  bounded.take('ann');
  expect(bounded.isTight).toBe(true);
});

test.each([
  [0, 1],
  [1, 1],
  [2, 1],
  [10, 8],
  [1000, 800],
])('of a queue of %i one caller may fill %i while others wait', (queue, expected) => {
  expect(queueShare(queue)).toBe(expected);
});

test('a caller alone may fill the whole queue', () => {
  const some = slots(1);
  enqueue(some, 'ann', 9);
  expect(some.refusal('ann')).toBeUndefined();
  enqueue(some, 'ann', 1);
  expect(some.refusal('ann')).toBe('full');
});

test('while others wait a caller has four fifths of the queue, and the others the rest', () => {
  const some = slots(1);
  enqueue(some, 'bob', 1);
  enqueue(some, 'ann', 7);
  expect(some.refusal('ann')).toBeUndefined();
  enqueue(some, 'ann', 1);
  expect([some.refusal('ann'), some.refusal('bob')]).toEqual(['share', undefined]);
  enqueue(some, 'bob', 1);
  expect([some.refusal('ann'), some.refusal('bob'), some.refusal('carl')]).toEqual(['share', 'full', 'full']);
});

test('tasks of a caller above its share leave room for others, and keep its own out', () => {
  const some = slots(1);
  enqueue(some, 'ann', 10);
  expect([some.refusal('ann'), some.refusal('bob')]).toEqual(['full', undefined]);
  enqueue(some, 'bob', 2);
  expect([some.refusal('ann'), some.refusal('bob'), some.refusal('carl')]).toEqual(['share', 'full', 'full']);
  // 12 wait: a fifth more than the queue is the most.
  expect(some.waiting).toBe(12);
});

test('without a queue nobody waits', () => {
  expect(slots(1, { queue: 0 }).refusal('ann')).toBe('full');
});

test('tasks that a claim could have given and did not are forgotten, the others stay', () => {
  const some = slots(10);
  fill(some, 'ann');
  enqueue(some, 'ann', 2);
  enqueue(some, 'bob', 2);

  some.forgetClaimable();

  expect([some.waiting, some.ownerOf('ann-0'), some.ownerOf('bob-2')]).toEqual([
    2,
    { tenant: '', owner: 'ann' },
    undefined,
  ]);
});

test('while the memory of running tasks is full, a caller with a running task gets no other slot', () => {
  const memory = { isFull: false };
  const some = slots(10, {}, memory);
  some.take('ann');
  memory.isFull = true;
  expect([some.mayTake('ann'), some.mayTake('bob')]).toEqual([false, true]);
  expect(some.claimable(5)).toMatchObject({ limit: 5, shares: { openSlots: 0 } });
  memory.isFull = false;
  expect(some.mayTake('ann')).toBe(true);
});

test('the agents of a node share its slots, and its reserve goes to callers that run nothing there', () => {
  const node = slots(10);
  const [mail, crm] = [0, 1].map(() => new Slots({ concurrency: 8, queue: 10 }, { isFull: false }, node)) as [
    Slots,
    Slots,
  ];

  expect([fill(mail, 'ann'), fill(crm, 'ann')]).toEqual([7, 2]);
  expect([mail.free, crm.free, crm.isTight]).toEqual([1, 1, true]);
  expect([crm.mayTake('ann'), crm.mayTake('bob')]).toEqual([false, true]);
  crm.take('bob');
  expect([mail.free, mail.claimable(64), mail.mayTake('carl')]).toEqual([0, undefined, false]);
  mail.release('ann');
  mail.release('ann');
  expect([mail.free, crm.mayTake('ann')]).toEqual([2, true]);
});

test('a claim on a full node holds back callers that run another of its agents', () => {
  const node = slots(10);
  const mail = new Slots({ concurrency: 100, queue: 10 }, { isFull: false }, node);
  const crm = new Slots({ concurrency: 100, queue: 10, runsPerCaller: 2 }, { isFull: false }, node);
  fill(mail, 'ann');

  expect(crm.claimable(64)).toEqual({ limit: 1, shares: { running: new Map([['ann', 1]]), openSlots: 0, perKey: 2 } });
  expect([mail.sharedRoom, crm.sharedRoom]).toEqual([0, 0]);
});
