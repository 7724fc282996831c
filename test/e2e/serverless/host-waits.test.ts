/** Tasks on a host that can wait for something after an answer, which is not for ever. */
import { expect, test, vi } from 'vitest';
import { agent } from '../../../src/server/index.ts';
import { keptLog } from '../../helpers/kept-log.ts';
import { type Host, messageOf, startHost } from './host.ts';

/** As a host gives it: what it was told to wait for. */
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
  ['waits for his answer', blocking],
  ['reads a stream', streaming],
])('a task that takes longer than the host waits is handed over, if its sender %s', async (_, send) => {
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
});

test.each([
  ['does not wait', false],
  ['waits', true],
])('a host that refuses to wait is one that cannot, if the sender %s', async (_, waits) => {
  const log = keptLog();
  const refusing = (): never => {
    throw new Error('after() was called outside of a request');
  };
  const host = startHost(agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => `${text}!` }), {
    log,
    serverless: { after: refusing },
  });
  const { id } = await host.send('hello', { waits });
  await host.settled();
  expect(await host.stateOf(id)).toBe('completed');
  expect(host.own).toHaveLength(waits ? 0 : 1);
  expect(log.lines.map(({ message }) => message)).toContain('Host rejected waitUntil');
});

test('what waits for a credential, and cannot be finished while the host waits, is handed over', async () => {
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
