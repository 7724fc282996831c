/** Tasks that wait for calls hold nothing, so calls complete however few slots there are. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { runnable } from './harness.ts';
import { calling, tasksOf } from './calling.ts';
import { turns } from './cluster.ts';
import { ANN, artifactText, STORES, userMessage } from './harness.ts';

describe.each(STORES)('on $name', (variant) => {
  test('a chain of ten agents completes on a host that runs one task at a time', async () => {
    const callsNext =
      (next: string | undefined): Handler =>
      async ({ call, text }) =>
        next === undefined ? `${text}0` : (await call(next, `${text}${next} `)).text;
    const ids = Array.from({ length: 10 }, (_, i) => `a${i}`);
    const agents = ids.map((id, i) => runnable(callsNext(ids[i + 1]), { concurrency: 1 }, id));
    const host = await calling(callsNext(ids[0]), Object.fromEntries(agents.map((agent) => [agent.id, agent])), {
      variant,
      concurrency: 1,
      maxDepth: 12,
    });

    const done = await host.task('', { message: userMessage('from ') });

    expect(artifactText(done)).toBe(`from ${ids.join(' ')} 0`);
  });

  // A database is given fewer, because only the number of its round trips would be measured.
  const count = variant.store === 'memory' ? 1000 : 100;

  test(`${count} tasks that each wait for a call complete on a host that runs one task at a time`, async () => {
    const run: Handler = async ({ call, text }) => (await call('echo', text)).text;
    const echo = runnable(async ({ text }) => text, { concurrency: 1, queue: 2000 }, 'echo');
    const host = await calling(run, { echo }, { variant, concurrency: 1, maxOpenCalls: 2000, limits: { queue: 2000 } });
    const sent = Array.from({ length: count }, (_, i) => host.send(`n${i}`, { returnImmediately: true }));
    await Promise.all(sent);

    // Rarely, because each look counts the tasks.
    while ((await host.store.unfinished(ANN, 1)).total > 0) await turns(100);

    expect(await tasksOf(host, 'echo')).toHaveLength(count);
    expect(await host.store.countCalls(ANN)).toBe(0);
    const states = new Set((await tasksOf(host, 'agent')).map(({ status }) => status.state));
    expect([...states]).toEqual(['TASK_STATE_COMPLETED']);
  });
});
