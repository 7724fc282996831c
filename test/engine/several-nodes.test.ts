import { describe, expect, test } from 'vitest';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { cluster, pass, untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, bodies, collect, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('a node returns and streams the task that another node runs', async () => {
    const door = deferred<void>();
    const { node } = cluster(
      async function* run({ status }) {
        yield 'one ';
        await status('half way');
        await door.promise;
        yield 'two';
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    const fromStart = collect(other.engine.subscribe(ANN, early.id, { after: 0 }));
    await until(async () => artifactText(await other.engine.get(ANN, early.id)) === 'one ');
    const fromNow = collect(other.engine.subscribe(ANN, early.id));
    await turns(5);
    door.resolve();
    const all = await fromStart;
    expect(all.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5, 6]);
    const [snapshot, ...rest] = await fromNow;
    expect(snapshot).toMatchObject({ kind: 'snapshot', task: { id: early.id } });
    expect(bodies(rest)).toEqual(bodies(all).slice(-rest.length));
    expect(await other.engine.get(ANN, early.id)).toEqual(await runner.engine.get(ANN, early.id));
    expect((await other.engine.list(ANN, { limit: 5 })).total).toBe(1);
  });

  test('a message sent to another node reaches the inbox of the run', async () => {
    const { node } = cluster(
      async function* run({ inbox, status }) {
        await status('listening');
        for await (const { text } of inbox) {
          yield text;
          return;
        }
      },
      { variant },
    );
    const [runner, other] = [await node(), await node()];
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => (await other.engine.get(ANN, early.id)).status.message !== undefined);
    const done = await other.reply(early, 'hello');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)).toBe('hello');
  });

  test('a question can be answered on any node', async () => {
    const { node } = cluster(
      async function* run({ ask }) {
        yield `${await ask('One?')} ${await ask({ confirm: 'Two?' })}`;
      },
      { variant },
    );
    const [first, second, third] = [await node(), await node(), await node()];
    const asked = await first.task('go');
    await expect(second.reply(await second.reply(asked, 'a'), 'maybe')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });
    const done = await third.reply(asked, 'yes');
    expect(artifactText(done)).toBe('a true');
    expect(await first.engine.get(ANN, asked.id)).toEqual(done);
  });

  test('a message sent to two nodes at once runs once', async () => {
    let runs = 0;
    const { node } = cluster(
      async function* run() {
        runs++;
        yield 'done';
      },
      { variant },
    );
    const [first, second] = [await node(), await node()];
    const message = { messageId: 'once', role: 'ROLE_USER' as const, parts: [{ text: 'go' }] };
    const [a, b] = await Promise.all([first.task('', { message }), second.task('', { message })]);
    expect(a).toEqual(b);
    expect(runs).toBe(1);
  });

  test('no message is lost when three nodes write to one task at once', async () => {
    const { node } = cluster(
      async function* run({ inbox, status }) {
        await status('listening');
        let count = 0;
        for await (const { text } of inbox) {
          yield `${text} `;
          if (++count === 20) return;
        }
      },
      { variant },
    );
    const nodes = [await node(), await node(), await node()] as const;
    const early = await nodes[0].task('go', IMMEDIATELY);
    await until(async () => (await nodes[1].engine.get(ANN, early.id)).status.message !== undefined);
    const texts = Array.from({ length: 20 }, (_, i) => `m${i}`);
    await Promise.all(texts.map((text, i) => (nodes[i % 3] ?? nodes[0]).reply(early, text)));
    const done = await nodes[2].engine.get(ANN, early.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifactText(done)?.trim().split(' ').toSorted()).toEqual(texts.toSorted());
    expect(done.history?.filter(({ role }) => role === 'ROLE_USER')).toHaveLength(21);
  });

  test('queued tasks run once, on any node with a free slot', async () => {
    const begun: string[] = [];
    const door = deferred<void>();
    const { node, clock } = cluster(
      async ({ text }) => {
        begun.push(text);
        await door.promise;
        return text;
      },
      // One caller gets two of the three slots of a node.
      { variant, limits: { concurrency: 3 } },
    );
    const first = await node();
    const tasks = [];
    for (let i = 0; i < 6; i++) tasks.push(await first.task(`${i}`, IMMEDIATELY));
    await turns(10);
    expect(begun).toHaveLength(2);
    await node();
    await pass(clock, 2000, 500);
    await until(() => begun.length === 4);
    door.resolve();
    for (const { id } of tasks)
      await until(async () => {
        clock.advance(100);
        return (await first.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED';
      });
    expect(begun.toSorted()).toEqual(['0', '1', '2', '3', '4', '5']);
  });

  test('a node that hangs for longer than its lease loses its task: its writes are rejected and its handler is aborted', async () => {
    const doors: Deferred<void>[] = [];
    const signals: AbortSignal[] = [];
    const late: unknown[] = [];
    let steps = 0;
    const { node, clock } = cluster(
      async function* run({ signal, step }) {
        const attempt = signals.push(signal);
        const door = deferred<void>();
        doors.push(door);
        yield 'a';
        await door.promise;
        const number = await step('count', () => ++steps).catch((error: Error) => late.push(error.message));
        yield `${attempt} ${number}`;
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'a');
    first.connection.set('held');
    await pass(clock, 10_000, 2000);
    const second = await node();
    await pass(clock, 10_000, 2000);
    await until(() => signals.length === 2);
    // The first node resumes as if nothing had happened.
    first.connection.set('open');
    doors[0]?.resolve();
    await pass(clock, 10_000, 1000);
    await until(() => signals[0]?.aborted === true);
    expect(signals[0]?.reason).toMatchObject({ message: 'Another node runs the task now' });
    expect(artifactText(await second.engine.get(ANN, early.id))).toBe('a');
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    // The first node checks its lease before it runs a step.
    expect(artifactText(await first.engine.get(ANN, early.id))).toBe('a2 1');
    const events = await collect(first.engine.subscribe(ANN, early.id, { after: 0 }));
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
  });

  test('a node without a heartbeat for longer than its lease starts no step that another node may have done', async () => {
    const doors: Deferred<void>[] = [];
    const begun: number[] = [];
    const { node, clock } = cluster(
      async ({ step }) => {
        const door = deferred<void>();
        const run = doors.push(door);
        await step('before', () => 0);
        await door.promise;
        await step('effect', () => begun.push(run));
        return 'done';
      },
      { variant },
    );
    // It neither polls nor receives hints: it runs, and does not know that its lease has expired.
    const first = await node({ pollMs: 3_600_000 });
    const { id } = await first.task('go', IMMEDIATELY);
    await until(() => doors.length === 1);
    await turns();
    first.connection.set('held', 'heartbeat', 'watch');
    const second = await node();
    await pass(clock, 18_000, 1000);
    await until(() => doors.length === 2);
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    doors[0]?.resolve();
    await pass(clock, 6000, 1000);
    expect(begun).toEqual([2]);
  });

  test('a node that confirms its lease before a step keeps the task for the time of a lease', async () => {
    const [door, end] = [deferred<void>(), deferred<void>()];
    let [runs, steps] = [0, 0];
    const { node, clock } = cluster(
      async function* run({ step }) {
        runs++;
        yield 'a';
        await door.promise;
        await step('once', () => (steps++, end.promise));
      },
      { variant },
    );
    const first = await node({ pollMs: 3_600_000 });
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'a');
    first.connection.set('failing', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.connection.set('open', 'heartbeat');
    door.resolve();
    await until(() => steps === 1);
    // Before that, a second node would have taken the task: there was no heartbeat for longer than a lease.
    const second = await node();
    await turns();
    expect(runs).toBe(1);
    end.resolve();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect([runs, steps]).toEqual([1, 1]);
  });

  test('a node whose lease is confirmed too late confirms it again before a step', async () => {
    const doors: Deferred<void>[] = [];
    const begun: number[] = [];
    const { node, clock } = cluster(
      async ({ step }) => {
        const door = deferred<void>();
        const run = doors.push(door);
        await step('before', () => 0);
        await door.promise;
        await step('effect', () => begun.push(run));
        return 'done';
      },
      { variant },
    );
    const first = await node({ pollMs: 3_600_000 });
    const { id } = await first.task('go', IMMEDIATELY);
    await until(() => doors.length === 1);
    await turns();
    first.connection.set('failing', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.connection.set('held', 'read');
    doors[0]?.resolve();
    await turns();
    // It has sent a heartbeat and reads whether the task is its own: the response takes longer than the lease lasts.
    first.connection.set('held', 'read', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.connection.set('failing', 'heartbeat');
    await turns();
    expect(begun).toEqual([]);
    const second = await node();
    await pass(clock, 20_000, 2000);
    await until(() => doors.length === 2);
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(begun).toEqual([2]);
  });

  test('a handler that publishes nothing is aborted too when its node has lost the task', async () => {
    const signals: AbortSignal[] = [];
    const { node, clock } = cluster(
      async ({ signal }) => {
        if (signals.push(signal) === 1) await untilAborted(signal);
        return 'done';
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => (await first.engine.get(ANN, early.id)).status.state === 'TASK_STATE_WORKING');
    first.connection.set('held');
    await pass(clock, 20_000, 2000);
    const second = await node();
    await until(async () => artifactText(await second.engine.get(ANN, early.id)) === 'done');
    expect(signals[0]?.aborted).toBe(false);
    first.connection.set('open');
    await pass(clock, 6000, 1000);
    expect(signals[0]?.reason).toMatchObject({ message: 'Another node runs the task now' });
  });

  test('a send that waits on a node that lost the task returns the bare reply of the other node', async () => {
    let runs = 0;
    const { node, clock } = cluster(
      async ({ signal, reply }) => {
        if (++runs === 1) await untilAborted(signal);
        return reply('answered');
      },
      { variant },
    );
    // It learns of the other run only by its own heartbeat.
    const first = await node({ pollMs: 3_600_000 });
    const sent = first.send('go', { idempotencyKey: 'k' });
    await until(() => runs === 1);
    first.connection.set('held', 'heartbeat', 'watch');
    await pass(clock, 20_000, 2000);
    await node();
    await until(() => runs === 2);
    await turns();
    first.connection.set('open', 'heartbeat');
    await pass(clock, 10_000, 1000);

    expect(await sent).toMatchObject({ message: { parts: [{ text: 'answered' }] } });
  });

  test('a node that hangs for longer than its lease resumes its task if no other node has taken it', async () => {
    const door = deferred<void>();
    let runs = 0;
    const { node, clock } = cluster(
      async function* run() {
        runs++;
        yield 'a';
        await door.promise;
        yield 'b';
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => artifactText(await first.engine.get(ANN, early.id)) === 'a');
    first.connection.set('held');
    await pass(clock, 60_000, 5000);
    first.connection.set('open');
    await turns(20);
    door.resolve();
    await until(async () => {
      clock.advance(100);
      return (await first.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await first.engine.get(ANN, early.id))).toBe('ab');
    expect(runs).toBeLessThan(3);
  });

  test('a run suspended in memory continues correctly after another node has run a part of the task', async () => {
    let steps = 0;
    const { node } = cluster(
      async function* run({ ask, step }) {
        for (const question of ['One?', 'Two?', 'Three?']) {
          const answer = await ask(question);
          yield `${answer}${await step('count', () => ++steps)} `;
        }
      },
      { variant },
    );
    const [first, second] = [await node(), await node()];
    const asked = await first.task('go');
    // The faster node resumes it: each of them has the records of the other.
    const one = await second.reply(asked, 'a');
    const two = await first.reply(one, 'b');
    const done = await second.reply(two, 'c');
    expect(artifactText(done)).toBe('a1 b2 c3 ');
    expect(steps).toBe(3);
  });

  test('a subscriber on a node whose hints are lost gets all events', async () => {
    const door = deferred<void>();
    const { node, clock } = cluster(
      async function* run({ signal }) {
        yield 'a';
        await Promise.race([door.promise, untilAborted(signal)]);
        yield 'b';
      },
      { variant },
    );
    const runner = await node();
    const other = await node();
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await runner.engine.get(ANN, early.id)) === 'a');
    const reading = collect(other.engine.subscribe(ANN, early.id, { after: 0 }));
    await turns(5);
    other.connection.set('held', 'watch');
    door.resolve();
    await until(async () => (await runner.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    other.connection.set('open');
    await pass(clock, 10_000, 1000);
    expect((await reading).map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
  });
});
