import { expect, onTestFinished, test, vi } from 'vitest';
import { memoryStore } from '../store/memory/store.ts';
import { agent } from '../agent/agent.ts';
import { createHandler } from './handler.ts';
import type { HandlerOptions } from './options/handler-options.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again', run: ({ text }) => text });

async function warningsOf(options: HandlerOptions): Promise<readonly unknown[]> {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const handler = createHandler(ECHO, options);
  onTestFinished(() => handler.close());
  await handler.start();
  return warn.mock.calls;
}

test('a handler without a log warns on the console that it has no store and no authentication', async () => {
  expect(await warningsOf({})).toEqual([
    [
      expect.stringContaining(
        'tandem warning: Authentication is not configured: every caller that can reach this agent is accepted.',
      ),
    ],
    ['tandem warning: No store is configured: tasks are kept in memory and lost when the process ends'],
  ]);
});

test('a configured log gets the warnings instead of the console', async () => {
  const warn = vi.fn<() => void>();

  expect(await warningsOf({ log: { info() {}, warn, error() {} } })).toEqual([]);
  expect(warn).toHaveBeenCalledTimes(2);
});

test('a handler with a store and authentication logs no warning', async () => {
  expect(await warningsOf({ store: memoryStore(), auth: () => undefined })).toEqual([]);
});
