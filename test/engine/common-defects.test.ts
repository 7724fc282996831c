import { describe, expect, test } from 'vitest';
import type { PagePosition } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, bodies, collect, harness, until, userMessage, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

/** Behaviors that were found to be broken in other systems. */
describe.each(VARIANTS)('$name', (variant) => {
  test('a task whose process was killed completes on another node', async () => {
    let runs = 0;
    const { node, clock } = cluster(
      async function* run() {
        yield 'begun';
        if (++runs === 1) await new Promise(() => {});
        yield ' and done';
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'begun');
    first.kill();
    const second = await node();
    await pass(clock, 20_000, 1000);
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await second.engine.get(ANN, early.id))).toBe('begun and done');
  });

  test('a task completes after one of its writes has failed', async () => {
    const door = deferred<void>();
    const { node, clock } = cluster(
      async function* run() {
        yield 'begun';
        await door.promise;
        yield ' and done';
      },
      { variant },
    );
    const { engine, task, connection } = await node();
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id)) === 'begun');
    connection.set('failing', 'append');
    door.resolve();
    await turns(10);
    connection.set('open');
    await pass(clock, 5000, 500);
    await until(async () => (await engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, early.id))).toBe('begun and done');
  });

  test('a second message to a running task starts no second run, and the first stream has all chunks', async () => {
    const door = deferred<void>();
    let runs = 0;
    const { engine, reply } = await harness(
      async function* run({ inbox }) {
        runs++;
        yield 'one ';
        await door.promise;
        for (const { text } of await inbox.take()) yield `${text} `;
        yield 'two';
      },
      { variant },
    );
    const caller = { id: 'ann', isVerified: true };
    const { taskId, items } = await engine.stream({ ...ANN, agent: 'agent', caller, message: userMessage('go') });
    const reading = collect(items);
    await until(async () => (await engine.list(ANN, { limit: 1 })).total === 1);
    const answering = reply(await engine.get(ANN, taskId), 'more');
    await turns(10);
    door.resolve();
    const events = await reading;
    expect(runs).toBe(1);
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(artifactText(await answering)).toBe('one more two');
  });

  test('a canceled task keeps its artifacts and does not complete later', async () => {
    const door = deferred<void>();
    const { engine, task, clock } = await harness(
      async function* run() {
        yield { artifact: 'a', text: 'first' };
        yield { artifact: 'b', text: 'second' };
        await door.promise;
        yield { artifact: 'a', text: 'changed' };
        yield { status: 'completed' };
      },
      { variant },
    );
    const early = await task('go', IMMEDIATELY);
    await until(async () => artifactText(await engine.get(ANN, early.id), 'b') === 'second');
    const { artifacts } = await engine.get(ANN, early.id);
    const canceling = engine.cancel(ANN, early.id);
    await turns(10);
    await pass(clock, 3000, 500);
    const canceled = await canceling;
    door.resolve();
    await turns(20);
    expect(await engine.get(ANN, early.id)).toEqual(canceled);
    expect(canceled).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' }, artifacts });
  });

  test('two nodes on one store lose no message, and cancel and subscribe work on either of them', async () => {
    const { node } = cluster(
      async function* run({ signal, inbox, status }) {
        await status('listening');
        for await (const { text } of inbox) yield `${text} `;
        await untilAborted(signal);
      },
      { variant },
    );
    const [first, second] = [await node(), await node()];
    const early = await first.task('go', IMMEDIATELY);
    const reading = collect(second.engine.subscribe(ANN, early.id, { after: 0 }));
    await until(async () => (await second.engine.get(ANN, early.id)).status.message !== undefined);
    await Promise.all(['a', 'b', 'c', 'd'].map((text, i) => (i % 2 ? first : second).reply(early, text, IMMEDIATELY)));
    await until(async () => artifactText(await second.engine.get(ANN, early.id))?.length === 8);
    const canceled = await second.engine.cancel(ANN, early.id);
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(artifactText(canceled)?.trim().split(' ').toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(bodies(await reading).filter((event) => 'artifactUpdate' in event)).toHaveLength(4);
  });

  test('pages of a list skip and repeat no task although other tasks change meanwhile', async () => {
    const { engine, task, reply, clock } = await harness(
      async ({ text, ask }) => void (text === 'ask' && (await ask('?'))),
      {
        variant,
      },
    );
    const quiet: string[] = [];
    const moving = [];
    for (let i = 0; i < 12; i++) {
      clock.advance(i % 3 === 0 ? 0 : 10);
      if (i % 2 === 0) quiet.push((await task('go')).id);
      else moving.push(await task('ask'));
    }
    const seen: string[] = [];
    let after: PagePosition | undefined;
    for (;;) {
      const { tasks } = await engine.list(ANN, { limit: 2, ...(after !== undefined && { after }) });
      const last = tasks.at(-1);
      if (last === undefined) break;
      seen.push(...tasks.map(({ id }) => id));
      after = { statusTime: Date.parse(last.status.timestamp ?? ''), id: last.id };
      clock.advance(5);
      const moved = moving.shift();
      if (moved !== undefined) await reply(moved, 'on');
    }
    expect(seen.filter((id) => quiet.includes(id)).toSorted()).toEqual(quiet.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  });

  test('ended tasks older than maxAgeMs are removed', async () => {
    const { engine, task, clock } = await harness(async () => {}, {
      variant,
      retention: { maxAgeMs: 10_000, everyMs: 1000 },
    });
    for (let i = 0; i < 20; i++) {
      await task('go');
      await pass(clock, 1000);
    }
    expect((await engine.list(ANN, { limit: 100 })).total).toBeLessThan(15);
  });
});
