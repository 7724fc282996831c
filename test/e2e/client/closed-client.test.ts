/** A client that is closed while a call is in flight, over a real socket. */
import { expect, onTestFinished, test } from 'vitest';
import { type AgentClient, type AgentEvent, connect, type SendOptions } from '../../../src/index.ts';
import { serve } from '../../../src/node/serve.ts';
import { silentLog } from '../../../src/observe/log.ts';
import { agent } from '../../../src/agent/agent.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { deferred } from '../../../src/support/deferred.ts';

const WAYS = ['stream', 'poll', 'block'] as const satisfies readonly SendOptions['wait'][];
const CLOSED = {
  code: 'TRANSPORT_FAILED',
  message: 'This client was closed while the call was in flight; is an `await` missing?',
};

/** Serves an agent that publishes `begun` and does not end. Returns its URL. */
async function served(): Promise<string> {
  const release = deferred<void>();
  const slow = agent({
    name: 'Slow',
    description: 'Does not end.',
    async *run({ step }) {
      yield 'begun';
      await step('wait', () => release.promise);
    },
  });
  const server = await serve(slow, { port: 0, store: memoryStore(), log: silentLog });
  onTestFinished(() => server.close({ finishMs: 0, cutMs: 0 }));
  onTestFinished(() => release.resolve());
  return server.url;
}

test.each(WAYS)(
  'the error of a call that is returned without await names the missing await, with wait: %s',
  async (wait) => {
    const url = await served();
    const ask = async (): Promise<string> => {
      await using client = await connect(url);
      // oxlint-disable-next-line typescript/return-await -- the mistake that the error explains
      return client.ask('hi', { wait });
    };

    await expect(ask()).rejects.toMatchObject(CLOSED);
  },
);

test.each<[string, (client: AgentClient, onProgress: (event: AgentEvent) => void) => Promise<unknown>]>([
  ['reads a stream', (client, onProgress) => client.send('hi', { wait: 'stream', onProgress })],
  ['polls', (client, onProgress) => client.send('hi', { wait: 'poll', onProgress })],
  [
    'subscribes to a task',
    async (client, onProgress) => {
      const { handle = '' } = await client.send('hi', { wait: 'none' });
      for await (const event of client.task(handle).subscribe()) onProgress(event);
    },
  ],
])('a client that is closed while it %s names that as the reason, with the handle of the task', async (_, call) => {
  const url = await served();
  const client = await connect(url);
  const progress = deferred<void>();
  const failure = call(client, () => progress.resolve()).catch((error: unknown) => error);
  await progress.promise;
  await client.close();

  expect(await failure).toMatchObject({ ...CLOSED, details: { sent: 'maybe', handle: expect.any(String) as string } });
});

test('a call that begins after the close has another error', async () => {
  const client = await connect(await served());
  await client.close();

  await expect(client.send('hi')).rejects.toThrow('The client is closed. Create a new one with connect()');
  await expect(client.task('t1').wait()).rejects.toThrow('The client is closed. Create a new one with connect()');
});
