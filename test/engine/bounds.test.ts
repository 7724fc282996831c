import { describe, expect, test } from 'vitest';
import { Feed } from '../../src/engine/stream/feed.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { Scope, Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { cluster, pass, turns } from './cluster.ts';
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

const SENDER = { ...ANN, agent: 'agent', caller: { id: 'ann', isVerified: false } };

describe.each(VARIANTS)('$name', (variant) => {
  test('50 messages at once do not make the queue longer than its limit', async () => {
    const { send } = await harness(() => new Promise(() => {}), { variant, limits: { concurrency: 1, queue: 10 } });
    const sent = await Promise.allSettled(Array.from({ length: 50 }, () => send('go', { returnImmediately: true })));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(11);
  });

  test('a message that is rejected for its idempotency key takes no room in the queue', async () => {
    const { send } = await harness(() => new Promise(() => {}), { variant, limits: { concurrency: 1, queue: 2 } });
    await send('first', { returnImmediately: true });
    await send('second', { returnImmediately: true, idempotencyKey: 'k' });
    await expect(send('other', { returnImmediately: true, idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    await send('third', { returnImmediately: true });
    await expect(send('fourth', { returnImmediately: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  test('a node keeps only the owner of a task that waits for a slot', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const scopes: Scope[] = [];
    const read: Store['read'] = (scope, ...rest) => {
      scopes.push(scope);
      return inner.read(scope, ...rest);
    };
    const agents = [runnable(() => new Promise(() => {}), { concurrency: 1 })];
    const store = withMethods(inner, { read });
    const { engine, task } = await startHarness({ store, agents, clock }, clock);
    await task('first', { returnImmediately: true });
    const { id } = await task('second', { returnImmediately: true });
    await turns(5);
    scopes.length = 0;
    // Another node writes: this node checks whether the task still waits.
    await inner.append({ taskId: id, by: 'another', guard: {}, metadata: {} });
    await until(() => scopes.length > 0);
    expect(scopes).toEqual([ANN]);
    await engine.close();
  });

  test('streams that are closed before the first read leave no listener behind', async () => {
    const { engine } = await harness(() => new Promise(() => {}), { variant });
    const heard: unknown[] = [];
    const listen = Feed.prototype.listen;
    let open = 0;
    Feed.prototype.listen = function counted(...args) {
      const stop = listen.apply(this, args);
      let isOpen = true;
      open++;
      return () => {
        if (isOpen) open--;
        isOpen = false;
        stop();
      };
    };
    try {
      for (let i = 0; i < 20; i++) {
        const { items } = await engine.stream({ ...SENDER, message: userMessage('go') });
        heard.push(await (items as AsyncGenerator<readonly StreamItem[]>).return(undefined));
      }
      expect(heard).toHaveLength(20);
      expect(open).toBe(0);
    } finally {
      Feed.prototype.listen = listen;
    }
  });

  test('a message nested too deeply to be stored is rejected and takes no slot', async () => {
    const { task } = await harness(async () => 'fine', { variant, limits: { concurrency: 1 } });
    let data = {};
    for (let i = 0; i < 5000; i++) data = { data };
    const deep = task('go', { message: userMessage('go', { parts: [{ data }] }) });
    await expect(deep).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect((await task('hello')).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('an output published while a question is open is stored although the store failed when the run resumed', async () => {
    let say = (): void => {};
    const { node, clock } = cluster(
      async ({ ask, artifact }) => {
        say = () => void artifact('notes').append('half way');
        await ask('Go on?');
      },
      { variant: { ...variant, maxSuspended: 1000 } as typeof variant },
    );
    const { task, engine, connection } = await node();
    const asked = await task('go');
    connection.set('failing', 'append');
    say();
    await turns(20);
    connection.set('open');
    await pass(clock, 5000);
    await until(async () => artifactText(await engine.get(ANN, asked.id), 'notes') === 'half way');
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });
});

test(
  'suspended runs are replayed when their requests and outputs take too much memory',
  { timeout: 60_000 },
  async () => {
    const begun: string[] = [];
    const { task, reply } = await harness(
      async function* run({ taskId, text, ask }) {
        begun.push(taskId);
        if (text === 'talk') for (let i = 0; i < 3; i++) yield 'x'.repeat(11 * 2 ** 20);
        await ask('Go on?');
      },
      { limits: { maxOutputBytes: 2 ** 24, maxTaskBytes: 2 ** 27 }, maxHistoryBytes: 2 ** 26 },
    );
    const large = await task('x'.repeat(33 * 2 ** 20));
    const talkative = await task('talk');
    await reply(talkative, 'yes');
    expect(begun).toEqual([large.id, talkative.id]);
    await reply(large, 'yes');
    expect(begun).toEqual([large.id, talkative.id, large.id]);
  },
);
