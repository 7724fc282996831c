/** When a run that waits in memory may continue there, and when its task has to begin again by replay. */
import { describe, expect, test } from 'vitest';
import { cluster, pass, turns } from './faults.ts';
import { artifactText, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('a run in memory begins again by replay if another node ran its task meanwhile and no hint said so', async () => {
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
    // The run waits in the memory of the first node, which neither hears of the answer nor looks for it.
    first.line.set('held', 'claim', 'watch');
    const second = await node();
    const again = await second.reply(asked, 'a');
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    second.kill();
    // It still hears nothing, and finds the task when it looks for what is due.
    first.line.set('held', 'watch');
    const web = await node({ runsTasks: false });
    const done = web.reply(again, 'b');
    await pass(clock, 5000, 500);

    expect(artifactText(await done)).toBe('a 1 b');
    expect(steps).toBe(1);
  });

  test('a run that has to make room in memory while it is resumed begins again by replay', async () => {
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
    only.line.set('held', 'claim');
    const answered = only.reply(asked, 'a');
    await turns(10);
    // The task is claimed, and what its run has missed is being read, when another run takes its place in memory.
    only.line.set('late', 'journal');
    await turns(10);
    await only.task('second');
    await turns(10);
    only.line.set('open');

    expect(artifactText(await answered)).toBe('first a');
    expect(runs).toBe(2);
  });
});
