import { expect, test, vi } from 'vitest';
import { systemScheduler } from './scheduler.ts';

test('what is scheduled comes after all that is under way, in its order', async () => {
  const order: string[] = [];
  await new Promise<void>((resolve) => {
    systemScheduler.soon(() => order.push('first'));
    systemScheduler.soon(() => {
      order.push('second');
      resolve();
    });
    void Promise.resolve()
      .then(() => order.push('a promise'))
      .then(() => order.push('and the next'));
    order.push('now');
  });
  expect(order).toEqual(['now', 'a promise', 'and the next', 'first', 'second']);
});

test('timers that a test has put in place do not hold it up', async () => {
  vi.useFakeTimers();
  try {
    await new Promise<void>((resolve) => systemScheduler.soon(resolve));
  } finally {
    vi.useRealTimers();
  }
  expect(vi.isFakeTimers()).toBe(false);
});

test('a runtime without setImmediate has another way', async () => {
  const { setImmediate: immediate } = globalThis;
  vi.stubGlobal('setImmediate', undefined);
  vi.resetModules();
  try {
    const { systemScheduler: other } = await import('./scheduler.ts');
    let isDone = false;
    await new Promise<void>((resolve) => {
      other.soon(() => {
        isDone = true;
        resolve();
      });
      expect(isDone).toBe(false);
    });
    expect(isDone).toBe(true);
  } finally {
    vi.unstubAllGlobals();
  }
  expect(globalThis.setImmediate).toBe(immediate);
});
