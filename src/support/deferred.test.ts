import { expect, test } from 'vitest';
import { deferred } from './deferred.ts';

test('a deferred promise is settled from outside, once', async () => {
  const { promise, resolve, reject } = deferred<number>();
  resolve(1);
  resolve(2);
  reject(new Error('late'));
  expect(await promise).toBe(1);
});

test('an error rejects the deferred promise', async () => {
  const { promise, reject } = deferred<number>();
  reject(new Error('no'));
  await expect(promise).rejects.toThrow('no');
});

test('a rejection without a handler does not crash the process', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    deferred<number>().reject(new Error('unheard'));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});
