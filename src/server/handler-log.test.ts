import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from './agent.ts';
import { createHandler } from './handler.ts';
import type { HandlerOptions } from './handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again', run: ({ text }) => text });

async function warningsOf(options: HandlerOptions): Promise<readonly unknown[]> {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const handler = createHandler(ECHO, options);
  onTestFinished(() => handler.close());
  await handler.start();
  return warn.mock.calls;
}

test('who gives no log finds what matters on the console: that there is no store, and nobody to keep out', async () => {
  expect(await warningsOf({})).toEqual([
    [expect.stringContaining('tandem warning: No auth is set: everybody who can reach it may call this agent.')],
    ['tandem warning: No store is given: tasks are kept in memory, and lost with it'],
  ]);
});

test('a log of one’s own gets it instead', async () => {
  const warn = vi.fn<() => void>();

  expect(await warningsOf({ log: { info() {}, warn, error() {} } })).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(2);
});

test('with a store and a way to know callers there is nothing to say', async () => {
  expect(await warningsOf({ store: memoryStore(), auth: () => undefined })).toEqual([]);
});
