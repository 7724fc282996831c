import { expect, test } from 'vitest';
import { Completions } from './completions.ts';

const nothing = (): void => {};

/** A manual scheduler: `turn` runs one scheduled function, and then everything that promises set off. */
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

test('completions are delivered in the order of their numbers, one per turn', async () => {
  const hand = byHand();
  const given: number[] = [];
  const completions = new Completions(hand.scheduler, () => given.push(0), nothing);
  for (const number of [5, 2, 9]) void completions.again(number).then(() => given.push(number));
  expect(given).toEqual([]);
  await hand.turn();
  expect(given).toEqual([2]);
  await hand.turn();
  expect(given).toEqual([2, 5]);
  await hand.turn();
  expect(given).toEqual([2, 5, 9]);
  expect(completions.isDelivering).toBe(true);
  await hand.turn();
  expect(given).toEqual([2, 5, 9, 0]);
  expect(completions.isDelivering).toBe(false);
  expect(hand.pending).toBe(0);
});

test('a completion that is requested later is delivered before those with higher numbers', async () => {
  const hand = byHand();
  const given: number[] = [];
  const completions = new Completions(hand.scheduler, nothing, nothing);
  void completions.again(9).then(() => given.push(9));
  const branch = async (): Promise<void> => {
    await completions.again(1);
    given.push(1);
    await completions.again(4);
    given.push(4);
  };
  void branch();
  for (let i = 0; i < 3; i++) await hand.turn();
  expect(given).toEqual([1, 4, 9]);
});

test('a queue that was empty delivers again', async () => {
  const hand = byHand();
  let idle = 0;
  const completions = new Completions(hand.scheduler, () => idle++, nothing);
  for (const number of [1, 2]) {
    let isGiven = false;
    void completions.again(number).then(() => (isGiven = true));
    await hand.turn();
    expect(isGiven).toBe(true);
    await hand.turn();
  }
  expect(idle).toBe(2);
});
