import { describe, expect, test } from 'vitest';
import { deferred } from '../../src/support/deferred.ts';
import type { ConnectionState } from './cluster.ts';
import { cluster, pass, turns } from './cluster.ts';
import { ANN, artifactText, bodies, collect, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };
const FAILURES: readonly ConnectionState[] = ['failing', 'unsure'];

describe.each(VARIANTS)('$name', (variant) => {
  test.each(FAILURES)(
    'a failed write rejects the waiting send, and the task resumes and ends once (%s)',
    async (connection) => {
      const door = deferred<void>();
      let steps = 0;
      const { node, clock } = cluster(
        async function* run({ step }) {
          yield 'a';
          await door.promise;
          await step('one', () => ++steps);
          yield 'b';
        },
        { variant },
      );
      const first = await node();
      const waiting = first.task('go', { idempotencyKey: 'key' }).catch((error: unknown) => error);
      await until(async () => (await first.engine.list(ANN, { limit: 1 })).total === 1);
      first.connection.set(connection, 'append');
      door.resolve();
      expect(await waiting).toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: 1000 });
      await pass(clock, 3000, 250);
      first.connection.set('open');
      await pass(clock, 2000, 250);
      const [found] = (await first.engine.list(ANN, { limit: 1, artifacts: true })).tasks;
      await until(async () => (await first.engine.get(ANN, found?.id ?? '')).status.state === 'TASK_STATE_COMPLETED');
      expect(artifactText(await first.engine.get(ANN, found?.id ?? ''))).toBe('ab');
      const events = await collect(first.engine.subscribe(ANN, found?.id ?? '', { after: 0 }));
      expect(events.map((event) => 'number' in event && event.number)).toEqual(events.map((_, i) => i + 1));
      const ends = bodies(events).filter((event) => JSON.stringify(event).includes('COMPLETED'));
      expect(ends).toHaveLength(1);
      // A step whose record was not stored may run again; one whose record was stored never does.
      expect(steps).toBe(connection === 'failing' ? 2 : 1);
    },
  );

  test.each(FAILURES)('a request that cannot be stored is rejected and can be repeated (%s)', async (connection) => {
    let runs = 0;
    const { node, clock } = cluster(
      async () => {
        runs++;
        return 'done';
      },
      { variant, limits: { concurrency: 1 } },
    );
    const first = await node();
    first.connection.set(connection, 'create');
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
    await expect(first.task('go', { message })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    first.connection.set('open');
    if (connection === 'unsure') {
      // It was stored under the lease of this node, which does not know of it and lives.
      await pass(clock, 1000);
    }
    const done = first.task('go', { message });
    await pass(clock, 20_000, 1000);
    expect(artifactText(await done)).toBe('done');
    await turns(10);
    // A task that was stored may have started, and starts again.
    expect(runs).toBeLessThanOrEqual(connection === 'unsure' ? 2 : 1);
    expect((await first.engine.list(ANN, { limit: 5 })).total).toBe(1);
  });

  test('all tasks complete with all their outputs after a store failure', async () => {
    const doors = new Map(['a', 'b', 'c', 'd'].map((name) => [name, deferred<void>()]));
    const { node, clock } = cluster(
      async function* run({ text, ask, sleep, step }) {
        yield 'one ';
        if (text === 'b') await ask('Which?');
        if (text === 'c') await sleep(5000);
        await doors.get(text)?.promise;
        yield await step('two', () => 'two ');
        yield 'three';
      },
      { variant },
    );
    const first = await node();
    const tasks = new Map<string, string>();
    for (const text of doors.keys()) tasks.set(text, (await first.task(text, IMMEDIATELY)).id);
    for (const id of tasks.values()) await until(async () => artifactText(await first.engine.get(ANN, id)) === 'one ');
    await turns(10);
    first.connection.set('failing');
    for (const door of doors.values()) door.resolve();
    await expect(first.task('more')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await pass(clock, 10_000, 500);
    first.connection.set('open');
    await first.task('answer', {
      message: { messageId: 'x', role: 'ROLE_USER', taskId: tasks.get('b') ?? '', parts: [{ text: 'this' }] },
    });
    for (const id of tasks.values()) {
      await until(async () => {
        clock.advance(100);
        return (await first.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
      });
      expect(artifactText(await first.engine.get(ANN, id))).toBe('one two three');
    }
  });

  test.each(['history', 'ask', 'turn'] as const)(
    'a failed read of the store does not fail the task (%s)',
    async (what) => {
      const door = deferred<void>();
      const { node, clock } = cluster(
        async function* run({ history, ask, text, task: { history: messages = [] } }) {
          yield 'one ';
          await door.promise;
          if (what === 'history') await history();
          if (what === 'ask') await ask('Which?');
          if (what === 'turn' && messages.length === 1) yield { status: 'input-required', text: 'Which?' };
          else yield text;
        },
        { variant },
      );
      const first = await node();
      const early = await first.task('go', IMMEDIATELY);
      await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'one ');
      first.connection.set('failing', 'list');
      door.resolve();
      await pass(clock, 2000, 250);
      first.connection.set('open');
      const rest = what === 'history' ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED';
      await until(async () => {
        clock.advance(100);
        return (await first.engine.get(ANN, early.id)).status.state === rest;
      });
    },
  );
});
