/** Calls that the function of a step must not make, and their errors. */
import { describe, expect, test } from 'vitest';
import type { StepContext, TaskContext } from '../../src/engine/handler.ts';
import { deferred } from '../../src/support/deferred.ts';
import { ANN, artifactText, harness, statusText, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test.each<readonly [call: string, misuse: (ctx: TaskContext) => Promise<unknown>]>([
    ['ask', ({ ask }) => ask('Who?')],
    ['authorize', ({ authorize }) => authorize('Key?')],
    ['sleep', ({ sleep }) => sleep(1)],
  ])('%s inside a step throws a TypeError that names the remedy', async (call, misuse) => {
    const places: Readonly<Record<string, (ctx: TaskContext) => unknown>> = {
      'at once': (ctx) => misuse(ctx),
      'after an await': async (ctx) => {
        await new Promise((resolve) => setImmediate(resolve));
        await misuse(ctx);
      },
      'in a callback': (ctx) => new Promise((resolve) => setImmediate(resolve)).then(() => misuse(ctx)),
      'in a function that others call': async (ctx) => {
        const deep = async (depth: number): Promise<unknown> => {
          await Promise.resolve();
          const result = depth === 0 ? await misuse(ctx) : await deep(depth - 1);
          return result;
        };
        await Promise.all([deep(5), Promise.resolve()]);
      },
      'in a generator': async function* generate(ctx) {
        yield '';
        await misuse(ctx);
      },
    };
    const errors: Record<string, unknown> = {};
    const { task } = await harness(
      async (ctx) => {
        for (const [place, work] of Object.entries(places))
          await ctx.step(place, () => work(ctx)).catch((error: unknown) => (errors[place] = error));
        return 'done';
      },
      { variant },
    );
    await task('go');
    expect(Object.keys(errors)).toEqual(Object.keys(places));
    for (const error of Object.values(errors)) {
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toContain(`Call ${call}() in the handler, before or after the step.`);
    }
  });

  test('ask and sleep work beside a step', async () => {
    const { task, reply, clock, engine } = await harness(
      async ({ ask, sleep, step }) => {
        const gate = deferred<void>();
        const slow = step('slow', () => gate.promise);
        const [answer] = await Promise.all([ask('Who?'), sleep(10)]);
        gate.resolve();
        await slow;
        return answer;
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => statusText(await engine.get(ANN, id)) === 'Who?');
    void reply(await engine.get(ANN, id), 'Ann');
    await until(async () => {
      clock.advance(10);
      return artifactText(await engine.get(ANN, id)) === 'Ann';
    });
  });

  test.each<readonly [misuse: string, error: RegExp, work: (step: StepContext) => unknown]>([
    ['ends the task', /only publish the status "working"/u, ({ status }) => status({ status: 'completed' } as never)],
    [
      'pauses the task',
      /only publish the status "working"/u,
      ({ status }) => status({ status: 'input-required' } as never),
    ],
    ['publishes an invalid output', /must yield or return/u, ({ artifact }) => artifact('a').append(5 as never)],
    [
      'yields an invalid output',
      /must yield or return/u,
      async function* generate() {
        yield 5;
      },
    ],
  ])('a step that %s fails with a TypeError', async (_, error, work) => {
    const { task } = await harness(async ({ step }) => step('s', work).then(String, String), { variant });
    expect(artifactText(await task('go'))).toMatch(error);
  });

  test('an output through the context of a step that has ended is rejected', async () => {
    let late: Pick<StepContext, 'artifact' | 'status'> | undefined;
    const { task } = await harness(
      async ({ step }) => {
        await step('s', (own) => void (late = own));
        const refused = [() => late?.artifact('a').append('x'), () => late?.status('x')];
        const errors = refused.map(async (publish) => String(await publish()?.catch(String)));
        return (await Promise.all(errors)).join('\n');
      },
      { variant },
    );
    const text = artifactText(await task('go'));
    expect(text?.split('\n')).toEqual([
      'TypeError: Step s#1 has ended: await all outputs of a step before its function returns',
      'TypeError: Step s#1 has ended: await all outputs of a step before its function returns',
    ]);
  });

  test('a cancel aborts the signal of a step that streams', async () => {
    const published = deferred<void>();
    const { task, engine } = await harness(
      async ({ step }) => {
        await step('s', async function* generate({ signal }) {
          for (let i = 0; !signal.aborted; i++) {
            yield `${i};`;
            published.resolve();
            await new Promise((resolve) => setImmediate(resolve));
          }
        });
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await published.promise;
    const canceled = await engine.cancel(ANN, id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(await engine.get(ANN, id))).toMatch(/^0;/u);
  });
});
