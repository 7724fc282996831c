import { expect, test, vi } from 'vitest';
import { systemScheduler } from './scheduler.ts';

test('soon() runs functions after pending promises, in order', async () => {
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

test('soon() runs with fake timers installed', async () => {
  vi.useFakeTimers();
  try {
    await new Promise<void>((resolve) => systemScheduler.soon(resolve));
  } finally {
    vi.useRealTimers();
  }
  expect(vi.isFakeTimers()).toBe(false);
});

test('soon() works in a runtime without setImmediate', async () => {
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
