import { describe, expect, test } from 'vitest';
import { cluster, pass, toldToStop } from './faults.ts';
import { ANN, artifactText, until, userMessage, VARIANTS } from './harness.ts';

/** What another node writes is found by looking, if no hint tells of it. */
describe.each(VARIANTS)('$name', (variant) => {
  test('a message of which no hint tells is heard within a few polls', async () => {
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
    runner.line.set('held', 'watch');
    const task = await runner.task('go', { returnImmediately: true });
    await until(async () => (await other.engine.get(ANN, task.id)).status.message !== undefined);
    await other.task('hello', { message: userMessage('hello', { taskId: task.id }), returnImmediately: true });
    await pass(clock, 10_000);
    expect(artifactText(await other.engine.get(ANN, task.id))).toBe('hello');
  });

  test('a cancel of which no hint tells reaches the handler within a few polls', async () => {
    let isTold = false;
    const { node, clock } = cluster(
      async function* run({ signal }) {
        yield 'begun';
        await toldToStop(signal);
        isTold = true;
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    runner.line.set('held', 'watch');
    const task = await runner.task('go', { returnImmediately: true });
    await until(async () => artifactText(await other.engine.get(ANN, task.id)) === 'begun');
    const canceled = other.engine.cancel(ANN, task.id);
    await pass(clock, 10_000);
    expect((await canceled).status.state).toBe('TASK_STATE_CANCELED');
    expect(isTold).toBe(true);
  });
});
