import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  harness,
  openStore,
  runnable,
  startHarness,
  until,
  userMessage,
  VARIANTS,
  withMethods,
} from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('messages to a running task are read in their order, each once', async () => {
    const gate = deferred<void>();
    const { task, reply } = await harness(
      async function* run({ inbox, step }) {
        await step('wait', () => gate.promise);
        const first = await inbox.take();
        const second = await inbox.take();
        yield `${first.map(({ text }) => text).join()} then ${second.length}`;
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    for (const text of ['a', 'b', 'c']) await reply(early, text, { returnImmediately: true });
    const last = reply(early, 'd');
    gate.resolve();
    const done = await last;
    expect(artifactText(done)).toMatch(/^a,b,c(,d)? then [01]$/);
    expect(done.history?.map(({ parts }) => parts)).toEqual(['go', 'a', 'b', 'c', 'd'].map((text) => [{ text }]));
  });

  test('a handler can iterate over its inbox until it returns', async () => {
    const { task, reply, engine } = await harness(
      async function* run({ inbox }) {
        yield 'ready ';
        for await (const { text } of inbox) {
          if (text === 'stop') return;
          yield `${text} `;
        }
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'ready ');
    for (const text of ['a', 'b', 'c']) await reply(early, text, { returnImmediately: true });
    const done = await reply(early, 'stop');
    expect(artifactText(done)).toBe('ready a b c ');
  });

  test('a send of a message that the handler never reads returns the finished task', async () => {
    const gate = deferred<void>();
    const { task, reply, engine } = await harness(
      async function* run({ step }) {
        await step('wait', () => gate.promise);
        yield 'done';
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    const sent = reply(early, 'hello?');
    const also = reply(early, 'anybody?');
    await until(async () => (await engine.get(ANN, early.id)).history?.length === 3);
    gate.resolve();
    expect(artifactText(await sent)).toBe('done');
    expect(await also).toEqual(await sent);
  });

  test.each(['restart', 'crash'] as const)(
    'a replay after a %s reads the same messages by the same reads of the inbox',
    async (how) => {
      const portions: string[][] = [];
      const first = await harness(
        async function* run({ inbox, step, ask }) {
          const read: string[] = [];
          for (let i = 0; i < 3; i++) {
            read.push((await inbox.take()).map(({ text }) => text).join());
            await step('look again', () => i);
          }
          yield 'listening';
          for await (const { text } of inbox) {
            read.push(text);
            if (text === 'b') break;
          }
          portions.push(read);
          await ask('More?');
          read.push((await inbox.take()).map(({ text }) => text).join());
          portions.push(read);
        },
        { variant },
      );
      const early = await first.task('go', { returnImmediately: true });
      await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'listening');
      await first.reply(early, 'a', { returnImmediately: true });
      const asked = await first.reply(early, 'b');
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const { reply } = await first[how]();
      const done = await reply(asked, 'yes');
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      expect(artifactText(done)).toBe('listening');
      const [before, after] = [portions[0], portions.at(-1)];
      expect(before).toEqual(['', '', '', 'a', 'b']);
      expect(after).toEqual([...(before ?? []), '']);
    },
  );

  test('a message that one turn did not read is in the inbox of the next turn', async () => {
    const gate = deferred<void>();
    const { task, reply, engine } = await harness(
      async function* run({ text, inbox, step }) {
        if (text === 'one') {
          await step('wait', () => gate.promise);
          yield { status: 'input-required', text: 'Next?' };
          return;
        }
        yield (await inbox.take()).map((message) => message.text).join();
      },
      { variant },
    );
    const early = await task('one', { returnImmediately: true });
    const sent = reply(early, 'by the way');
    await until(async () => (await engine.get(ANN, early.id)).history?.length === 2);
    gate.resolve();
    const asked = await sent;
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(artifactText(await reply(asked, 'two'))).toBe('by the way');
  });

  test('a message to a sleeping task is in the inbox when the sleep ends', async () => {
    const { task, reply, engine, clock } = await harness(
      async function* run({ inbox, sleep }) {
        yield 'zzz ';
        await sleep(60_000);
        yield (await inbox.take()).map(({ text }) => text).join();
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'zzz ');
    await reply(early, 'wake up', { returnImmediately: true });
    await until(async () => {
      clock.advance(5000);
      return (await engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await engine.get(ANN, early.id))).toBe('zzz wake up');
  });

  test('a message resumes a handler that sleeps beside an inbox loop, and not one that only sleeps', async () => {
    const { task, reply, engine, clock, store } = await harness(
      async ({ text, inbox, sleep }) => {
        const heard = async (): Promise<string> => {
          for await (const message of inbox) return message.text;
          return 'nothing';
        };
        const slept = sleep(60_000).then(() => 'slept');
        return text === 'listen' ? Promise.race([heard(), slept]) : slept;
      },
      { variant },
    );
    const asleep = async (id: string): Promise<boolean> => {
      const { record } = (await store.read(ANN, id)) ?? {};
      return record?.node === undefined && (record?.wakeAt ?? 0) > clock.now();
    };
    const [listener, sleeper] = [
      await task('listen', { returnImmediately: true }),
      await task('sleep', { returnImmediately: true }),
    ];
    await until(async () => (await asleep(listener.id)) && (await asleep(sleeper.id)));
    expect(artifactText(await reply(listener, 'hello'))).toBe('hello');
    const sent = reply(sleeper, 'hello');
    await until(async () => (await engine.get(ANN, sleeper.id)).history?.length === 2);
    await until(() => asleep(sleeper.id));
    clock.advance(60_000);
    expect(artifactText(await sent)).toBe('slept');
  });

  test('a message that arrives while the run is being suspended resumes it', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const write = async (taskId: string): Promise<void> => {
      const message = userMessage('hello', { taskId });
      const journal = [{ kind: 'message', key: message.messageId, body: message as unknown as JsonValue }];
      await store.append({ taskId, guard: {}, history: [message], journal, wakeAt: clock.now() });
    };
    let isFirst = true;
    const append: Store['append'] = async (given) => {
      // Another node writes first, and its hint is lost.
      if (given.release === true && isFirst) {
        isFirst = false;
        await write(given.taskId);
      }
      return store.append(given);
    };
    const watch: Store['watch'] = () => () => {};
    const agents = [
      runnable(async ({ inbox, sleep }) => {
        const heard = async (): Promise<string> => {
          for await (const message of inbox) return message.text;
          return 'nothing';
        };
        return Promise.race([heard(), sleep(60_000).then(() => 'slept')]);
      }),
    ];
    const slow = withMethods(store, { append, watch });
    const { task } = await startHarness({ ...variant, clock, store: slow, agents }, clock);
    expect(artifactText(await task('go'))).toBe('hello');
  });

  test('an inbox loop ends when the task is canceled', async () => {
    let heard: string[] | undefined;
    const { task, reply, engine, store } = await harness(
      async function* run({ inbox }) {
        yield 'ready';
        const texts: string[] = [];
        for await (const { text } of inbox) texts.push(text);
        heard = texts;
      },
      { variant },
    );
    const early = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'ready');
    await reply(early, 'a', { returnImmediately: true });
    await until(async () => (await store.journal(early.id)).some(({ kind }) => kind === 'read'));
    expect((await engine.cancel(ANN, early.id)).status.state).toBe('TASK_STATE_CANCELED');
    expect(heard).toEqual(['a']);
  });
});
