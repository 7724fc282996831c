/** Tasks on a host with `waitUntil`, which keeps a process alive after the response for a limited time. */
import { expect, test, vi } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import { recordingLog } from '../../helpers/recording-log.ts';
import { type Host, messageOf, startHost } from './host.ts';

/** `waitUntil` as a host provides it, and the promises that the agent passed to it. */
function waiting(): { waitUntil(work: Promise<unknown>): void; readonly works: Promise<unknown>[] } {
  const works: Promise<unknown>[] = [];
  return { works, waitUntil: (work) => void works.push(work) };
}

const blocking = async (host: Host): Promise<string> => (await host.send('go', { waits: true })).id;

async function streaming(host: Host): Promise<string> {
  const text = await (await host.post('/message:stream', { message: messageOf('go') })).text();
  return /"id":"([^"]+)"/.exec(text)?.[1] ?? '';
}

test.each([
  ['waits for the result', blocking],
  ['reads a stream', streaming],
])(
  'a task that exceeds runMs on a host with waitUntil continues in another process if its sender %s',
  async (_, send) => {
    let runs = 0;
    const storyteller = agent({
      name: 'Storyteller',
      description: 'Tells a story.',
      async *run({ signal }) {
        yield 'Once ';
        if (++runs === 1)
          await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
        yield 'upon a time';
      },
    });
    const { works, waitUntil } = waiting();
    const host = startHost(storyteller, { serverless: { runMs: 150, after: waitUntil } });
    const id = await send(host);
    await Promise.all(works);
    expect(host.own).toHaveLength(1);
    await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
  },
);

test.each([
  ['does not wait', false],
  ['waits', true],
])('a task completes although waitUntil of the host throws, if the sender %s', async (_, waits) => {
  const log = recordingLog();
  const throwing = (): never => {
    throw new Error('after() was called outside of a request');
  };
  const host = startHost(agent({ name: 'Echo', description: 'Returns the text.', run: ({ text }) => `${text}!` }), {
    log,
    serverless: { after: throwing },
  });
  const { id } = await host.send('hello', { waits });
  await host.settled();
  expect(await host.stateOf(id)).toBe('completed');
  expect(host.own).toHaveLength(waits ? 0 : 1);
  expect(log.lines.map(({ message }) => message)).toContain('Host rejected waitUntil');
});

test('a task that a credential resumed, and that exceeds runMs, continues in another process', async () => {
  let runs = 0;
  const clerk = agent({
    name: 'Clerk',
    description: 'Needs a ticket.',
    async run({ authorize, signal }) {
      const credential = await authorize({ text: 'Please log in' });
      if (++runs === 1)
        await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
      return credential;
    },
  });
  const { works, waitUntil } = waiting();
  const host = startHost(clerk, { serverless: { runMs: 150, after: waitUntil } });
  const { id } = await host.send('go', { waits: true });
  await host.newProcess().authorize({ taskId: id, callerId: 'anonymous' }, 'ticket');
  await Promise.all(works);
  expect(host.own).toHaveLength(1);
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'));
});
