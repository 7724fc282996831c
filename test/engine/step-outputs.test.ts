/** What is published while a step runs, and what becomes of it when the handler is replayed. */
import { describe, expect, test } from 'vitest';
import type { Step } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { VARIANTS } from './harness.ts';
import { expectKept, INTERRUPTIONS, outputsOf as out, play, type Played, type Script, type Via } from './scenes.ts';

/** Handlers of which every attempt emits the same: an interruption changes nothing. */
const STEADY: Readonly<Record<string, readonly [expected: Readonly<Record<string, string>>, (via: Via) => Script]>> = {
  'a step, then text': [
    { response: 'IN;AFTER;' },
    (via) =>
      async function* run(scene) {
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'text, a step, then text': [
    { response: 'BEFORE;IN;AFTER;' },
    (via) =>
      async function* run(scene) {
        yield 'BEFORE;';
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'text, a step, text, then more text': [
    { response: 'BEFORE;IN;AFTER;END;' },
    (via) =>
      async function* run(scene) {
        yield 'BEFORE;';
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        yield 'AFTER;';
        await scene.point();
        yield 'END;';
      },
  ],
  'text and a step, then nothing': [
    { response: 'BEFORE;IN;' },
    (via) =>
      async function* run(scene) {
        yield 'BEFORE;';
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        await scene.point();
      },
  ],
  'a step, then nothing': [
    { response: 'IN;' },
    (via) =>
      async function run(scene) {
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        await scene.point();
      },
  ],
  'a step that writes another artifact': [
    { response: 'A;B;', doc: 'IN;' },
    (via) =>
      async function* run(scene) {
        yield 'A;';
        await scene.step('s', (step) => out(via, scene, step).artifact('doc').append('IN;'));
        await scene.point();
        yield 'B;';
      },
  ],
  'a step that replaces the artifact': [
    { response: 'NEW;AFTER;' },
    (via) =>
      async function* run(scene) {
        yield 'OLD;';
        await scene.step('s', (step) => out(via, scene, step).artifact('response').replace('NEW;'));
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'two steps that share an artifact': [
    { response: 'ONE;TWO;AFTER;' },
    (via) =>
      async function* run(scene) {
        for (const text of ['ONE;', 'TWO;'])
          await scene.step(text, (step) => out(via, scene, step).artifact('response').append(text));
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'two steps and text share an artifact, with additions and replacements': [
    { response: 'TWO;b;THREE;c;' },
    (via) =>
      async function* run(scene) {
        yield 'a;';
        await scene.step('one', (step) => out(via, scene, step).artifact('response').append('ONE;'));
        await scene.step('two', (step) => out(via, scene, step).artifact('response').replace('TWO;'));
        yield 'b;';
        await scene.step('three', (step) => out(via, scene, step).artifact('response').append('THREE;'));
        await scene.point();
        yield 'c;';
      },
  ],
  'a model that streams in a step, then a remark': [
    { response: 'The quick fox. (15 letters)' },
    (via) =>
      async function* run(scene) {
        const text = await scene.step('model', async (step) => {
          const artifact = out(via, scene, step).artifact('response');
          const tokens = ['The ', 'quick ', 'fox. '];
          for (const token of tokens) await artifact.append(token);
          return tokens.join('');
        });
        await scene.point();
        yield `(${text.length} letters)`;
      },
  ],
  'a loop of text and steps, interrupted in its second round': [
    { response: 'say0;in0;say1;in1;say2;in2;' },
    (via) =>
      async function* run(scene) {
        for (const i of [0, 1, 2]) {
          yield `say${i};`;
          await scene.step('s', (step) => out(via, scene, step).artifact('response').append(`in${i};`));
          if (i === 1) await scene.point();
        }
      },
  ],
  'a loop in which everything says the same': [
    { response: '......' },
    (via) =>
      async function* run(scene) {
        for (const i of [0, 1, 2]) {
          await scene.step('s', (step) => out(via, scene, step).artifact('response').append('.'));
          if (i === 1) await scene.point();
          yield '.';
        }
      },
  ],
  'a step before a timer': [
    { response: 'IN;AFTER;' },
    (via) =>
      async function* run(scene) {
        await scene.step('s', (step) => out(via, scene, step).artifact('response').append('IN;'));
        await scene.sleep(10);
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'steps at the same time, each with an artifact of its own': [
    { a: 'a1;a2;', b: 'b1;b2;', response: 'AFTER;' },
    (via) =>
      async function* run(scene) {
        const write = async (name: string): Promise<void> =>
          scene.step(name, async (step) => {
            const artifact = out(via, scene, step).artifact(name);
            await artifact.append(`${name}1;`);
            await artifact.append(`${name}2;`);
          });
        await Promise.all(['a', 'b'].map(write));
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'text that is published beside a step': [
    { response: 'beside;IN;AFTER;' },
    (via) =>
      async function* run(scene) {
        const gate = deferred<void>();
        const done = scene.step('s', async (step) => {
          await gate.promise;
          await out(via, scene, step).artifact('response').append('IN;');
        });
        yield 'beside;';
        gate.resolve();
        await done;
        await scene.point();
        yield 'AFTER;';
      },
  ],
  'a step inside a step, and a later one of the same name': [
    { response: 'inner 1;outer;inner 2;AFTER;' },
    (via) =>
      async function* run(scene) {
        const inner = (step: Step, text: string): Promise<void> =>
          step('inner', (own) => out(via, scene, own).artifact('response').append(text));
        await scene.step('outer', async (outer) => {
          await inner(outer.step, 'inner 1;');
          await out(via, scene, outer).artifact('response').append('outer;');
        });
        await scene.point();
        await inner(scene.step, 'inner 2;');
        yield 'AFTER;';
      },
  ],
};

describe.each(VARIANTS)('$name', (variant) => {
  describe.each(INTERRUPTIONS)('interruption: %s', (how) => {
    for (const via of ['step', 'task'] as const)
      test.each(Object.entries(STEADY))(`%s: nothing is lost or repeated (through the ${via})`, async (_, scenario) => {
        const [expected, script] = scenario;
        const played = await play(script(via), { variant, how });
        expect(played.texts).toEqual(expected);
        if (how !== 'none')
          for (const text of ['IN;', 'ONE;', 'in0;']) expectKeptUnlessReplaced(played, text, expected);
      });

    test('a generator streams in a step, and its return value is the result', async () => {
      const played = await play(
        async function run({ step, point }) {
          const text = await step('model', async function* model({ attempt }) {
            yield { status: 'working', text: `Attempt ${attempt}` };
            yield 'Hello ';
            yield { artifact: 'notes', text: 'a note', append: true };
            yield 'world.';
            return 'Hello world.'.length;
          });
          await point();
          return ` ${text}`;
        },
        { variant, how },
      );
      expect(played.texts).toEqual({ response: 'Hello world. 12', notes: 'a note' });
      expect(played.statuses).toEqual(['Attempt 1']);
      expectKept(played, 'Hello world.');
    });

    test.each<Via>(['step', 'task'])('statuses of a step are published once (through the %s)', async (via) => {
      const played = await play(
        async function* run(scene) {
          yield { status: 'working', text: 'a' };
          await scene.step('s', (step) => out(via, scene, step).status('in'));
          yield { status: 'working', text: 'after' };
          await scene.point();
          yield { status: 'working', text: 'z' };
        },
        { variant, how },
      );
      expect(played.statuses).toEqual(['a', 'in', 'after', 'z']);
    });
  });
});

/** A text of a step stays from when it is published, unless the handler itself replaces it. */
function expectKeptUnlessReplaced(played: Played, text: string, expected: Readonly<Record<string, string>>): void {
  for (const [artifact, whole] of Object.entries(expected))
    if (whole.includes(text) && played.views.some((view) => view[artifact]?.includes(text)))
      expectKept(played, text, artifact);
}
