import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, harness, statusText, until, VARIANTS } from './harness.ts';

/** What was faster at the first attempt must be faster at every other one, whatever was stored with what. */
describe.each(VARIANTS)('$name', (variant) => {
  test.each([5, 20])('the last of %i steps races with one that was begun after the second', async (count) => {
    const winners: string[] = [];
    const node = await harness(
      async ({ ask, step }) => {
        const [first, second, ...others] = Array.from({ length: count }, (_, i) => step(`step ${i}`, () => i));
        const later = (second ?? Promise.resolve()).then(() => step('later', () => 0));
        const last = (others.at(-1) ?? later).then(() => 'the last of many');
        const winner = await Promise.race([last, later.then(() => 'the later one')]);
        winners.push(winner);
        await Promise.all([first, later, ...others]);
        await ask('Go on?');
        return winner;
      },
      { variant },
    );
    const asking = await node.task('go');
    expect(statusText(asking)).toBe('Go on?');

    const { reply } = await node.crash();

    expect(artifactText(await reply(asking, 'yes'))).toBe(winners[0]);
    expect(new Set(winners).size).toBe(1);
  });

  test('an answer races with steps that were stored before it came', async () => {
    const winners: string[] = [];
    const door = deferred<void>();
    const stored = deferred<void>();
    const node = await harness(
      async ({ ask, step }) => {
        // Keeps the run from being suspended.
        const busy = step('busy', () => door.promise.then(() => 0));
        const answer = ask('Who?').then(() => 'the answer');
        await busy;
        const steps = Array.from({ length: 200 }, (_, i) => step(`step ${i}`, () => i));
        void steps[1]?.then(() => stored.resolve());
        const last = (steps.at(-1) ?? Promise.resolve(0)).then(() => 'the steps');
        const winner = await Promise.race([last, answer]);
        winners.push(winner);
        await Promise.all([...steps, answer]);
        await ask('Go on?');
        return winner;
      },
      { variant },
    );
    const begun = await node.task('go', { returnImmediately: true });
    await until(async () => statusText(await node.engine.get(ANN, begun.id)) === 'Who?');
    door.resolve();
    await stored.promise;
    const asking = await node.reply(begun, 'Ann');
    await until(async () => statusText(await node.engine.get(ANN, begun.id)) === 'Go on?');

    const { reply } = await node.crash();

    expect(artifactText(await reply(asking, 'yes'))).toBe(winners[0]);
    expect(new Set(winners).size).toBe(1);
  });
});

test('what a step and a handler are given can be taken apart and passed on', async () => {
  const node = await harness(async ({ step, inbox }) => {
    const seen = await step('look', ({ attempt, ...rest }) => [attempt, Object.keys(rest), rest.signal.aborted]);
    return JSON.stringify([seen, Symbol.asyncIterator in { ...inbox }]);
  });

  expect(artifactText(await node.task('go'))).toBe('[[1,["idempotencyKey","signal"],false],true]');
});
