/** Steps that fail and are tried again: what their attempts have published is compared. */
import { describe, expect, test } from 'vitest';
import type { StepContext } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { VARIANTS } from './harness.ts';
import { ENDS, expectKept, outputsOf as out, play, type Scene, type Via, write } from './scenes.ts';

describe.each(VARIANTS)('$name', (variant) => {
  describe('a step that is retried', () => {
    /** Fails after each list of texts but the last one. */
    const attempts =
      (via: Via, scene: Scene, ...texts: readonly (readonly string[])[]) =>
      async (step: StepContext): Promise<void> => {
        await write(out(via, scene, step), 'response', ...(texts[step.attempt - 1] ?? []));
        if (step.attempt < texts.length) throw new Error('not yet');
      };

    test.each<readonly [name: string, texts: readonly (readonly string[])[], expected: string]>([
      [
        'and says the same',
        [
          ['Hel', 'lo;'],
          ['Hel', 'lo;'],
        ],
        'BEFORE;Hello;AFTER;',
      ],
      ['and goes further', [['Hel'], ['Hel', 'lo;']], 'BEFORE;Hello;AFTER;'],
      [
        'and says something else',
        [
          ['Hel', 'lo;'],
          ['Hel', 'ium;'],
        ],
        'BEFORE;Helium;AFTER;',
      ],
      ['and says less', [['Hel', 'lo;'], ['Hel']], 'BEFORE;HelAFTER;'],
      ['and says nothing', [['Hel', 'lo;'], []], 'BEFORE;AFTER;'],
      [
        'twice',
        [
          ['a', 'b'],
          ['a', 'c'],
          ['a', 'b', 'c;'],
        ],
        'BEFORE;abc;AFTER;',
      ],
    ])('%s is compared with the failed attempt', async (_, texts, expected) => {
      for (const how of ['none', ...ENDS] as const) {
        const played = await play(
          async function* run(scene) {
            yield 'BEFORE;';
            await scene.step('s', attempts('step', scene, ...texts), { retries: 5, backoffMs: 10 });
            await scene.point();
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect({ how, texts: played.texts }).toEqual({ how, texts: { response: expected } });
        expectKept(played, 'BEFORE;');
      }
    });

    test('publishes output of the task context once', async () => {
      for (const how of ['none', ...ENDS] as const) {
        const played = await play(
          async function* run(scene) {
            const work = attempts('task', scene, ['Hel'], ['Hel', 'lo;']);
            await scene.step('s', work, { retries: 1, backoffMs: 10 });
            await scene.point();
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect({ how, texts: played.texts }).toEqual({ how, texts: { response: 'Hello;AFTER;' } });
      }
    });

    test('publishes output again that its own replacement has removed', async () => {
      const played = await play(
        async function run(scene) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await artifact('response').append(`a${attempt};`);
            await artifact('response').replace(`b${attempt};`);
            await scene.artifact('response').append('c;');
            if (attempt === 1) throw new Error('not yet');
          };
          await scene.step('s', work, { retries: 1, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(played.texts).toEqual({ response: 'b2;c;' });
    });

    test('shows output that follows a replacement by its own code', async () => {
      const played = await play(
        async function run(scene) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await scene.artifact('response').replace('a;');
            await artifact('response').append(`b${attempt};`);
            if (attempt < 3) throw new Error('not yet');
          };
          await scene.step('s', work, { retries: 2, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(played.texts).toEqual({ response: 'a;b3;' });
    });

    test('publishes output once that stands behind its own replacement', async () => {
      const played = await play(
        async function run(scene) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await artifact('response').replace(`a${attempt};`);
            await scene.artifact('response').append('b;');
            if (attempt === 1) throw new Error('not yet');
          };
          await scene.artifact('response').append('before;');
          await scene.step('s', work, { retries: 1, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(played.texts).toEqual({ response: 'a2;b;' });
    });

    test('keeps what it has published when it fails for good', async () => {
      for (const how of ['none', ...ENDS] as const) {
        const played = await play(
          async function* run(scene) {
            const work = async (step: StepContext): Promise<void> => {
              await write(step, 'response', ...(step.attempt === 1 ? ['Hel', 'lo;'] : ['Hel']));
              await step.status('trying');
              throw new Error(`failure ${step.attempt}`);
            };
            const options = { retries: 1, backoffMs: 10 };
            const error = await scene.step('s', work, options).then(String, ({ message }: Error) => message);
            await scene.point();
            yield `${error};`;
          },
          { variant, how },
        );
        expect({ how, texts: played.texts }).toEqual({ how, texts: { response: 'Hello;failure 2;' } });
        expect(played.statuses).toEqual(['trying']);
      }
    });

    test('keeps what another step and the handler have published in the same artifact meanwhile', async () => {
      const played = await play(
        async function* run({ step, artifact }) {
          const [failed, written] = [deferred<void>(), deferred<void>()];
          const flaky = step(
            'flaky',
            async (own) => {
              await write(own, 'response', `f${own.attempt};`);
              if (own.attempt > 1) return;
              failed.resolve();
              await written.promise;
              throw new Error('not yet');
            },
            { retries: 1, backoffMs: 10 },
          );
          await failed.promise;
          await step('other', (own) => write(own, 'response', 'OTHER;'));
          await artifact('response').append('text;');
          written.resolve();
          await flaky;
          yield 'AFTER;';
        },
        { variant, how: 'none' },
      );
      expect(played.texts).toEqual({ response: 'f2;OTHER;text;AFTER;' });
      expectKept(played, 'OTHER;');
      expectKept(played, 'text;');
    });

    test('does not run its recorded inner steps again', async () => {
      let calls = 0;
      const played = await play(
        async function* run({ step }) {
          const sum = await step(
            'outer',
            async (outer) => {
              const value = await outer.step('inner', ({ artifact }) =>
                artifact('response')
                  .append('IN;')
                  .then(() => ++calls),
              );
              if (outer.attempt === 1) throw new Error('not yet');
              return value;
            },
            { retries: 1, backoffMs: 10 },
          );
          yield `${sum};${await step('inner', () => ++calls)};`;
        },
        { variant, how: 'none' },
      );
      expect(played.texts).toEqual({ response: 'IN;1;2;' });
    });
  });
});
