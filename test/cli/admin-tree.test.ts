/** The calls of a task as operators see them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { agentsOf, tasksOf } from '../engine/calling.ts';
import { startHarness, until } from '../engine/harness.ts';
import { projectWith, tandem, TIMEOUT_MS } from './program.ts';

const desk: Handler = async ({ call }) => {
  await call('echo', 'hello');
  return (await call('analytics', 'count')).text;
};
const analytics: Handler = async ({ call }) => (await call('source', 'rows')).text;
const source: Handler = async ({ ask }) => ask('Which table?');
const echo: Handler = async ({ text }) => text;

test(
  'tandem admin tree shows the calls of a task and those of its children, with the question that waits',
  { timeout: TIMEOUT_MS },
  async () => {
    const cwd = projectWith();
    const clock = fakeClock();
    clock.advance(Math.max(0, Date.now() - clock.now()));
    const store = sqlite(join(cwd, 'own.db'), { clock });
    const node = await startHarness({ store, agents: agentsOf(desk, { analytics, source, echo }) }, clock);
    const { id } = await node.task('go', { returnImmediately: true });
    await until(async () => {
      clock.advance(100);
      return (await tasksOf(node, 'agent'))[0]?.question !== undefined;
    });
    const ids: string[] = [];
    for (const name of ['echo', 'analytics', 'source']) ids.push((await tasksOf(node, name))[0]?.id ?? '');
    await node.engine.close();
    await store.close();
    const run = (...args: readonly string[]): ReturnType<typeof tandem>['ended'] =>
      tandem(['admin', 'tree', ...args, '--store', 'own.db'], { cwd }).ended;

    const { stdout, code } = await run(id);
    const json: unknown = JSON.parse((await run(id, '-o', 'json')).stdout);
    const unknown = await run('nothing');

    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    // Without the ages.
    expect(lines.map((line) => line.replace(/, [^,]+, /, ', '))).toEqual([
      `agent: input-required, ${id}`,
      `├─ echo: completed, ${ids[0]}`,
      `└─ analytics: input-required, ${ids[1]}`,
      '   asks: Which table?',
      `   └─ source: input-required, ${ids[2]}`,
      '      asks: Which table?',
    ]);
    expect(json).toMatchObject({
      id,
      calls: [
        { peer: 'echo', state: 'completed', taskId: ids[0], child: { agent: 'echo', calls: [] } },
        { peer: 'analytics', state: 'open', child: { calls: [{ peer: 'source', question: 'Which table?' }] } },
      ],
    });
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no task nothing') });
  },
);
