import { describe, expect, test } from 'vitest';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { cluster, pass, toldToStop, turns } from './faults.ts';
import { ANN, artifactText, bodies, collect, until, VARIANTS } from './harness.ts';

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('whatever one node runs, another can show and follow', async () => {
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

  test('a message to another node reaches the run', async () => {
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

  test('a question is answered on whatever node', async () => {
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

  test('a message that was given to two nodes is one request', async () => {
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

  test('no update is lost when all write at once', async () => {
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

  test('tasks that wait for a slot run once, on whichever node has one', async () => {
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

  test('a node that was away too long has lost its tasks: what it still says is refused, and its handler is told', async () => {
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
    first.line.set('held');
    await pass(clock, 10_000, 2000);
    const second = await node();
    await pass(clock, 10_000, 2000);
    await until(() => signals.length === 2);
    // The old one wakes up and goes on as if nothing had happened.
    first.line.set('open');
    doors[0]?.resolve();
    await pass(clock, 10_000, 1000);
    await until(() => signals[0]?.aborted === true);
    expect(signals[0]?.reason).toMatchObject({ message: 'Another node runs the task now' });
    expect(artifactText(await second.engine.get(ANN, early.id))).toBe('a');
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    // Whoever has been away asks before it does anything elsewhere.
    expect(artifactText(await first.engine.get(ANN, early.id))).toBe('a2 1');
    const events = await collect(first.engine.subscribe(ANN, early.id, { after: 0 }));
    expect(events.map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
  });

  test('a node that the store has not heard of for a lease begins no step that others may have done', async () => {
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
    // It does not look by itself, and hears nothing: it is alive, and does not know that others think it dead.
    const first = await node({ pollMs: 3_600_000 });
    const { id } = await first.task('go', IMMEDIATELY);
    await until(() => doors.length === 1);
    await turns();
    first.line.set('held', 'heartbeat', 'watch');
    const second = await node();
    await pass(clock, 18_000, 1000);
    await until(() => doors.length === 2);
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    doors[0]?.resolve();
    await pass(clock, 6000, 1000);
    expect(begun).toEqual([2]);
  });

  test('a node that makes sure of a task before a step keeps it for as long as a lease lasts', async () => {
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
    first.line.set('failing', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.line.set('open', 'heartbeat');
    door.resolve();
    await until(() => steps === 1);
    // It would have taken the task before: nobody had heard of its node for longer than a lease.
    const second = await node();
    await turns();
    expect(runs).toBe(1);
    end.resolve();
    await until(async () => (await second.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    expect([runs, steps]).toEqual([1, 1]);
  });

  test('a node that hears too late that a task is still its own makes sure once more', async () => {
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
    first.line.set('failing', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.line.set('held', 'read');
    doors[0]?.resolve();
    await turns();
    // It has said that it lives, and asks whether the task is its own: the answer takes longer than that holds.
    first.line.set('held', 'read', 'heartbeat');
    await pass(clock, 20_000, 2000);
    first.line.set('failing', 'heartbeat');
    await turns();
    expect(begun).toEqual([]);
    const second = await node();
    await pass(clock, 20_000, 2000);
    await until(() => doors.length === 2);
    doors[1]?.resolve();
    await until(async () => (await second.engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
    expect(begun).toEqual([2]);
  });

  test('a handler that says nothing is told too when its node has lost the task', async () => {
    const signals: AbortSignal[] = [];
    const { node, clock } = cluster(
      async ({ signal }) => {
        if (signals.push(signal) === 1) await toldToStop(signal);
        return 'done';
      },
      { variant },
    );
    const first = await node();
    const early = await first.task('go', IMMEDIATELY);
    await until(async () => (await first.engine.get(ANN, early.id)).status.state === 'TASK_STATE_WORKING');
    first.line.set('held');
    await pass(clock, 20_000, 2000);
    const second = await node();
    await until(async () => artifactText(await second.engine.get(ANN, early.id)) === 'done');
    expect(signals[0]?.aborted).toBe(false);
    first.line.set('open');
    await pass(clock, 6000, 1000);
    expect(signals[0]?.reason).toMatchObject({ message: 'Another node runs the task now' });
  });

  test('who waits at a node that has lost a task gets the bare message that another one ended it with', async () => {
    let runs = 0;
    const { node, clock } = cluster(
      async ({ signal, reply }) => {
        if (++runs === 1) await toldToStop(signal);
        return reply('answered');
      },
      { variant },
    );
    // Nothing but its own heartbeat tells it of what has happened.
    const first = await node({ pollMs: 3_600_000 });
    const sent = first.send('go', { idempotencyKey: 'k' });
    await until(() => runs === 1);
    first.line.set('held', 'heartbeat', 'watch');
    await pass(clock, 20_000, 2000);
    await node();
    await until(() => runs === 2);
    await turns();
    first.line.set('open', 'heartbeat');
    await pass(clock, 10_000, 1000);

    expect(await sent).toMatchObject({ message: { parts: [{ text: 'answered' }] } });
  });

  test('a node that was away, and whose tasks nobody took, goes on with them', async () => {
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
    first.line.set('held');
    await pass(clock, 60_000, 5000);
    first.line.set('open');
    await turns(20);
    door.resolve();
    await until(async () => {
      clock.advance(100);
      return (await first.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await first.engine.get(ANN, early.id))).toBe('ab');
    expect(runs).toBeLessThan(3);
  });

  test('a suspended run in memory steps back when another node has had the task', async () => {
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
    // Whoever is faster goes on with it: each of them knows of what the other has done.
    const one = await second.reply(asked, 'a');
    const two = await first.reply(one, 'b');
    const done = await second.reply(two, 'c');
    expect(artifactText(done)).toBe('a1 b2 c3 ');
    expect(steps).toBe(3);
  });

  test('hints that are lost cost time, and nothing else', async () => {
    const door = deferred<void>();
    const { node, clock } = cluster(
      async function* run({ signal }) {
        yield 'a';
        await Promise.race([door.promise, toldToStop(signal)]);
        yield 'b';
      },
      { variant },
    );
    const runner = await node();
    const deaf = await node();
    const early = await runner.task('go', IMMEDIATELY);
    await until(async () => artifactText(await runner.engine.get(ANN, early.id)) === 'a');
    const reading = collect(deaf.engine.subscribe(ANN, early.id, { after: 0 }));
    await turns(5);
    deaf.line.set('held', 'watch');
    door.resolve();
    await until(async () => (await runner.engine.get(ANN, early.id)).status.state === 'TASK_STATE_COMPLETED');
    deaf.line.set('open');
    await pass(clock, 10_000, 1000);
    expect((await reading).map((event) => 'number' in event && event.number)).toEqual([1, 2, 3, 4, 5]);
  });
});
