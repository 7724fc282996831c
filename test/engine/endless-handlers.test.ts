import { describe, expect, test } from 'vitest';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import { turns } from './cluster.ts';
import { ANN, harness, runnable, statusText, until, VARIANTS } from './harness.ts';

const stage = { isOver: false };

/** Handlers that never end and await only functions of their context. They run until the test is over. */
const ENDLESS: readonly (readonly [string, (ctx: TaskContext) => unknown])[] = [
  ['yields texts', () => forever('x')],
  ['yields statuses without text', () => forever({ status: 'working' })],
  [
    'yields output of an undeclared type',
    () => forever({ artifact: 'a', url: 'https://a.example', mediaType: 'no/no' }),
  ],
  ['appends forever', ({ artifact }) => loop(() => artifact('a').append('x'))],
  ['publishes a status forever', ({ status }) => loop(() => status({ status: 'working' }))],
  [
    'appends forever and ignores errors',
    ({ artifact }) =>
      loop(() =>
        artifact('a')
          .append('x')
          .catch(() => {}),
      ),
  ],
  ['reads its inbox forever', ({ inbox }) => loop(() => inbox.take())],
];

async function* forever(output: Output): AsyncGenerator<Output, void> {
  while (!stage.isOver) yield output;
}

async function loop(turn: () => Promise<unknown>): Promise<void> {
  while (!stage.isOver) await turn();
}

describe.each(VARIANTS)('$name', (variant) => {
  describe.each(ENDLESS)('a handler that %s', (_, run) => {
    async function begun() {
      stage.isOver = false;
      const limits = { timeoutMs: 60_000, cancelGraceMs: 500, maxTaskBytes: 2 ** 30 };
      const agent = { ...runnable(run as Handler, limits), declaresOutput: () => false };
      const node = await harness(run as Handler, { variant, agents: [agent] });
      const task = await node.task('go', { returnImmediately: true });
      await until(async () => (await node.engine.get(ANN, task.id)).status.state === 'TASK_STATE_WORKING');
      return { ...node, id: task.id };
    }

    test('times out and does not block the process', async () => {
      const { engine, clock, id } = await begun();
      clock.advance(60_000);
      await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_FAILED');
      const failed = await engine.get(ANN, id);
      await turns(20);
      expect(statusText(failed)).toBe('Task timed out');
      expect(await engine.get(ANN, id)).toEqual(failed);
      stage.isOver = true;
    });

    test('is canceled and does not block the process', async () => {
      const { engine, clock, id } = await begun();
      const canceled = engine.cancel(ANN, id);
      await turns(20);
      clock.advance(500);
      const { status } = await canceled;
      const after = await engine.get(ANN, id);
      await turns(20);
      expect(status.state).toBe('TASK_STATE_CANCELED');
      expect(await engine.get(ANN, id)).toEqual(after);
      stage.isOver = true;
    });
  });
});
