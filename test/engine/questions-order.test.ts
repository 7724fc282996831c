import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/model/task.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  bodies,
  collect,
  harness,
  openStore,
  runnable,
  startHarness,
  until,
  VARIANTS,
  withMethods,
} from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('of two answers at once the first is taken and the second goes to the inbox', async () => {
    const { task, reply } = await harness(
      async function* run({ ask, inbox, step }) {
        yield `Answer: ${await ask('Who?')}. `;
        const more: string[] = [];
        for (let i = 0; more.length === 0; i++) {
          more.push(...(await inbox.take()).map(({ text }) => text));
          await step('look again', () => i);
        }
        yield `Inbox: ${more.join()}.`;
      },
      { variant },
    );
    const asked = await task('go');
    const [first, second] = await Promise.all([reply(asked, 'Ann'), reply(asked, 'Bob')]);
    expect(artifactText(first)).toBe('Answer: Ann. Inbox: Bob.');
    expect(second).toEqual(first);
    const said = first.history?.map(({ parts }) => parts);
    expect(said).toEqual([[{ text: 'go' }], [{ text: 'Who?' }], [{ text: 'Ann' }], [{ text: 'Bob' }]]);
  });

  test('many questions in a row each get their answer', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        for (let i = 0; i < 10; i++) yield `${await ask('More?')} `;
      },
      { variant },
    );
    let current = await task('go');
    for (let i = 0; i < 10; i++) {
      expect(current.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      current = await reply(current, String(i));
    }
    expect(artifactText(current)).toBe('0 1 2 3 4 5 6 7 8 9 ');
    expect(current.history).toHaveLength(21);
  });

  test('a question is asked beside a running step, and answered before the step ends', async () => {
    const gate = deferred<string>();
    const { task, reply, engine } = await harness(
      async ({ ask, step, artifact }) => {
        const work = step('slow', () => gate.promise);
        const name = await ask('Who?');
        await artifact('greeting').append(`Hello ${name}`);
        return { artifact: 'result', text: await work };
      },
      { variant },
    );
    const asked = await task('go');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const rest = reply(asked, 'Ann');
    await until(async () => artifactText(await engine.get(ANN, asked.id), 'greeting') === 'Hello Ann');
    gate.resolve('done');
    expect(artifactText(await rest, 'result')).toBe('done');
  });

  test('a question is asked beside a running step, and answered after the step has ended', async () => {
    const gate = deferred<void>();
    let steps = 0;
    const { task, reply, store } = await harness(
      async ({ ask, step }) => {
        const work = step('slow', async () => {
          await gate.promise;
          return ++steps;
        });
        return `${await ask('Who?')} ${await work}`;
      },
      { variant },
    );
    const asked = await task('go');
    gate.resolve();
    await until(async () => (await store.read(ANN, asked.id))?.record.node === undefined);
    expect(artifactText(await reply(asked, 'Ann'))).toBe('Ann 1');
    expect(steps).toBe(1);
  });

  test('an answer that arrives while the run is being suspended resumes it', async () => {
    const gate = deferred<void>();
    const clock = fakeClock();
    const store = openStore(variant, clock);
    let beforeSuspend: (() => Promise<void>) | undefined;
    const append: Store['append'] = async (write) => {
      const isSuspension = write.release === true && write.status === undefined;
      if (isSuspension) await beforeSuspend?.();
      return store.append(write);
    };
    const agents = [
      runnable(async ({ ask, step }) => {
        const work = step('slow', () => gate.promise);
        const name = await ask('Who?');
        await work;
        return name;
      }),
    ];
    const slow = withMethods(store, { append });
    const { task, reply } = await startHarness({ ...variant, clock, store: slow, agents }, clock);
    const asked = await task('go');
    const done = deferred<Task>();
    beforeSuspend = async () => {
      beforeSuspend = undefined;
      reply(asked, 'Ann').then(done.resolve, done.reject);
      await until(async () => (await store.journal(asked.id)).some(({ kind }) => kind === 'answer'));
    };
    gate.resolve();
    expect(artifactText(await done.promise)).toBe('Ann');
  });

  test('a run with a sleep beside a question is not suspended before the question is asked', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    // The store is slow to return the number of paused tasks.
    const list: Store['list'] = async (...args) => {
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
      return store.list(...args);
    };
    const agents = [
      runnable(async ({ ask, sleep }) => Promise.race([sleep(60_000).then(() => 'nobody'), ask('Who?')])),
    ];
    const slow = withMethods(store, { list });
    const { task, reply } = await startHarness({ ...variant, clock, store: slow, agents }, clock);
    expect(artifactText(await reply(await task('go'), 'Ann'))).toBe('Ann');
  });

  test('a handler that still computes beside its question is not suspended', async () => {
    const { task } = await harness(
      async ({ ask }) => {
        const thinking = async (): Promise<string> => {
          for (let i = 0; i < 100; i++) await Promise.resolve();
          return 'never mind';
        };
        return Promise.race([ask('Who?'), thinking()]);
      },
      { variant },
    );
    const done = await task('go');
    expect(artifactText(done)).toBe('never mind');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
  });

  test.each(['ask first', 'sleep first'])('an answer wins the race against a longer sleep (%s)', async (order) => {
    const { task, reply } = await harness(
      async ({ ask, sleep }) => {
        const asked = (): Promise<string> => ask('Who?');
        const slept = (): Promise<string> => sleep(60_000).then(() => 'nobody');
        const both = order === 'ask first' ? [asked(), slept()] : [slept(), asked()];
        return Promise.race(both);
      },
      { variant },
    );
    const asked = await task('go');
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(artifactText(await reply(asked, 'Ann'))).toBe('Ann');
  });

  test.each(['ask first', 'sleep first'])(
    'a sleep wins the race against a question without an answer (%s)',
    async (order) => {
      const { task, engine, clock } = await harness(
        async ({ ask, sleep }) => {
          const asked = (): Promise<string> => ask('Who?');
          const slept = (): Promise<string> => sleep(60_000).then(() => 'nobody');
          const both = order === 'ask first' ? [asked(), slept()] : [slept(), asked()];
          return Promise.race(both);
        },
        { variant },
      );
      const asked = await task('go');
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      await until(async () => {
        clock.advance(5000);
        return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED';
      });
      expect(artifactText(await engine.get(ANN, asked.id))).toBe('nobody');
    },
  );

  test('a subscriber gets events for the question, its answer and the end', async () => {
    const { engine, task, reply } = await harness(async ({ ask }) => `Hi ${await ask('Who?')}`, { variant });
    const asked = await task('go');
    const items = collect(engine.subscribe(ANN, asked.id, { after: 0 }));
    await reply(asked, 'Ann');
    const events = await items;
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
    expect(bodies(events)).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_INPUT_REQUIRED' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } },
      { artifactUpdate: { artifact: { parts: [{ text: 'Hi Ann' }] } } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
  });
});
