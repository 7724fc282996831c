/** When a run suspended in memory continues there, and when its task resumes by replay. */
import { describe, expect, test } from 'vitest';
import { cluster, pass, turns } from './cluster.ts';
import { artifactText, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a run suspended in memory is replayed if another node ran its task meanwhile and the hint was lost', async () => {
    let steps = 0;
    const { node, clock } = cluster(
      async ({ ask, step }) => {
        const one = await ask('One?');
        const count = await step('count', () => ++steps);
        return `${one} ${count} ${await ask('Two?')}`;
      },
      { variant },
    );
    const first = await node();
    const asked = await first.task('go');
    await turns(10);
    // The run waits in the memory of the first node, which gets no hint of the answer and does not poll.
    first.connection.set('held', 'claim', 'watch');
    const second = await node();
    const again = await second.reply(asked, 'a');
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    second.kill();
    // It still gets no hint, and finds the task when it polls for due tasks.
    first.connection.set('held', 'watch');
    const web = await node({ runsTasks: false });
    const done = web.reply(again, 'b');
    await pass(clock, 5000, 500);

    expect(artifactText(await done)).toBe('a 1 b');
    expect(steps).toBe(1);
  });

  test('a run that is evicted from memory while it is resumed is replayed', async () => {
    let runs = 0;
    const { node } = cluster(
      async ({ text, ask }) => {
        if (text === 'first') runs++;
        return `${text} ${await ask('Which?')}`;
      },
      { variant, maxSuspended: 1 },
    );
    const only = await node();
    const asked = await only.task('first');
    await turns(10);
    only.connection.set('held', 'claim');
    const answered = only.reply(asked, 'a');
    await turns(10);
    // The task is claimed, and its new journal entries are being read, when another run takes its room in memory.
    only.connection.set('late', 'journal');
    await turns(10);
    await only.task('second');
    await turns(10);
    only.connection.set('open');

    expect(artifactText(await answered)).toBe('first a');
    expect(runs).toBe(2);
  });
});
