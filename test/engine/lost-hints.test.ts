import { describe, expect, test } from 'vitest';
import { cluster, pass, untilAborted } from './cluster.ts';
import { ANN, artifactText, until, userMessage, VARIANTS } from './harness.ts';

/** A node finds writes of other nodes by polling when their hints are lost. */
describe.each(VARIANTS)('$name', (variant) => {
  test('a message whose hint is lost reaches the inbox within a few polls', async () => {
    const { node, clock } = cluster(
      async function* run({ inbox, status }) {
        await status('listening');
        for await (const { text } of inbox) {
          yield text;
          return;
        }
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    runner.connection.set('held', 'watch');
    const task = await runner.task('go', { returnImmediately: true });
    await until(async () => (await other.engine.get(ANN, task.id)).status.message !== undefined);
    await other.task('hello', { message: userMessage('hello', { taskId: task.id }), returnImmediately: true });
    await pass(clock, 10_000);
    expect(artifactText(await other.engine.get(ANN, task.id))).toBe('hello');
  });

  test('a cancel whose hint is lost aborts the handler within a few polls', async () => {
    let isAborted = false;
    const { node, clock } = cluster(
      async function* run({ signal }) {
        yield 'begun';
        await untilAborted(signal);
        isAborted = true;
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    runner.connection.set('held', 'watch');
    const task = await runner.task('go', { returnImmediately: true });
    await until(async () => artifactText(await other.engine.get(ANN, task.id)) === 'begun');
    const canceled = other.engine.cancel(ANN, task.id);
    await pass(clock, 10_000);
    expect((await canceled).status.state).toBe('TASK_STATE_CANCELED');
    expect(isAborted).toBe(true);
  });
});
