/** One caller cannot keep the others from the slots and the queue of an agent. */
import { describe, expect, test } from 'vitest';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import { type Deferred, deferred } from '../../src/support/deferred.ts';
import { cluster, pass, turns } from './cluster.ts';
import { artifactText, type Harness, harness, until, VARIANTS } from './harness.ts';

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

function as(owner: string, more: Partial<Submission> = {}): Partial<Submission> {
  return { tenant: '', owner, caller: { id: owner, isVerified: true }, ...more };
}

const IMMEDIATELY = { returnImmediately: true };

/** Tasks of a caller, named `ann-0`, `ann-1` and so on. */
async function flood({ task }: Pick<Harness, 'task'>, owner: string, count: number, from = 0): Promise<void> {
  for (let i = from; i < from + count; i++) await task(`${owner}-${i}`, as(owner, IMMEDIATELY));
}

describe.each(VARIANTS)('$name', (variant) => {
  test.each([
    { concurrency: 2, held: 1 },
    { concurrency: 3, held: 2 },
    { concurrency: 10, held: 9 },
    { concurrency: 25, held: 23 },
  ])(
    'one caller gets at most $held of $concurrency slots, and a task of another caller starts at once',
    async ({ concurrency, held }) => {
      const { begun, open, run } = gate();
      const node = await harness(run, { variant, limits: { concurrency } });
      await flood(node, 'ann', 2 * concurrency);
      await turns(10);
      expect(begun).toHaveLength(held);

      open('bob-0');

      expect(artifactText(await node.task('bob-0', as('bob')))).toBe('done bob-0');
      expect(begun).toHaveLength(held + 1);
    },
  );

  test('with one slot the tasks of several callers run in rotation', async () => {
    const { begun, open, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 1 } });
    await flood(node, 'ann', 4);
    await flood(node, 'bob', 2);
    await flood(node, 'carl', 1);
    // The first one did not wait, so that the rotation begins with the second.
    const expected = ['ann-0', 'ann-1', 'bob-0', 'carl-0', 'ann-2', 'bob-1', 'ann-3'];
    for (const [i, name] of expected.entries()) {
      await until(() => begun.length === i + 1);
      expect(begun[i]).toBe(name);
      open(name);
    }
    expect(begun).toHaveLength(expected.length);
  });

  test('reserved slots go to callers without a running task, in the order of the rotation', async () => {
    const { begun, open, run } = gate();
    // Eighteen slots for all, two in reserve.
    const node = await harness(run, { variant, limits: { concurrency: 20 } });
    await flood(node, 'ann', 30);
    await flood(node, 'bob', 2);
    await flood(node, 'carl', 1);
    await flood(node, 'dave', 1);
    await turns(10);
    expect(begun.slice(18)).toEqual(['bob-0', 'carl-0']);

    // Now nineteen are in use: dave runs nothing, bob and ann do.
    open('ann-0');
    await until(() => begun.length === 21);
    expect(begun.at(-1)).toBe('dave-0');
    for (const name of ['ann-1', 'ann-2', 'ann-3']) open(name);
    await until(() => begun.length === 22);
    await turns(10);
    expect(begun).toHaveLength(22);
    expect(begun.at(-1)).toBe('ann-18');
    open('ann-4');
    await until(() => begun.length === 23);
    expect(begun.at(-1)).toBe('bob-1');
  });

  test('a caller with only queued tasks gets a slot before any other caller gets two', async () => {
    const { begun, open, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 2 } });
    await flood(node, 'zoe', 2);
    await flood(node, 'ann', 3);
    for (let i = 0; i < 10; i++) await flood(node, `guest${i}`, 3);
    // While they wait, others keep coming.
    for (let i = 0; !begun.includes('zoe-1'); i++) {
      await flood(node, `late${i % 5}`, 1, i);
      open(begun[i] ?? '');
      await until(() => begun.length === i + 3);
    }

    const others = begun.slice(2, begun.indexOf('zoe-1')).map((name) => name.split('-')[0]);
    expect(others.length).toBeGreaterThan(5);
    expect(new Set(others).size).toBe(others.length);
  });

  test('an answered task resumes at once although another caller floods the agent', async () => {
    const { begun, open, run } = gate();
    const node = await harness(
      async (context) => {
        if (context.text === 'ask') return `Off to ${await context.ask('Where to?')}`;
        return run(context);
      },
      { variant, limits: { concurrency: 10 } },
    );
    const asked = await node.task('ask', as('bob'));
    await flood(node, 'ann', 30);
    await turns(10);
    expect(begun).toHaveLength(9);

    expect(artifactText(await node.reply(asked, 'Rome', as('bob')))).toBe('Off to Rome');

    // And a caller that floods with answers gets no more than its share.
    for (let i = 0; i < 9; i++) open(`ann-${i}`);
    await until(() => begun.length === 18);
    await turns(10);
    expect(begun).toHaveLength(18);
  });

  test('a task whose sleep is over resumes at once although another caller floods the agent', async () => {
    const { run } = gate();
    const node = await harness(
      async (context) => {
        if (context.text !== 'sleep') return run(context);
        await context.sleep(10_000);
        return 'awake';
      },
      { variant, limits: { concurrency: 10 } },
    );
    const asleep = await node.task('sleep', as('bob', IMMEDIATELY));
    await turns(10);
    await flood(node, 'ann', 30);
    await pass(node.clock, 10_000, 500);

    await until(async () => artifactText(await node.engine.get({ tenant: '', owner: 'bob' }, asleep.id)) === 'awake');
  });

  test('tasks of a node that died are queued again, and the slot limit of their caller holds for them', async () => {
    const { begun, run } = gate();
    const { node, clock } = cluster(run, { variant, limits: { concurrency: 5 } });
    const first = await node();
    await flood(first, 'ann', 4);
    await flood(first, 'bob', 1);
    await turns(10);
    expect(begun.splice(0)).toHaveLength(5);
    first.kill();
    const second = await node();
    await flood(second, 'carl', 1);
    // One of them is observed at a time, for 30 s each.
    await pass(clock, 120_000, 1000);
    await turns(20);

    expect(begun.toSorted()).toEqual(['ann-0', 'ann-1', 'ann-2', 'bob-0', 'carl-0']);
  });

  test('the rotation of callers holds across the nodes of one store', async () => {
    const { begun, open, run } = gate();
    const { node } = cluster(run, { variant, limits: { concurrency: 1 } });
    const nodes = [await node(), await node()] as const;
    await flood(nodes[0], 'x', 1);
    await flood(nodes[1], 'y', 1);
    await until(() => begun.length === 2);
    await flood(nodes[0], 'ann', 5);
    await flood(nodes[1], 'bob', 1);
    await flood(nodes[0], 'carl', 1);
    for (let i = 0; i < 3; i++) {
      open(begun[i] ?? '');
      await until(() => begun.length === i + 3);
    }

    expect(begun.slice(2).toSorted()).toEqual(['ann-0', 'bob-0', 'carl-0']);
  });

  test('a task that was claimed while another task of its caller started does not take a reserved slot', async () => {
    const { begun, open, run } = gate();
    const { node, clock } = cluster(
      async (context) => {
        if (context.text === 'ask') await context.ask('Which?');
        return run(context);
      },
      { variant, limits: { concurrency: 5 } },
    );
    const only = await node();
    const asked = await only.task('ask', as('ann'));
    await flood(only, 'ann', 3);
    await turns(10);
    // One slot is open. The claim that is under way gives it to the answered task, and the new one takes it first.
    only.connection.set('late', 'claim');
    void only.reply(asked, 'this', as('ann')).catch(() => {});
    await turns(10);
    await flood(only, 'ann', 1, 3);
    await turns(10);
    only.connection.set('open');
    await pass(clock, 3000, 500);
    expect(begun).toEqual(['ann-0', 'ann-1', 'ann-2', 'ann-3']);

    open('bob-0');
    expect(artifactText(await only.task('bob-0', as('bob')))).toBe('done bob-0');
    open('ann-0');
    await until(() => begun.includes('ask'));
  });

  test('a queued task that another node started makes room in the queue although its hint was lost', async () => {
    const { begun, open, run } = gate();
    const { node, clock } = cluster(run, { variant, limits: { concurrency: 1, queue: 1 } });
    const first = await node();
    await flood(first, 'ann', 2);
    await turns(10);
    expect(begun).toEqual(['ann-0']);
    first.connection.set('dead', 'watch');
    await node();
    await until(() => begun.length === 2);
    open('ann-0');
    await turns(20);
    await pass(clock, 2000, 500);

    await flood(first, 'bob', 2);
    await turns(10);
    expect(begun).toEqual(['ann-0', 'ann-1', 'bob-0']);
  });

  test('runsPerCaller bounds the runs of one caller', async () => {
    const { begun, open, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 10, runsPerCaller: 2 } });
    await flood(node, 'ann', 4);
    await flood(node, 'bob', 3);
    await turns(10);
    expect(begun).toEqual(['ann-0', 'ann-1', 'bob-0', 'bob-1']);

    open('ann-1');
    await until(() => begun.length === 5);
    expect(begun.at(-1)).toBe('ann-2');
    open('bob-0');
    await until(() => begun.length === 6);
    expect(begun.at(-1)).toBe('bob-2');
  });

  test('tasks with a fairness key share its slots, and their owner still owns them', async () => {
    const { begun, open, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 2 } });
    const from = (fairnessKey: string): Partial<Submission> => as('anonymous', { fairnessKey });
    await node.task('ann-0', { ...from('address-1'), ...IMMEDIATELY });
    await node.task('ann-1', { ...from('address-1'), ...IMMEDIATELY });
    await turns(10);
    expect(begun).toEqual(['ann-0']);
    open('bob-0');

    const { id } = await node.task('bob-0', from('address-2'));

    // Both are the same owner, and see the same tasks.
    const { total } = await node.engine.list({ tenant: '', owner: 'anonymous' }, { limit: 10 });
    expect(total).toBe(3);
    await expect(node.engine.get({ tenant: '', owner: 'address-2' }, id)).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
  });

  test('tasks of one caller in several tenants share the slots of the caller', async () => {
    const { begun, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 3 } });
    for (const tenant of ['one', 'two', 'three']) await node.task(tenant, as('ann', { ...IMMEDIATELY, tenant }));
    await turns(10);

    expect(begun).toEqual(['one', 'two']);
  });

  test('while others wait, one caller gets at most four fifths of the queue, and the error names the remedy', async () => {
    const { run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 1, queue: 10 } });
    await flood(node, 'bob', 2);
    await flood(node, 'ann', 8);

    await expect(node.task('ann-8', as('ann'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'This agent is busy: 8 tasks of this caller are already queued, which is its share while other callers wait. ' +
        'The message was not stored. Send the message again when some of them have started, or cancel some.',
      details: { limit: 'queue' },
      retryAfterMs: 1000,
    });
    await flood(node, 'carl', 1);
    await expect(node.task('carl-1', as('carl'))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        'This agent is busy: it has no free slot for this caller, and its queue is full with 10 tasks. ' +
        'The message was not stored. Send the message again later.',
      details: { limit: 'queue' },
      retryAfterMs: 1000,
    });
  });

  test('a caller that has filled the whole queue does not block the share of other callers', async () => {
    const { begun, open, run } = gate();
    const node = await harness(run, { variant, limits: { concurrency: 1, queue: 10 } });
    await flood(node, 'ann', 11);
    await expect(node.task('ann-11', as('ann'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    // The two that ann has above its share take no room from others.
    await flood(node, 'bob', 2);
    await expect(node.task('bob-2', as('bob'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    open('ann-0');
    open('ann-1');
    await until(() => begun.includes('bob-0'));
    await expect(node.task('ann-11', as('ann'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await flood(node, 'bob', 1, 2);
  });

  test('a node without a slot for the queued tasks claims at most twice a second', async () => {
    const { begun, run } = gate();
    const { node, clock } = cluster(run, { variant, limits: { concurrency: 10 } });
    const only = await node();
    await flood(only, 'ann', 30);
    await turns(20);
    expect(begun).toHaveLength(9);
    const before = only.connection.calls.filter((name) => name === 'claim').length;

    await pass(clock, 10_000, 50);

    const looks = only.connection.calls.filter((name) => name === 'claim').length - before;
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(20);
  });

  test('a sleeping task resumes on time while tasks of another caller wait for a slot', async () => {
    const { begun, run } = gate();
    const node = await harness(
      async (context) => {
        if (context.text !== 'sleep') return run(context);
        await context.sleep(300);
        return 'awake';
      },
      { variant, limits: { concurrency: 10 } },
    );
    const asleep = await node.task('sleep', as('bob', IMMEDIATELY));
    await turns(10);
    await flood(node, 'ann', 30);
    await turns(10);
    expect(begun).toHaveLength(9);

    // Less than the time after which a node looks in any case.
    await pass(node.clock, 300, 100);

    await until(async () => artifactText(await node.engine.get({ tenant: '', owner: 'bob' }, asleep.id)) === 'awake');
  });
});
