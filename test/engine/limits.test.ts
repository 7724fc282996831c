import { describe, expect, test } from 'vitest';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { cluster, pass, turns } from './cluster.ts';
import { ANN, artifactText, BOB, harness, statusText, until, VARIANTS } from './harness.ts';

/** A handler whose runs the test ends one by one, by the text of their message. */
function gate() {
  const begun: string[] = [];
  const doors = new Map<string, Deferred<void>>();
  const door = (name: string): Deferred<void> => {
    const known = doors.get(name) ?? deferred<void>();
    doors.set(name, known);
    return known;
  };
  return {
    begun,
    open: (name: string) => door(name).resolve(),
    run: async ({ text }: { readonly text: string }): Promise<string> => {
      begun.push(text);
      await door(text).promise;
      return `done ${text}`;
    },
  };
}

const IMMEDIATELY = { returnImmediately: true };

describe.each(VARIANTS)('$name', (variant) => {
  test('tasks of one caller without a free slot wait and run in the order of their arrival', async () => {
    const { begun, open, run } = gate();
    const { task, engine } = await harness(run, { variant, limits: { concurrency: 3 } });
    const tasks = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) tasks.push(await task(name, IMMEDIATELY));
    await turns(10);
    expect(begun).toEqual(['a', 'b']);
    expect((await engine.get(ANN, tasks[2]?.id ?? '')).status.state).toBe('TASK_STATE_SUBMITTED');
    open('b');
    await until(() => begun.length === 3);
    open('c');
    open('a');
    await until(() => begun.length === 5);
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e']);
    for (const name of ['d', 'e']) open(name);
    for (const { id } of tasks)
      await until(async () => (await engine.get(ANN, id)).status.state === 'TASK_STATE_COMPLETED');
  });

  test('a new task does not overtake a queued task', async () => {
    const { begun, open, run } = gate();
    const { task } = await harness(run, { variant, limits: { concurrency: 1 } });
    const first = task('first');
    await until(() => begun.length === 1);
    const second = task('second');
    await turns(10);
    open('first');
    open('second');
    open('third');
    await first;
    // The slot is free, and the queue has not been checked yet.
    const third = task('third');
    await Promise.all([second, third]);
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  test('a full queue rejects a message with retryAfterMs and stores nothing', async () => {
    const { begun, open, run } = gate();
    const { task, engine } = await harness(run, { variant, limits: { concurrency: 1, queue: 2 } });
    for (const name of ['a', 'b', 'c']) await task(name, IMMEDIATELY);
    await expect(task('d')).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterMs: expect.any(Number) as number });
    expect((await engine.list(ANN, { limit: 10 })).total).toBe(3);
    open('a');
    await until(() => begun.length === 2);
    await task('d', IMMEDIATELY);
    for (const name of ['b', 'c', 'd']) open(name);
    await until(() => begun.length === 4);
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a canceled task makes room in the queue', async () => {
    const { begun, open, run } = gate();
    const { task, engine } = await harness(run, { variant, limits: { concurrency: 1, queue: 1 } });
    await task('a', IMMEDIATELY);
    const queued = await task('b', IMMEDIATELY);
    await engine.cancel(ANN, queued.id);
    await until(() =>
      task('c', IMMEDIATELY).then(
        () => true,
        () => false,
      ),
    );
    open('a');
    open('c');
    await until(() => begun.length === 2);
    expect(begun).toEqual(['a', 'c']);
  });

  test('the number of concurrent runs never exceeds the limit with several callers and answers', async () => {
    let running = 0;
    let most = 0;
    const callers = [ANN, BOB, { tenant: '', owner: 'carl' }];
    const { task, reply, engine } = await harness(
      async ({ text, ask }) => {
        most = Math.max(most, ++running);
        await turns(1 + (text.length % 3));
        running--;
        if (text.startsWith('ask')) {
          await ask('Go on?');
          most = Math.max(most, ++running);
          await turns(1);
          running--;
        }
        return 'done';
      },
      { variant, limits: { concurrency: 3 } },
    );
    const texts = Array.from({ length: 40 }, (_, i) => `${i % 3 === 0 ? 'ask' : 'go'}${'x'.repeat(i % 5)}`);
    const rests = await Promise.all(
      texts.map(async (text, i) => {
        await turns(i % 7);
        return { scope: callers[i % 3] ?? ANN, task: await task(text, callers[i % 3]) };
      }),
    );
    const asked = rests.filter((rest) => rest.task.status.state === 'TASK_STATE_INPUT_REQUIRED');
    await Promise.all(asked.map((paused) => reply(paused.task, 'yes', paused.scope)));
    for (const {
      scope,
      task: { id },
    } of rests)
      expect((await engine.get(scope, id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(asked).toHaveLength(14);
    expect(most).toBe(3);
  });

  test('a new task and a resumed task do not share the last slot', async () => {
    let running = 0;
    let most = 0;
    const doors = new Map(['ask', 'new'].map((name) => [name, deferred<void>()]));
    const { node, clock } = cluster(
      async ({ text, ask }) => {
        if (text === 'ask') await ask('Which?');
        most = Math.max(most, ++running);
        await doors.get(text)?.promise;
        running--;
        return 'done';
      },
      { variant, limits: { concurrency: 1 } },
    );
    const { task, reply, engine, connection } = await node();
    const asked = await task('ask');
    await turns(10);
    // The claim is under way when the new task takes the slot.
    connection.set('held', 'claim');
    const answering = reply(asked, 'this');
    await turns(10);
    const newcomer = task('new');
    await turns(10);
    connection.set('open');
    await turns(20);
    for (const door of doors.values()) door.resolve();
    await pass(clock, 5000, 500);
    expect(artifactText(await answering)).toBe('done');
    expect(artifactText(await newcomer)).toBe('done');
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(most).toBe(1);
  });

  test('a task that waits for an answer or sleeps holds no slot', async () => {
    const { task, reply, clock, engine } = await harness(
      async function* run({ text, ask, sleep }) {
        if (text === 'ask') await ask('Which?');
        if (text === 'sleep') await sleep(1_000_000);
        if (text === 'turn') yield { status: 'input-required', text: 'Which?' };
        else yield 'done';
      },
      { variant, limits: { concurrency: 1, queue: 0, timeoutMs: 60_000 } },
    );
    const asked = await task('ask');
    const turn = await task('turn');
    const asleep = await task('sleep', IMMEDIATELY);
    const isOut = async (): Promise<boolean> => {
      const rest = await task('go').catch(() => undefined);
      return rest !== undefined && artifactText(rest) === 'done';
    };
    await until(isOut);
    // Nor does that time count as working time.
    await pass(clock, 999_000, 10_000);
    expect((await engine.get(ANN, asleep.id)).status.state).toBe('TASK_STATE_WORKING');
    expect((await engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(artifactText(await reply(asked, 'this'))).toBe('done');
    expect(artifactText(await reply(turn, 'this'))).toBe('done');
    await pass(clock, 2000);
    await until(async () => (await engine.get(ANN, asleep.id)).status.state === 'TASK_STATE_COMPLETED');
  });

  test('maxPausedPerCaller limits the paused tasks of one caller, and not those of others', async () => {
    const { task, reply, engine } = await harness(
      async function* run({ text, ask }) {
        if (text === 'turn') yield { status: 'input-required', text: 'Which?' };
        else yield `Off to ${await ask('Which city?')}`;
      },
      { variant, limits: { maxPausedPerCaller: 2 } },
    );
    const paused = [await task('ask'), await task('turn')];
    for (const text of ['ask', 'turn']) {
      const refused = await task(text);
      expect(refused.status.state).toBe('TASK_STATE_FAILED');
      expect(statusText(refused)).toBe(
        'This caller already has 2 tasks that wait for an answer. Answer or cancel some of them.',
      );
    }
    const bobs = await task('ask', { ...BOB, caller: { id: 'bob', isVerified: true } });
    expect(bobs.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    for (const { id } of paused) expect((await engine.get(ANN, id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    if (paused[0] !== undefined) await reply(paused[0], 'Rome');
    expect((await task('turn')).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('with maxPausedPerCaller 1 a task may ask several questions in turn', async () => {
    const { task, reply } = await harness(
      async function* run({ ask }) {
        yield `${await ask('One?')} ${await ask('Two?')} ${await ask('Three?')}`;
      },
      { variant, limits: { maxPausedPerCaller: 1 } },
    );
    let rest = await task('go');
    for (const answer of ['a', 'b', 'c']) rest = await reply(rest, answer);
    expect(artifactText(rest)).toBe('a b c');
  });
});
