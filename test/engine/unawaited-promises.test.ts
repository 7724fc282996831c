import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import { turns } from './cluster.ts';
import { ANN, artifactText, harness, until, userMessage, VARIANTS } from './harness.ts';

// That no test leaves an unhandled rejection behind is checked for all of them.
describe.each(VARIANTS)('$name', (variant) => {
  test('promises of the context that are not awaited do not fail the task when the run ends', async () => {
    const { task } = await harness(
      async (ctx) => {
        void ctx.ask('Anybody?');
        void ctx.authorize('Anybody?');
        void ctx.sleep(1000);
        void ctx.sleep(-1);
        void ctx.step('failing', () => Promise.reject(new Error('no')));
        void ctx.step('', () => {});
        void ctx.step('hanging', () => new Promise(() => {}));
        void ctx.status('working');
        void ctx.artifact('a').replace('x');
        void ctx.history();
        void ctx.inbox.take();
        void ctx.files[0]?.bytes();
        return 'done';
      },
      { variant },
    );
    const message = userMessage('go', { parts: [{ url: 'https://files.example/a' }] });
    const done = await task('go', { message });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    await turns(10);
  });

  test('calls of context functions after the end never settle', async () => {
    const after = deferred<void>();
    let settled = 0;
    const { task } = await harness(
      async (ctx) => {
        void after.promise.then(() => {
          const late = [ctx.ask('?'), ctx.sleep(5), ctx.step('s', () => 1), ctx.status('x'), ctx.inbox.take()];
          // The run is over, so code that awaits them must not continue.
          for (const promise of late) void promise.finally(() => settled++);
          ctx.reply('x');
          return ctx.reject('x');
        });
        return 'done';
      },
      { variant },
    );
    await task('go');
    after.resolve();
    await turns(10);
    expect(settled).toBe(0);
  });

  test('a step that is not awaited has no effect on a task that has ended', async () => {
    const work = deferred<string>();
    const { task, engine } = await harness(
      async ({ step, artifact }) => {
        void step('slow', () => work.promise).then((text) => artifact('late').append(text));
        return 'done';
      },
      { variant },
    );
    const done = await task('go');
    work.resolve('late');
    await turns(10);
    expect(await engine.get(ANN, done.id)).toEqual(done);
  });

  test('an inbox loop in the background does not fail the task when the run ends', async () => {
    const { task } = await harness(
      async ({ inbox }) => {
        // Nobody would handle its rejection, and the process would end.
        void (async () => {
          for await (const { text } of inbox) throw new Error(text);
        })();
        return 'done';
      },
      { variant },
    );
    expect((await task('go')).status.state).toBe('TASK_STATE_COMPLETED');
    await turns(10);
  });

  test('an inbox loop in the background ends when the task is canceled', async () => {
    let isLetGo = false;
    const { task, engine } = await harness(
      async ({ inbox, signal, status }) => {
        void (async () => {
          for await (const { text } of inbox) throw new Error(text);
          isLetGo = true;
        })();
        await status('listening');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => (await engine.get(ANN, early.id)).status.message !== undefined);
    expect((await engine.cancel(ANN, early.id)).status.state).toBe('TASK_STATE_CANCELED');
    await until(() => isLetGo);
  });

  test('work beside a question continues, and suspending the run causes no error', async () => {
    const beside = deferred<void>();
    const errors: unknown[] = [];
    const { task, reply, engine } = await harness(
      async ({ ask, status, step }) => {
        const work = async (): Promise<string> => {
          await beside.promise;
          await status('half way');
          return step('beside', () => 'beside');
        };
        const both = Promise.all([ask('Which?'), work()]);
        both.catch((error: unknown) => errors.push(error));
        return (await both).join(' ');
      },
      { variant },
    );
    const asked = await task('go');
    await turns(10);
    beside.resolve();
    await turns(20);
    expect((await engine.get(ANN, asked.id)).status.state).not.toBe('TASK_STATE_FAILED');
    const done = await reply(asked, 'this');
    expect(artifactText(done)).toBe('this beside');
    expect(errors).toEqual([]);
  });

  test.each([
    ['a map', new Map([[1, 2]]), 'The result of step s#1 is an instance of Map, which has no JSON form'],
    ['an instance of a class', new URLSearchParams(), 'is an instance of URLSearchParams, which has no JSON form'],
    ['a function', { list: [() => 1] }, 'The result of step s#1.list[0] must be a JSON value, not function'],
  ])('a step that returns %s fails with an error that names a fix', async (_, given, message) => {
    const { task, log } = await harness(async ({ step }) => void (await step('s', () => given)), { variant });
    expect((await task('go')).status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(log.map(({ fields }) => String(fields?.['error'])))).toContain(message);
  });

  test.each<[string, unknown, unknown]>([
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['NaN', Number.NaN, null],
    ['Infinity', Number.POSITIVE_INFINITY, null],
    ['a list with holes', [undefined, 1, 2], [null, 1, 2]],
    ['a text of half a pair', '\ud800', '\ud800'],
    ['a name that is special', JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])('a step that returns %s returns the same after a replay', async (_, given, expected) => {
    const results: unknown[] = [];
    const { task, reply } = await harness(
      async ({ step, ask }) => {
        results.push(await step('value', () => given));
        await ask('Go on?');
        results.push(await step('value', () => given));
      },
      { variant },
    );
    await reply(await task('go'), 'yes');
    expect(results.length).toBeGreaterThan(1);
    for (const result of results) expect(result).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a BigInt', 1n],
    ['a result above the limit', 'x'.repeat(2000)],
  ])('a step that returns %s fails, and fails again in a replay without running', async (_, given) => {
    let calls = 0;
    const { task, reply } = await harness(
      async ({ step, ask }) => {
        const value = await step('value', () => (calls++, given)).catch((error: Error) => error.name);
        await ask('Go on?');
        return value as string;
      },
      { variant, limits: { maxOutputBytes: 1000 } },
    );
    const done = await reply(await task('go'), 'yes');
    expect(artifactText(done)).toMatch(/^(Type|Range)Error$/);
    expect(calls).toBe(1);
  });
});
