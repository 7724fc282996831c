import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { ANN, artifactText, bodies, collect, harness, runnable, statusText, until, VARIANTS } from './harness.ts';

const HOW = ['restart', 'crash'] as const;

describe.each(VARIANTS)('$name', (variant) => {
  test.each(HOW)('a question is open after a %s and can be answered', async (how) => {
    let runs = 0;
    const first = await harness(
      async function* run({ ask, artifact }) {
        runs++;
        yield 'Hello. ';
        await artifact('log').append('asked; ');
        const name = await ask('Who?');
        await artifact('log').append('answered');
        yield `Hi ${name}.`;
      },
      { variant },
    );
    const asked = await first.task('go');
    const { reply, engine } = await first[how]();
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    const done = await reply(asked, 'Ann');
    expect(artifactText(done)).toBe('Hello. Hi Ann.');
    expect(artifactText(done, 'log')).toBe('asked; answered');
    expect(runs).toBe(2);
    const events = bodies(await collect(engine.subscribe(ANN, done.id, { after: 0 })));
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
      'statusUpdate',
      'artifactUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });

  test.each(HOW)('an open question stays open through several %ss', async (how) => {
    let node = await harness(async ({ ask }) => ask('Who?'), { variant });
    const asked = await node.task('go');
    for (let i = 0; i < 3; i++) {
      node = await node[how]();
      expect(await node.engine.get(ANN, asked.id)).toEqual(asked);
    }
    expect(artifactText(await node.reply(asked, 'Ann'))).toBe('Ann');
  });

  test.each(HOW)('steps do not run again and questions are not asked again after a %s', async (how) => {
    let steps = 0;
    const questions: string[] = [];
    let node = await harness(
      async function* run({ ask, step }) {
        for (const question of ['One?', 'Two?', 'Three?']) {
          const count = await step('count', () => ++steps);
          yield `${count}:${await ask(question)} `;
        }
      },
      { variant },
    );
    let current = await node.task('go');
    for (const answer of ['a', 'b', 'c']) {
      questions.push(statusText(current) ?? '');
      node = await node[how]();
      current = await node.reply(current, answer);
    }
    expect(questions).toEqual(['One?', 'Two?', 'Three?']);
    expect(artifactText(current)).toBe('1:a 2:b 3:c ');
    expect(steps).toBe(3);
    expect(current.history).toHaveLength(7);
  });

  test.each(HOW)('a question whose text the new version of an agent changed is asked again after a %s', async (how) => {
    const asking =
      (question: string): Handler =>
      async ({ ask }) =>
        `${question} ${await ask(question)}`;
    const old = await harness(asking('Your name?'), { variant });
    const asked = await old.task('go');
    const { reply } = await old[how]({ agents: [runnable(asking('Your full name?'))] });
    const again = await reply(asked, 'Ann');
    expect(again.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(again)).toBe('Your full name?');
    expect(artifactText(await reply(again, 'Ann Lee'))).toBe('Your full name? Ann Lee');
  });

  test.each(HOW)('an answer that does not fit the question is rejected after a %s', async (how) => {
    const first = await harness(async ({ ask }) => ((await ask({ confirm: 'Sure?' })) ? 'yes' : 'no'), { variant });
    const asked = await first.task('go');
    const { reply } = await first[how]();
    await expect(reply(asked, 'perhaps')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(artifactText(await reply(asked, 'No'))).toBe('no');
  });

  test.each(HOW)('a question expires after its timeoutMs and not before it, over a %s', async (how) => {
    const first = await harness(async ({ ask }) => ask('Who?', { timeoutMs: 60_000 }), { variant });
    const asked = await first.task('go');
    const start = first.clock.now();
    const { engine, clock } = await first[how]();
    await until(async () => {
      clock.advance(1000);
      return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_FAILED';
    });
    const { status } = await engine.get(ANN, asked.id);
    expect(Date.parse(status.timestamp ?? '') - start).toBeGreaterThanOrEqual(60_000);
    expect(statusText(await engine.get(ANN, asked.id))).toBe('The question was not answered in time');
  });

  test('an answer stored while no node served the agent resumes the task on the next one', async () => {
    const first = await harness(async ({ ask }) => `Hi ${await ask('Who?')}`, { variant });
    const asked = await first.task('go');
    await first.engine.close();
    // A node without the agent can take an answer, but cannot run the task.
    const other = await first.restart({ agents: [] });
    await other.task('', { message: { ...message(asked.id), parts: [{ text: 'Ann' }] }, returnImmediately: true });
    const { engine } = await other.restart({ agents: [runnable(async ({ ask }) => `Hi ${await ask('Who?')}`)] });
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, asked.id))).toBe('Hi Ann');
  });
});

function message(taskId: string) {
  return { messageId: 'late', role: 'ROLE_USER', taskId } as const;
}
