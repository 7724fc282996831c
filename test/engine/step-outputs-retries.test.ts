/** Outputs of steps that fail and are retried: those of the attempts are compared. */
import { describe, expect, test } from 'vitest';
import type { StepContext } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { VARIANTS } from './harness.ts';
import {
  ENDS,
  expectKept,
  outputsOf as out,
  runScript,
  type ScriptContext,
  type Via,
  write,
} from './interrupted-handler.ts';

describe.each(VARIANTS)('$name', (variant) => {
  describe('a step that is retried', () => {
    /** Fails after each list of texts but the last one. */
    const attempts =
      (via: Via, context: ScriptContext, ...texts: readonly (readonly string[])[]) =>
      async (step: StepContext): Promise<void> => {
        await write(out(via, context, step), 'response', ...(texts[step.attempt - 1] ?? []));
        if (step.attempt < texts.length) throw new Error('not yet');
      };

    test.each<readonly [name: string, texts: readonly (readonly string[])[], expected: string]>([
      [
        'with the same output',
        [
          ['Hel', 'lo;'],
          ['Hel', 'lo;'],
        ],
        'BEFORE;Hello;AFTER;',
      ],
      ['with more output', [['Hel'], ['Hel', 'lo;']], 'BEFORE;Hello;AFTER;'],
      [
        'with other output',
        [
          ['Hel', 'lo;'],
          ['Hel', 'ium;'],
        ],
        'BEFORE;Helium;AFTER;',
      ],
      ['with less output', [['Hel', 'lo;'], ['Hel']], 'BEFORE;HelAFTER;'],
      ['with no output', [['Hel', 'lo;'], []], 'BEFORE;AFTER;'],
      [
        'twice',
        [
          ['a', 'b'],
          ['a', 'c'],
          ['a', 'b', 'c;'],
        ],
        'BEFORE;abc;AFTER;',
      ],
    ])('%s shows the output of its last attempt', async (_, texts, expected) => {
      for (const how of ['none', ...ENDS] as const) {
        const result = await runScript(
          async function* run(context) {
            yield 'BEFORE;';
            await context.step('s', attempts('step', context, ...texts), { retries: 5, backoffMs: 10 });
            await context.interrupt();
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect({ how, texts: result.texts }).toEqual({ how, texts: { response: expected } });
        expectKept(result, 'BEFORE;');
      }
    });

    test('publishes output through the task context once', async () => {
      for (const how of ['none', ...ENDS] as const) {
        const result = await runScript(
          async function* run(context) {
            const work = attempts('task', context, ['Hel'], ['Hel', 'lo;']);
            await context.step('s', work, { retries: 1, backoffMs: 10 });
            await context.interrupt();
            yield 'AFTER;';
          },
          { variant, how },
        );
        expect({ how, texts: result.texts }).toEqual({ how, texts: { response: 'Hello;AFTER;' } });
      }
    });

    test('publishes output of the task context again after its own replacement has removed it', async () => {
      const result = await runScript(
        async function run(context) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await artifact('response').append(`a${attempt};`);
            await artifact('response').replace(`b${attempt};`);
            await context.artifact('response').append('c;');
            if (attempt === 1) throw new Error('not yet');
          };
          await context.step('s', work, { retries: 1, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(result.texts).toEqual({ response: 'b2;c;' });
    });

    test('shows output of the step context that follows a replacement through the task context', async () => {
      const result = await runScript(
        async function run(context) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await context.artifact('response').replace('a;');
            await artifact('response').append(`b${attempt};`);
            if (attempt < 3) throw new Error('not yet');
          };
          await context.step('s', work, { retries: 2, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(result.texts).toEqual({ response: 'a;b3;' });
    });

    test('publishes output of the task context once that follows its own replacement', async () => {
      const result = await runScript(
        async function run(context) {
          const work = async ({ attempt, artifact }: StepContext): Promise<void> => {
            await artifact('response').replace(`a${attempt};`);
            await context.artifact('response').append('b;');
            if (attempt === 1) throw new Error('not yet');
          };
          await context.artifact('response').append('before;');
          await context.step('s', work, { retries: 1, backoffMs: 10 });
        },
        { variant, how: 'none' },
      );
      expect(result.texts).toEqual({ response: 'a2;b;' });
    });

    test('keeps the output of all attempts when it fails after its last retry', async () => {
      for (const how of ['none', ...ENDS] as const) {
        const result = await runScript(
          async function* run(context) {
            const work = async (step: StepContext): Promise<void> => {
              await write(step, 'response', ...(step.attempt === 1 ? ['Hel', 'lo;'] : ['Hel']));
              await step.status('trying');
              throw new Error(`failure ${step.attempt}`);
            };
            const options = { retries: 1, backoffMs: 10 };
            const error = await context.step('s', work, options).then(String, ({ message }: Error) => message);
            await context.interrupt();
            yield `${error};`;
          },
          { variant, how },
        );
        expect({ how, texts: result.texts }).toEqual({ how, texts: { response: 'Hello;failure 2;' } });
        expect(result.statuses).toEqual(['trying']);
      }
    });

    test('keeps the output that another step and the handler published in the same artifact meanwhile', async () => {
      const result = await runScript(
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
      expect(result.texts).toEqual({ response: 'f2;OTHER;text;AFTER;' });
      expectKept(result, 'OTHER;');
      expectKept(result, 'text;');
    });

    test('does not run its recorded inner steps again', async () => {
      let calls = 0;
      const result = await runScript(
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
      expect(result.texts).toEqual({ response: 'IN;1;2;' });
    });
  });
});
