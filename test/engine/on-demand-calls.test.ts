/** Calls of tasks on nodes that only work while a request waits for them. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { agentsOf, tasksOf } from './calling.ts';
import { pass } from './cluster.ts';
import { ANN, artifactText, until, VARIANTS } from './harness.ts';
import { onDemandCluster, SECOND, stateOf, STORED } from './on-demand-cluster.ts';

const callsOther: Handler = async ({ call }) => `parent ${(await call('other', 'x')).text}`;

describe.each(VARIANTS)('$name', (variant) => {
  test('work on a parent runs the agent of the same host that it calls, and the parent with its result', async () => {
    const { node, clock } = onDemandCluster(callsOther, { variant });
    const first = await node({ agents: agentsOf(callsOther, { other: async () => 'done' }) });
    const { id } = await first.task('go', STORED);
    const worked = first.engine.onDemand.work(id, { forMs: 10 * SECOND });
    await pass(clock, 5 * SECOND, 250);
    expect(await worked).toBe('resting');
    expect(artifactText(await first.engine.get(ANN, id))).toBe('parent done');
  });

  test('a child that is unfinished at the deadline is handed over, and the parent gets its result on another node', async () => {
    const door = deferred<void>();
    let runs = 0;
    const other: Handler = async () => {
      runs++;
      await door.promise;
      return 'done';
    };
    const { node, clock } = onDemandCluster(callsOther, { variant });
    const agents = agentsOf(callsOther, { other });
    const [first, second] = [await node({ agents }), await node({ agents })];
    const unfinished: string[] = [];
    first.engine.onDemand.onUnfinished(async (taskId) => void unfinished.push(taskId));
    const { id } = await first.task('go', STORED);
    const worked = first.engine.onDemand.work(id, { forMs: 5 * SECOND });
    await until(() => runs === 1);
    await pass(clock, 5 * SECOND, 250);
    expect(await worked).toBe('resting');
    const [child] = await tasksOf(first, 'other');
    expect(unfinished).toEqual([child?.id]);
    expect(await stateOf(first, id)).toBe('working');
    door.resolve();
    const workedAgain = second.engine.onDemand.work(child?.id ?? '', { forMs: 10 * SECOND });
    await pass(clock, 5 * SECOND, 250);
    expect(await workedAgain).toBe('resting');
    expect(artifactText(await second.engine.get(ANN, id))).toBe('parent done');
    expect(runs).toBe(2);
  });

  test('a sweep resumes a parent whose child has ended', async () => {
    const door = deferred<void>();
    const other: Handler = async () => {
      await door.promise;
      return 'done';
    };
    const { node, clock } = onDemandCluster(callsOther, { variant });
    const agents = agentsOf(callsOther, { other });
    const [first, second] = [await node({ agents }), await node({ agents })];
    const { id } = await first.task('go', STORED);
    const worked = first.engine.onDemand.work(id, { forMs: 2 * SECOND });
    await pass(clock, 2 * SECOND, 250);
    await worked;
    door.resolve();
    const swept = second.engine.onDemand.sweep({ forMs: 10 * SECOND, limit: 10 });
    await pass(clock, 5 * SECOND, 250);
    await swept;
    expect(artifactText(await second.engine.get(ANN, id))).toBe('parent done');
  });
});
