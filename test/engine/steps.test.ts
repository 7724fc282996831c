import { describe, expect, test } from 'vitest';
import { A2AError, markNested } from '../../src/errors.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, harness, statusText, until, VARIANTS } from './harness.ts';

const HOW = ['restart', 'crash'] as const;

describe.each(VARIANTS)('$name', (variant) => {
  test.each<[string, () => unknown, JsonValue | undefined]>([
    ['nothing', () => undefined, undefined],
    ['null', () => null, null],
    ['a text', () => 'a', 'a'],
    ['NaN', () => Number.NaN, null],
    ['false', () => false, false],
    ['a list', () => [1, undefined, 'x'], [1, null, 'x']],
    ['an object', () => ({ a: undefined, b: { c: 1 } }), { b: { c: 1 } }],
    ['a date', () => new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an object with toJSON', () => ({ toJSON: () => 7 }), 7],
  ])('a step that returns %s returns the same value in a replay', async (_, work, value) => {
    const results: unknown[] = [];
    const { task, reply } = await harness(
      async ({ step, ask }) => {
        results.push(await step('s', work));
        await ask('Go on?');
      },
      { variant, maxSuspended: 0 },
    );
    await reply(await task('go'), 'yes');
    expect(results).toEqual([value, value]);
  });

  test('a failed step throws an error with the same name and message in a replay', async () => {
    let calls = 0;
    const errors: unknown[] = [];
    const { task, reply } = await harness(
      async ({ step, ask }) => {
        const failing = (): never => {
          calls++;
          throw new RangeError('too far');
        };
        await step('s', failing).catch((error: unknown) => errors.push(error));
        await ask('Go on?');
        return 'fine';
      },
      { variant, maxSuspended: 0 },
    );
    const done = await reply(await task('go'), 'yes');
    expect(artifactText(done)).toBe('fine');
    expect(calls).toBe(1);
    expect(errors).toEqual([
      expect.objectContaining({ name: 'RangeError', message: 'too far' }),
      expect.objectContaining({ name: 'RangeError', message: 'too far' }),
    ]);
  });

  test.each<[string, () => Error, RegExp]>([
    [
      'an A2AError of the handler itself',
      () => new A2AError('UNAVAILABLE', 'Closed on Sundays'),
      /^Closed on Sundays$/,
    ],
    [
      'an error of a call to another agent',
      () => markNested(new A2AError('TRANSPORT_FAILED', 'http://10.0.0.7 cannot be reached')),
      /^The agent failed\. Reference: [\w-]+$/,
    ],
    ['another error', () => new Error('The disk is full'), /^The agent failed\. Reference: [\w-]+$/],
  ])(
    '%s thrown by a step gives the caller the same text at the first attempt and in a replay',
    async (_, make, text) => {
      let runs = 0;
      const { task, reply } = await harness(
        async ({ step, ask, text: said }) => {
          runs++;
          const failing = (): never => {
            throw make();
          };
          const error = await step('s', failing).catch((thrown: unknown) => thrown);
          if (said === 'later') await ask('Go on?');
          throw error;
        },
        { variant, maxSuspended: 0 },
      );
      const atOnce = await task('now');
      const replayed = await reply(await task('later'), 'yes');

      expect(runs).toBe(3);
      for (const failed of [atOnce, replayed]) {
        expect(failed.status.state).toBe('TASK_STATE_FAILED');
        expect(statusText(failed)).toMatch(text);
      }
    },
  );

  test('an A2AError of a step keeps its code and details in a replay', async () => {
    const errors: unknown[] = [];
    const { task, reply } = await harness(
      async ({ step, ask }) => {
        const failing = (): never => {
          throw new A2AError('TASK_NOT_FOUND', 'It is gone', { details: { taskId: '7' } });
        };
        await step('s', failing).catch((error: unknown) => errors.push(error));
        await ask('Go on?');
      },
      { variant, maxSuspended: 0 },
    );
    await reply(await task('go'), 'yes');
    expect(errors).toHaveLength(2);
    for (const error of errors) {
      expect(A2AError.is(error, 'TASK_NOT_FOUND')).toBe(true);
      expect(error).toMatchObject({ message: 'It is gone', details: { taskId: '7' } });
    }
  });

  test('a step is retried after pauses that double, with one idempotency key', async () => {
    const tries: { readonly at: number; readonly attempt: number; readonly key: string }[] = [];
    const { task, engine, clock } = await harness(
      async ({ step }) =>
        step(
          'flaky',
          ({ attempt, idempotencyKey }) => {
            tries.push({ at: clock.now(), attempt, key: idempotencyKey });
            if (attempt < 4) throw new Error('not yet');
            return 'at last';
          },
          { retries: 5, backoffMs: 1000 },
        ),
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => {
      if (tries.length < 4) clock.advance(250);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, id))).toBe('at last');
    expect(tries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(new Set(tries.map(({ key }) => key)).size).toBe(1);
    const pauses = tries.slice(1).map(({ at }, i) => at - (tries[i]?.at ?? 0));
    expect(pauses).toEqual([1000, 2000, 4000]);
  });

  test('a step that has used up its retries fails with the last error', async () => {
    const { task, engine, clock } = await harness(
      async ({ step }) => {
        const work = ({ attempt }: { readonly attempt: number }): never => {
          throw new Error(`failure ${attempt}`);
        };
        return step('flaky', work, { retries: 2, backoffMs: 10 }).catch((error: Error) => error.message);
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => {
      clock.advance(10);
      return (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, id))).toBe('failure 3');
  });

  test('steps of one name are distinguished by their order, and have different idempotency keys in each task', async () => {
    const keys: string[] = [];
    const { task, reply } = await harness(
      async function* run({ step, ask }) {
        for (const name of ['a', 'a', 'b']) {
          yield await step(name, ({ idempotencyKey }) => {
            keys.push(idempotencyKey);
            return `${name}${keys.length} `;
          });
        }
        await ask('Go on?');
        yield await step('a', () => 'last');
      },
      { variant },
    );
    const done = await reply(await task('go'), 'yes');
    expect(artifactText(done)).toBe('a1 a2 b3 last');
    await task('go again');
    expect(keys).toHaveLength(6);
    expect(new Set(keys).size).toBe(6);
  });

  test.each(HOW)(
    'a step that was running at a %s runs again with the same idempotency key, and recorded steps do not',
    async (how) => {
      const keys: string[] = [];
      let quick = 0;
      let isFirst = true;
      const begun = deferred<void>();
      const first = await harness(
        async function* run({ step }) {
          yield `${await step('quick', () => ++quick)} `;
          yield await step('slow', async ({ idempotencyKey, signal }) => {
            keys.push(idempotencyKey);
            if (!isFirst) return 'done';
            isFirst = false;
            begun.resolve();
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            throw new Error('Told to stop');
          });
        },
        { variant },
      );
      const { id } = await first.task('go', { returnImmediately: true });
      await begun.promise;
      const { engine } = await first[how]();
      await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
      expect(artifactText(await engine.get(ANN, id))).toBe('1 done');
      expect(quick).toBe(1);
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBe(keys[1]);
    },
  );

  test.each(HOW)('concurrent steps are each recorded and do not run again after a %s', async (how) => {
    const calls: string[] = [];
    const first = await harness(
      async ({ step, ask }) => {
        const work = (name: string): Promise<string> => step(name, async () => void calls.push(name)).then(() => name);
        const done = await Promise.all(['a', 'b', 'c', 'd'].map(work));
        await ask('Go on?');
        return done.join();
      },
      { variant },
    );
    const asked = await first.task('go');
    const { reply } = await first[how]();
    expect(artifactText(await reply(asked, 'yes'))).toBe('a,b,c,d');
    expect(calls).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a step whose result JSON cannot represent fails with a TypeError', async () => {
    const { task } = await harness(
      async ({ step }) => {
        const cycle: Record<string, unknown> = {};
        cycle['self'] = cycle;
        const bad: readonly unknown[] = [() => 1, Symbol('x'), 1n, cycle];
        const names = await Promise.all(
          bad.map((value, i) => step(`s${i}`, () => value).then(String, (error: Error) => error.name)),
        );
        return names.join();
      },
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('TypeError,TypeError,TypeError,TypeError');
  });

  test.each([
    ['no name', '', () => 1],
    ['no function', 'x', 5],
  ])('a step with %s throws a TypeError', async (_, name, work) => {
    const { task } = await harness(
      async ({ step }) => step(name, work as () => number).then(String, (error: Error) => error.name),
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('TypeError');
  });
});
