/** Calls between agents of one host: a handler calls another agent, waits for its result, and loses nothing in a crash. */
import { describe, expect, test } from 'vitest';
import { CallError } from '../../src/engine/calls/call.ts';
import { artifactText, harness, runnable, statusText, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('on $name', (variant) => {
  test('a handler calls another agent and gets its result', async () => {
    const echo = runnable(async ({ text }) => `echo ${text}`, {}, 'echo');
    const agent = runnable(async ({ call }) => {
      const { outcome, text } = await call('echo', 'hello');
      return `${outcome}: ${text}`;
    });
    const { task, engine } = await harness(agent.run, { variant, agents: [agent, echo] });

    const done = await task('go');

    expect(artifactText(done)).toBe('completed: echo hello');
    await until(() => engine.runningTasks().length === 0);
  });
});
