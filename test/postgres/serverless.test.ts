/** Short-lived processes on one database: the next request resumes a task in another process. */
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { CRON_SECRET, startHost } from '../e2e/serverless/host.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const PATIENCE = { timeout: 10_000, interval: 20 };

function untilStopped(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
}

test('a task that several processes resume runs each step once', { timeout: 20_000 }, async () => {
  const done: number[] = [];
  const stepwise = agent({
    name: 'Stepwise',
    description: 'Runs one more step in each process.',
    async *run({ step, signal }) {
      for (let i = 0; i < 3; i++) {
        const before = done.length;
        yield `${await step(`step ${i}`, () => done.push(i))} `;
        if (done.length > before && i < 2) await untilStopped(signal);
      }
    },
  });
  const host = startHost(stepwise, { serverless: { runMs: 700 } }, undefined, () => schema.connect());
  const { id } = await host.send('go');
  await vi.waitFor(async () => expect(await host.stateOf(id)).toBe('completed'), PATIENCE);
  await host.settled();
  expect(done).toEqual([0, 1, 2]);
  expect(host.own).toHaveLength(3);
});

test('an answer that another process receives resumes the task', async () => {
  const clerk = agent({
    name: 'Clerk',
    description: 'Asks.',
    run: async ({ ask }) => `Off to ${await ask('Where to?')}`,
  });
  const host = startHost(clerk, {}, undefined, () => schema.connect());
  const { id } = await host.send('go', { waits: true });
  const done = await host.send('Rome', { taskId: id, waits: true });
  expect(done.artifacts?.[0]?.parts).toEqual([{ text: 'Off to Rome' }]);
});

test('concurrent sweeps claim each task once', async () => {
  const ran: string[] = [];
  const counter = agent({ name: 'Counter', description: 'Counts.', run: ({ text }) => `${ran.push(text)}` });
  const host = startHost(counter, {}, { isDown: true }, () => schema.connect());
  const texts = Array.from({ length: 20 }, (_, i) => `${i}`);
  for (const text of texts) await host.send(text);
  const sweeps = await Promise.all(
    [1, 2, 3].map(async () => {
      const response = await host.post('/_tandem/sweep', {}, { authorization: `Bearer ${CRON_SECRET}` });
      return ((await response.json()) as { readonly taken: number }).taken;
    }),
  );
  expect(sweeps.reduce((sum, taken) => sum + taken)).toBe(20);
  expect(ran.toSorted()).toEqual(texts.toSorted());
});
