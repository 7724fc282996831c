import { expect, test } from 'vitest';
import { ReplayQueue } from './replay-queue.ts';

/** A scheduler by hand: what is scheduled comes when it is told to, after all that promises set off. */
function byHand() {
  const queue: (() => void)[] = [];
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    scheduler: { soon: (run: () => void) => void queue.push(run) },
    turn: async (): Promise<void> => {
      queue.shift()?.();
      await settled();
    },
    get pending() {
      return queue.length;
    },
  };
}

test('things come back in the order of their numbers, one in a turn', async () => {
  const hand = byHand();
  const given: number[] = [];
  const replayQueue = new ReplayQueue(hand.scheduler, () => given.push(0));
  for (const number of [5, 2, 9]) void replayQueue.turn(number).then(() => given.push(number));
  expect(given).toEqual([]);
  await hand.turn();
  expect(given).toEqual([2]);
  await hand.turn();
  expect(given).toEqual([2, 5]);
  await hand.turn();
  expect(given).toEqual([2, 5, 9]);
  expect(replayQueue.isBusy).toBe(true);
  await hand.turn();
  expect(given).toEqual([2, 5, 9, 0]);
  expect(replayQueue.isBusy).toBe(false);
  expect(hand.pending).toBe(0);
});

test('what is asked for after the first was given takes its place among the others', async () => {
  const hand = byHand();
  const given: number[] = [];
  const replayQueue = new ReplayQueue(hand.scheduler, () => {});
  void replayQueue.turn(9).then(() => given.push(9));
  const branch = async (): Promise<void> => {
    await replayQueue.turn(1);
    given.push(1);
    await replayQueue.turn(4);
    given.push(4);
  };
  void branch();
  for (let i = 0; i < 3; i++) await hand.turn();
  expect(given).toEqual([1, 4, 9]);
});

test('it begins again after it was idle', async () => {
  const hand = byHand();
  let idle = 0;
  const replayQueue = new ReplayQueue(hand.scheduler, () => idle++);
  for (const number of [1, 2]) {
    let isGiven = false;
    void replayQueue.turn(number).then(() => (isGiven = true));
    await hand.turn();
    expect(isGiven).toBe(true);
    await hand.turn();
  }
  expect(idle).toBe(2);
});
