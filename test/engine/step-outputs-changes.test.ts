/** Outputs of steps that were interrupted, failed or had another result: when they are kept, removed or replaced. */
import { describe, expect, test } from 'vitest';
import type { Store, TaskWrite } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  harness,
  openStore,
  runnable,
  startHarness,
  statusText,
  until,
  VARIANTS,
  withMethods,
} from './harness.ts';
import { ENDS, expectKept, outputsOf as out, runScript, type Via, write } from './interrupted-handler.ts';

describe.each(VARIANTS)('$name', (variant) => {
  describe.each(ENDS)('after a %s', (how) => {
    test.each<Via>(['step', 'task'])(
      'an unrecorded step that runs again publishes only its missing outputs (through the %s)',
      async (via) => {
        const result = await runScript(
          async function* run(context) {
            yield 'BEFORE;';
            await context.step('s', async (step) => {
              await write(out(via, context, step), 'response', 'IN1;', 'IN2;');
              await context.interrupt();
              await write(out(via, context, step), 'response', 'IN3;');
            });
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect(result.texts).toEqual({ response: 'BEFORE;IN1;IN2;IN3;AFTER;' });
        expect(result.views.filter(({ response }) => response === 'BEFORE;IN1;IN2;')).toHaveLength(1);
        expectKept(result, 'IN2;');
      },
    );

    test.each<Via>(['step', 'task'])(
      'an unrecorded step that runs again with other outputs replaces its old ones (through the %s)',
      async (via) => {
        const result = await runScript(
          async function* run(context) {
            await context.step('first', (step) => write(out(via, context, step), 'response', 'KEPT;'));
            await context.step('second', async (step) => {
              await write(out(via, context, step), 'response', `same;`, `${context.life};`, `old${context.life};`);
              await context.interrupt();
            });
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect(result.texts).toEqual({ response: 'KEPT;same;2;old2;AFTER;' });
        expectKept(result, 'KEPT;');
      },
    );

    test('an interrupted step beside a recorded one leaves no old output behind when it runs again', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life }) {
          const recorded = deferred<void>();
          const quick = step('quick', (own) => write(own, 'quick', 'all of it')).then(() => recorded.resolve());
          const slow = step('slow', async (own) => {
            await write(own, 'slow', `${life}: `, 'the beginning');
            await recorded.promise;
            await interrupt();
            await write(own, 'slow', ', the end');
          });
          await Promise.all([quick, slow]);
          yield 'done';
        },
        { variant, how },
      );
      expect(result.texts).toEqual({ quick: 'all of it', slow: '2: the beginning, the end', response: 'done' });
      expectKept(result, 'all of it', 'quick');
    });

    test('a recorded step keeps its chunks in an artifact that it shares with an interrupted step', async () => {
      const result = await runScript(
        async function run({ step, interrupt, life }) {
          const gates = [deferred<void>(), deferred<void>(), deferred<void>()];
          const a = step('a', async (own) => {
            await write(own, 'response', 'a1;');
            gates[0]?.resolve();
            await gates[1]?.promise;
            await write(own, 'response', 'a2;');
          }).then(() => gates[2]?.resolve());
          const b = step('b', async (own) => {
            if (life === 1) await gates[0]?.promise;
            await write(own, 'response', `b${life};`);
            gates[1]?.resolve();
            await gates[2]?.promise;
            await interrupt();
            await write(own, 'response', 'b-end;');
          });
          await Promise.all([a, b]);
        },
        { variant, how },
      );
      expect(result.texts).toEqual({ response: 'a1;b2;a2;b-end;' });
      expectKept(result, 'a1;');
      expectKept(result, 'a2;');
    });

    test.each<readonly [name: string, expected: string, mode: 'append' | 'replace']>([
      ['appended', 'text2;IN;AFTER;', 'append'],
      ['replaced the artifact with', 'IN;AFTER;', 'replace'],
    ])(
      'text of the handler that changes in a replay comes before the chunk that a recorded step has %s',
      async (_, expected, mode) => {
        const result = await runScript(
          async function* run({ step, interrupt, life }) {
            yield `text${life};`;
            await step('s', ({ artifact }) => artifact('response')[mode]('IN;'));
            await interrupt();
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect(result.texts).toEqual({ response: expected });
        expectKept(result, 'IN;');
      },
    );

    test('text that only a replay emits before a recorded step is published before the chunk of the step', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life }) {
          if (life === 2) yield 'two;';
          if (life === 3) yield 'three;';
          await step('s', (own) => own.artifact('response').append('IN;'));
          await interrupt(1);
          await interrupt(2);
          yield 'AFTER;';
        },
        { variant, how, interruptions: 2 },
      );
      expect(result.texts).toEqual({ response: 'three;IN;AFTER;' });
      expectKept(result, 'IN;');
    });

    test('a handler that replaces the artifact in a replay before a recorded step keeps the output of the step', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life, artifact }) {
          yield `text${life};`;
          if (life === 2) await artifact('response').replace('Z;');
          await step('s', (own) => own.artifact('response').append('IN;'));
          await interrupt();
          yield 'AFTER;';
        },
        { variant, how },
      );
      expect(result.texts).toEqual({ response: 'Z;IN;AFTER;' });
      expectKept(result, 'IN;');
    });

    test('a replay with fewer outputs keeps the outputs of recorded steps', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life }) {
          yield 'a;';
          await step('s', ({ artifact }) => artifact('response').append('IN;'));
          if (life === 1) yield 'b;';
          await interrupt();
        },
        { variant, how },
      );
      expect(result.texts).toEqual({ response: 'a;IN;' });
      expectKept(result, 'IN;');
    });

    test('after several replays the task has the outputs of the last one and those of all recorded steps', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life }) {
          yield 'same;';
          yield `${life};`;
          await step('one', ({ artifact }) => artifact('response').append('ONE;'));
          yield { status: 'working', text: `life ${life}` };
          await interrupt(1);
          yield `after ${life};`;
          await step('two', ({ artifact }) => artifact('response').append('TWO;'));
          await interrupt(2);
          yield 'last;';
          await interrupt(3);
          yield 'END;';
        },
        { variant, how, interruptions: 3 },
      );
      expect(result.texts).toEqual({ response: 'same;4;ONE;TWO;after 4;last;END;' });
      expect(result.statuses).toEqual(['life 1', 'life 2', 'life 3', 'life 4']);
      expectKept(result, 'ONE;');
      expectKept(result, 'TWO;');
    });

    test('a replay with the same corrections as the one before it publishes nothing', async () => {
      const result = await runScript(
        async function* run({ step, interrupt, life }) {
          yield life === 1 ? 'first;' : 'later;';
          yield { status: 'working', text: life === 1 ? 'one' : 'two' };
          await step('s', ({ artifact }) => artifact('response').append('IN;'));
          await interrupt(1);
          await interrupt(2);
          yield 'END;';
        },
        { variant, how, interruptions: 2 },
      );
      expect(result.texts).toEqual({ response: 'later;IN;END;' });
      const texts = result.views.flatMap(({ response }) => response ?? []);
      expect(texts.filter((text, i) => text !== texts[i - 1])).toEqual([
        'first;',
        'first;IN;',
        'later;IN;',
        'later;IN;END;',
      ]);
      expect(result.statuses).toEqual(['one', 'two']);
    });
  });

  test('a status of a step that ends while a question is open is published after the answer, and once', async () => {
    for (const interruption of [...ENDS, undefined]) {
      let isOpen = deferred<void>();
      let node = await harness(
        async function* run({ ask, step }) {
          const answer = ask('Who?');
          await step('s', async ({ status }) => {
            await isOpen.promise;
            await status('in the step');
          });
          yield `${await answer};`;
          yield `${await ask('And then?')};`;
        },
        { variant },
      );
      const { id } = await node.task('go', { returnImmediately: true });
      await until(async () => statusText(await node.engine.get(ANN, id)) === 'Who?');
      isOpen.resolve();
      const steps = async (): Promise<readonly unknown[]> =>
        (await node.store.journal(id)).filter(({ kind }) => kind === 'step').map(({ body }) => body);
      await until(async () => (await steps()).length > 0);
      expect(await steps()).toMatchObject([{ outputs: { held: [{ parts: [{ text: 'in the step' }] }] } }]);
      expect(statusText(await node.engine.get(ANN, id))).toBe('Who?');
      isOpen = deferred<void>();
      if (interruption !== undefined) node = await node[interruption]();
      const asked = await node.reply(await node.engine.get(ANN, id), 'Ann');
      expect(statusText(asked)).toBe('And then?');
      if (interruption !== undefined) node = await node[interruption]();
      const done = await node.reply(asked, 'nothing');
      expect(artifactText(done)).toBe('Ann;nothing;');
      const said = done.history?.flatMap(({ parts }) => parts.map((part) => ('text' in part ? part.text : '')));
      expect(said).toEqual(['go', 'Who?', 'Ann', 'in the step', 'And then?', 'nothing']);
    }
  });

  test('the record of a step is never stored before the outputs of the step', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const problems: string[] = [];
    let artifacts = 0;
    const append: Store['append'] = (writes: TaskWrite) => {
      artifacts += writes.events?.filter(({ kind }) => kind === 'artifact').length ?? 0;
      for (const { kind, key, body } of writes.journal ?? []) {
        if (kind !== 'step') continue;
        const { outputs } = body as { outputs: { own: { artifacts: number[] } } };
        const last = Math.max(...outputs.own.artifacts);
        if (last > artifacts) problems.push(`${key} names output ${last} of ${artifacts}`);
      }
      return store.append(writes);
    };
    const agents = [
      runnable(async ({ step }) => {
        const one = (name: string): Promise<void> =>
          step(name, ({ artifact }) => {
            // Not awaited, and more than one write holds.
            for (let i = 0; i < 600; i++) void artifact(name).append(`${i};`);
          });
        await Promise.all(['a', 'b', 'c'].map(one));
      }),
    ];
    const node = await startHarness({ clock, store: withMethods(store, { append }), agents }, clock);
    const done = await node.task('go');
    const whole = Array.from({ length: 600 }, (_, i) => `${i};`).join('');
    expect(done.artifacts?.map(({ parts }) => parts)).toEqual([
      [{ text: whole }],
      [{ text: whole }],
      [{ text: whole }],
    ]);
    expect(problems).toEqual([]);
  });

  test('a journal of a version that did not record the outputs of steps is replayed without loss and logs a warning', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const older: Store['append'] = (writes) =>
      store.append({
        ...writes,
        ...(writes.journal !== undefined && {
          journal: writes.journal.map((entry) =>
            entry.kind === 'step' ? { ...entry, body: { value: (entry.body as { value: string }).value } } : entry,
          ),
        }),
      });
    const agents = [
      runnable(async function* run({ step, ask, artifact }) {
        yield 'BEFORE;';
        await step('one', () =>
          artifact('response')
            .append('ONE;')
            .then(() => 1),
        );
        yield 'between;';
        await step('two', () =>
          artifact('response')
            .append('TWO;')
            .then(() => 2),
        );
        await ask('Continue?');
        yield 'AFTER;';
      }),
    ];
    const options = { clock, agents, maxSuspended: 0 };
    const before = await startHarness({ ...options, store: withMethods(store, { append: older }) }, clock);
    const asked = await before.task('go');
    await before.engine.close();
    const now = await startHarness({ ...options, store }, clock);
    const done = await now.reply(asked, 'yes');
    expect(artifactText(done)).toBe('BEFORE;ONE;between;TWO;AFTER;');
    expect(now.log.map(({ message }) => message)).toEqual([
      'Replaying a journal of an older version, which did not record the outputs of steps: all published output is kept',
    ]);
  });
});
