/** Outputs that are published while a step runs, and their replay. */
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { VARIANTS } from './harness.ts';
import {
  expectKept,
  INTERRUPTIONS,
  outputsOf as out,
  runScript,
  type ScriptResult,
  type Script,
  type Via,
} from './interrupted-handler.ts';

/** Handlers whose attempts all emit the same: an interruption changes nothing. */
const STEADY: Readonly<Record<string, readonly [expected: Readonly<Record<string, string>>, (via: Via) => Script]>> = {
  'a step, then text': [
    { response: 'IN;AFTER;' },
    (via) =>
      async function* run(context) {
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'text, a step, then text': [
    { response: 'BEFORE;IN;AFTER;' },
    (via) =>
      async function* run(context) {
        yield 'BEFORE;';
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'text, a step, text, then more text': [
    { response: 'BEFORE;IN;AFTER;END;' },
    (via) =>
      async function* run(context) {
        yield 'BEFORE;';
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        yield 'AFTER;';
        await context.interrupt();
        yield 'END;';
      },
  ],
  'text and a step, then nothing': [
    { response: 'BEFORE;IN;' },
    (via) =>
      async function* run(context) {
        yield 'BEFORE;';
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        await context.interrupt();
      },
  ],
  'a step, then nothing': [
    { response: 'IN;' },
    (via) =>
      async function run(context) {
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        await context.interrupt();
      },
  ],
  'a step that writes another artifact': [
    { response: 'A;B;', doc: 'IN;' },
    (via) =>
      async function* run(context) {
        yield 'A;';
        await context.step('s', (step) => out(via, context, step).artifact('doc').append('IN;'));
        await context.interrupt();
        yield 'B;';
      },
  ],
  'a step that replaces the artifact': [
    { response: 'NEW;AFTER;' },
    (via) =>
      async function* run(context) {
        yield 'OLD;';
        await context.step('s', (step) => out(via, context, step).artifact('response').replace('NEW;'));
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'two steps that share an artifact': [
    { response: 'ONE;TWO;AFTER;' },
    (via) =>
      async function* run(context) {
        for (const text of ['ONE;', 'TWO;'])
          await context.step(text, (step) => out(via, context, step).artifact('response').append(text));
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'two steps and text share an artifact, with additions and replacements': [
    { response: 'TWO;b;THREE;c;' },
    (via) =>
      async function* run(context) {
        yield 'a;';
        await context.step('one', (step) => out(via, context, step).artifact('response').append('ONE;'));
        await context.step('two', (step) => out(via, context, step).artifact('response').replace('TWO;'));
        yield 'b;';
        await context.step('three', (step) => out(via, context, step).artifact('response').append('THREE;'));
        await context.interrupt();
        yield 'c;';
      },
  ],
  'a model that streams in a step, then a remark': [
    { response: 'The quick fox. (15 letters)' },
    (via) =>
      async function* run(context) {
        const text = await context.step('model', async (step) => {
          const artifact = out(via, context, step).artifact('response');
          const tokens = ['The ', 'quick ', 'fox. '];
          for (const token of tokens) await artifact.append(token);
          return tokens.join('');
        });
        await context.interrupt();
        yield `(${text.length} letters)`;
      },
  ],
  'a loop of text and steps, interrupted in its second round': [
    { response: 'say0;in0;say1;in1;say2;in2;' },
    (via) =>
      async function* run(context) {
        for (const i of [0, 1, 2]) {
          yield `say${i};`;
          await context.step('s', (step) => out(via, context, step).artifact('response').append(`in${i};`));
          if (i === 1) await context.interrupt();
        }
      },
  ],
  'a loop in which all texts are equal': [
    { response: '......' },
    (via) =>
      async function* run(context) {
        for (const i of [0, 1, 2]) {
          await context.step('s', (step) => out(via, context, step).artifact('response').append('.'));
          if (i === 1) await context.interrupt();
          yield '.';
        }
      },
  ],
  'a step before a timer': [
    { response: 'IN;AFTER;' },
    (via) =>
      async function* run(context) {
        await context.step('s', (step) => out(via, context, step).artifact('response').append('IN;'));
        await context.sleep(10);
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'steps at the same time, each with an artifact of its own': [
    { a: 'a1;a2;', b: 'b1;b2;', response: 'AFTER;' },
    (via) =>
      async function* run(context) {
        const write = async (name: string): Promise<void> =>
          context.step(name, async (step) => {
            const artifact = out(via, context, step).artifact(name);
            await artifact.append(`${name}1;`);
            await artifact.append(`${name}2;`);
          });
        await Promise.all(['a', 'b'].map(write));
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'text that is published beside a step': [
    { response: 'beside;IN;AFTER;' },
    (via) =>
      async function* run(context) {
        const gate = deferred<void>();
        const done = context.step('s', async (step) => {
          await gate.promise;
          await out(via, context, step).artifact('response').append('IN;');
        });
        yield 'beside;';
        gate.resolve();
        await done;
        await context.interrupt();
        yield 'AFTER;';
      },
  ],
  'a step inside a step, and a later one of the same name': [
    { response: 'inner 1;outer;inner 2;AFTER;' },
    (via) =>
      async function* run(context) {
        const inner = (step: Step, text: string): Promise<void> =>
          step('inner', (own) => out(via, context, own).artifact('response').append(text));
        await context.step('outer', async (outer) => {
          await inner(outer.step, 'inner 1;');
          await out(via, context, outer).artifact('response').append('outer;');
        });
        await context.interrupt();
        await inner(context.step, 'inner 2;');
        yield 'AFTER;';
      },
  ],
};

describe.each(VARIANTS)('$name', (variant) => {
  describe.each(INTERRUPTIONS)('interruption: %s', (how) => {
    for (const via of ['step', 'task'] as const)
      test.each(Object.entries(STEADY))(
        `%s: no output is lost or repeated (through the ${via})`,
        async (_, scenario) => {
          const [expected, script] = scenario;
          const result = await runScript(script(via), { variant, how });
          expect(result.texts).toEqual(expected);
          if (how !== 'none')
            for (const text of ['IN;', 'ONE;', 'in0;']) expectKeptUnlessReplaced(result, text, expected);
        },
      );

    test('a step can be a generator: its yields are outputs and its return value is the result', async () => {
      const result = await runScript(
        async function run({ step, interrupt }) {
          const text = await step('model', async function* model({ attempt }) {
            yield { status: 'working', text: `Attempt ${attempt}` };
            yield 'Hello ';
            yield { artifact: 'notes', text: 'a note', append: true };
            yield 'world.';
            return 'Hello world.'.length;
          });
          await interrupt();
          return ` ${text}`;
        },
        { variant, how },
      );
      expect(result.texts).toEqual({ response: 'Hello world. 12', notes: 'a note' });
      expect(result.statuses).toEqual(['Attempt 1']);
      expectKept(result, 'Hello world.');
    });

    test.each<Via>(['step', 'task'])('statuses of a step are published once (through the %s)', async (via) => {
      const result = await runScript(
        async function* run(context) {
          yield { status: 'working', text: 'a' };
          await context.step('s', (step) => out(via, context, step).status('in'));
          yield { status: 'working', text: 'after' };
          await context.interrupt();
          yield { status: 'working', text: 'z' };
        },
        { variant, how },
      );
      expect(result.statuses).toEqual(['a', 'in', 'after', 'z']);
    });
  });
});

/** A text of a step is kept once it is published, unless the handler itself replaces it. */
function expectKeptUnlessReplaced(
  result: ScriptResult,
  text: string,
  expected: Readonly<Record<string, string>>,
): void {
  for (const [artifact, whole] of Object.entries(expected))
    if (whole.includes(text) && result.views.some((view) => view[artifact]?.includes(text)))
      expectKept(result, text, artifact);
}
