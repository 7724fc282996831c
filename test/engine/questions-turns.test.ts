import { describe, expect, test } from 'vitest';
import { ANN, artifactText, bodies, collect, harness, statusText, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('each input-required status ends a turn, and the next message starts the handler again', async () => {
    const { task, reply } = await harness(
      async function* run({ text }) {
        yield `<${text}>`;
        if (text !== 'stop') yield { status: 'input-required', text: `After ${text}?` };
      },
      { variant },
    );
    let current = await task('a');
    for (const text of ['b', 'c', 'd']) {
      expect(current.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      current = await reply(current, text);
      expect(statusText(current)).toBe(`After ${text}?`);
    }
    const done = await reply(current, 'stop');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)).toBe('<a><b><c><d><stop>');
    expect(done.history?.map(({ role }) => role)).toHaveLength(9);
  });

  test('a turn has the message, metadata and extensions of its own request', async () => {
    const seen: unknown[] = [];
    const { task, reply } = await harness(
      async function* run({ message, text, metadata, extensions, taskId }) {
        seen.push({ text, metadata, extensions, isSame: message.taskId === taskId });
        if (text === 'one') yield { status: 'auth-required', text: 'Sign in' };
      },
      { variant },
    );
    const asked = await task('one', { metadata: { n: 1 }, extensions: ['a:b'] });
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    await reply(asked, 'two', { metadata: { n: 2 } });
    expect(seen).toEqual([
      { text: 'one', metadata: { n: 1 }, extensions: ['a:b'], isSame: true },
      { text: 'two', metadata: { n: 2 }, extensions: [], isSame: true },
    ]);
  });

  test('each turn runs its own steps and questions', async () => {
    let steps = 0;
    const { task, reply } = await harness(
      async function* run({ text, step, ask, artifact }) {
        const count = await step('count', () => ++steps);
        const name = await ask(`Name for ${text}?`);
        await artifact('log').append(`${count} ${text} ${name}; `);
        if (text === 'first') yield { status: 'input-required', text: 'What else?' };
      },
      { variant },
    );
    const named = await reply(await task('first'), 'Ann');
    expect(statusText(named)).toBe('What else?');
    const again = await reply(named, 'second');
    expect(statusText(again)).toBe('Name for second?');
    const done = await reply(again, 'Bob');
    expect(artifactText(done, 'log')).toBe('1 first Ann; 2 second Bob; ');
    expect(steps).toBe(2);
  });

  test('outputs after an input-required status have no effect', async () => {
    const { task, reply } = await harness(
      async function* run({ text, artifact }) {
        if (text !== 'one') return;
        yield { status: 'input-required', text: 'What?' };
        await artifact('late').append('x');
      },
      { variant },
    );
    const asked = await task('one');
    const done = await reply(asked, 'two');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done).not.toHaveProperty('artifacts');
  });

  test('of two messages to a paused turn the first starts the next turn and the second goes to its inbox', async () => {
    const { task, reply } = await harness(
      async function* run({ text, inbox, step }) {
        if (text === 'one') {
          yield { status: 'input-required', text: 'What?' };
          return;
        }
        const more: string[] = [];
        while (more.length === 0) {
          more.push(...(await inbox.take()).map((message) => message.text));
          await step('look again', () => 0);
        }
        yield `${text} ${more.join()}`;
      },
      { variant },
    );
    const asked = await task('one');
    const [first, second] = await Promise.all([reply(asked, 'two'), reply(asked, 'three')]);
    expect(artifactText(first)).toBe('two three');
    expect(second).toEqual(first);
  });

  test('a task that waits for its next turn fails after questionTtlMs', async () => {
    const { task, engine, clock } = await harness(
      async function* run() {
        yield { status: 'input-required', text: 'What?' };
      },
      { variant, limits: { questionTtlMs: 60_000 } },
    );
    const asked = await task('go');
    await until(async () => {
      clock.advance(1000);
      return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_FAILED';
    });
    expect(statusText(await engine.get(ANN, asked.id))).toBe('The question was not answered in time');
  });

  test.each(['restart', 'crash'] as const)('the next turn of a task runs after a %s', async (how) => {
    const first = await harness(
      async function* run({ text }) {
        yield `<${text}>`;
        if (text === 'one') yield { status: 'input-required', text: 'What?' };
      },
      { variant },
    );
    const asked = await first.task('one');
    const { reply, engine } = await first[how]();
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    expect(artifactText(await reply(asked, 'two'))).toBe('<one><two>');
    const events = bodies(await collect(engine.subscribe(ANN, asked.id, { after: 0 })));
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
  });
});
