/** Journals of open tasks, run against changed code before it is deployed. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { Store } from '../../src/store/store.ts';
import { replayJournals } from '../../src/testing/replay-journals.ts';
import { ANN, BOB, harness, runnable, STORES, until, withMethods } from './harness.ts';

const WRITES = ['create', 'append', 'dropForReply', 'claim', 'heartbeat', 'retire', 'prune', 'purge', 'takeTokens'];

/** The same store, which rejects all writes. */
function readOnly(store: Store): Store {
  const rejects = Object.fromEntries(
    WRITES.map((name) => [name, () => Promise.reject(new Error(`${name} was called on a read-only store`))]),
  );
  return withMethods(store, rejects);
}

describe.each(STORES)('$name', (variant) => {
  const noEffect = (): never => {
    throw new Error('The function of a step was called');
  };

  test('the handler of each open task is compared with its journal, without effects and without writes', async () => {
    let isShipping = false;
    const before: Handler = async function* run({ step, ask, text }) {
      if (text === 'ends') return;
      yield 'Charging';
      yield await step('charge', () => 'charged');
      if ((await ask('Ship it?')) === 'yes')
        await step('ship', () => {
          isShipping = true;
          return new Promise(() => {});
        });
    };
    const node = await harness(before, { variant });
    const asking = await node.task('go');
    const other = await node.task('go', BOB);
    await node.task('ends');
    const shipping = await node.task('go');
    await node.reply(shipping, 'yes', { returnImmediately: true });
    await until(() => isShipping);
    const records = async (): Promise<unknown> =>
      Promise.all([
        node.store.journal(asking.id),
        node.store.events(asking.id, 0, 100),
        node.store.read(ANN, shipping.id),
      ]);
    const stored = await records();

    const same: Handler = async function* run({ step, ask }) {
      yield 'Charging, in other words';
      yield await step('charge', noEffect);
      if ((await ask('Ship it?')) === 'yes') await step('ship', noEffect);
    };
    const ids = [asking.id, other.id, shipping.id].sort();
    const unchanged = await replayJournals(runnable(same), readOnly(node.store));
    expect(unchanged.map(({ taskId, summary }) => [taskId, summary])).toEqual(ids.map((id) => [id, 'matches']));
    // The step was interrupted, so the journal does not have it.
    expect(unchanged.find(({ taskId }) => taskId === shipping.id)?.asked).toEqual(['step ship']);

    const renamed: Handler = async ({ step, ask }) => {
      await step('pay', noEffect);
      await ask('Ship it?');
    };
    const changed = await replayJournals(runnable(renamed), readOnly(node.store));
    expect(changed.map(({ matches }) => matches)).toEqual([false, false, false]);
    expect(changed[0]).toMatchObject({ recorded: ['step charge', 'question 1'], asked: ['step pay'] });
    expect(changed[0]?.summary).toBe('new step pay; never asked for: step charge, question 1');

    const mapped: Handler = async ({ step, ask }) => {
      await step('pay', noEffect, { was: 'charge' });
      await ask('Shall we ship it?', { was: 'Ship it?' });
    };
    const fixed = await replayJournals(runnable(mapped), readOnly(node.store));
    expect(fixed.map(({ summary }) => summary)).toEqual(['matches', 'matches', 'matches']);

    expect(await records()).toEqual(stored);
  });

  test('removed work and a handler that fails are reported, and other agents are left out', async () => {
    const node = await harness(
      async ({ step, ask }) => {
        await step('charge', () => ({ amount: 20 }));
        await ask('Ship it?');
      },
      { variant },
    );
    const { id } = await node.task('go');

    const removed = await replayJournals(
      runnable(async () => 'done'),
      readOnly(node.store),
    );
    expect(removed.map(({ summary }) => summary)).toEqual(['never asked for: step charge, question 1']);

    const failing = await replayJournals(
      runnable(async ({ step, ask }) => {
        await step('charge', noEffect);
        await ask('Ship it?', { was: 'It' });
        throw new Error('unreachable');
      }),
      readOnly(node.store),
    );
    expect(failing.map(({ matches }) => matches)).toEqual([true]);
    const failed = await replayJournals(
      runnable(async ({ step }) => {
        const { currency } = (await step('charge', noEffect)) as { currency?: string };
        if (currency === undefined) throw new Error('no currency');
      }),
      readOnly(node.store),
    );
    expect(failed.map(({ summary }) => summary)).toEqual(['never asked for: question 1; failed: no currency']);
    expect(
      await replayJournals(
        runnable(async () => 'done', {}, 'another'),
        readOnly(node.store),
      ),
    ).toEqual([]);
    expect((await node.store.journal(id)).length).toBe(2);
  });

  test('a task that has no journal yet, or waits for the next turn, matches', async () => {
    const node = await harness(
      async function* run({ step, text }) {
        await step('greet', () => 'hello');
        if (text === 'go') yield { status: 'input-required', text: 'Which city?' };
        await new Promise(() => {});
      },
      { variant },
    );
    await node.task('go');

    const replayed = await replayJournals(
      runnable(async () => 'done'),
      readOnly(node.store),
    );
    expect(replayed.map(({ summary }) => summary)).toEqual(['matches']);
  });

  test('whole journals of ended tasks are compared on request, also when their events are gone', async () => {
    const before: Handler = async function* run({ step, ask }) {
      yield 'Charging';
      yield await step('charge', () => 'charged');
      if ((await ask('Ship it?')) === 'yes') yield await step('ship', () => 'shipped');
    };
    const node = await harness(before, {
      variant,
      limits: { keepJournal: 'whole' },
      retention: { replayWindowMs: 1000 },
    });
    const { id } = await node.reply(await node.task('go'), 'yes');
    node.clock.advance(60_000);
    await node.engine.prune();
    expect(await node.store.events(id, 0, 10)).toEqual([]);
    const stored = await node.store.journal(id);
    const replayed = async (run: Handler): Promise<unknown> =>
      (await replayJournals(runnable(run), readOnly(node.store), { ended: true })).map(({ compared, summary }) => [
        compared,
        summary,
      ]);

    const same: Handler = async function* run({ step, ask }) {
      yield await step('charge', noEffect);
      if ((await ask('Ship it?')) === 'yes') yield await step('ship', noEffect);
    };
    expect(await replayed(same)).toEqual([['all', 'matches']]);
    const renamed: Handler = async ({ step, ask }) => {
      await step('pay', noEffect);
      await ask('Ship it?');
    };
    expect(await replayed(renamed)).toEqual([
      ['all', 'new step pay; never asked for: step charge, step ship, question 1'],
    ]);
    expect(await replayJournals(runnable(renamed), readOnly(node.store))).toEqual([]);
    expect(await node.store.journal(id)).toEqual(stored);
  });

  test('an ended task is compared up to the first value that was removed', async () => {
    const node = await harness(
      async ({ step, ask }) => {
        await step('charge', () => 'charged');
        await ask('Password?', { sensitive: true });
        await step('ship', () => 'shipped');
      },
      { variant, limits: { keepJournal: 'whole' } },
    );
    await node.reply(await node.task('go'), 'hunter2');
    const replayed = (run: Handler): ReturnType<typeof replayJournals> =>
      replayJournals(runnable(run), readOnly(node.store), { ended: true });

    const [same] = await replayed(async ({ step, ask }) => {
      await step('charge', noEffect);
      await ask('Password?', { sensitive: true });
      throw new Error('unreachable');
    });
    expect(same).toMatchObject({ compared: 'part', matches: true });
    const [changed] = await replayed(async ({ ask }) => ask('Password?', { sensitive: true }));
    expect(changed).toMatchObject({ compared: 'part', matches: false, recorded: ['step charge'] });
    expect(changed?.summary).toBe('never asked for: step charge (up to a value that was removed)');
  });

  test.each(['none', 'outline'] as const)(
    'an ended task with keepJournal: %o is reported as one that cannot be compared',
    async (keepJournal) => {
      const node = await harness(
        async ({ step, text }) => {
          if (text === 'go') await step('charge', () => 'charged');
          return 'done';
        },
        { variant, limits: { keepJournal } },
      );
      const ended = await node.task('go');
      const trivial = await node.task('nothing to record');

      const replayed = await replayJournals(
        runnable(async () => 'done'),
        readOnly(node.store),
        { ended: true },
      );
      expect(replayed.find(({ taskId }) => taskId === ended.id)).toEqual({
        taskId: ended.id,
        compared: 'nothing',
        matches: false,
        recorded: [],
        asked: [],
        summary: "cannot be compared: the values of its journal were not kept (keepJournal: 'whole' keeps them)",
      });
      expect(replayed.find(({ taskId }) => taskId === trivial.id)).toMatchObject({ compared: 'all', matches: true });
    },
  );

  test('a store that cannot list the tasks of all owners is rejected', async () => {
    const node = await harness(async () => 'done', { variant });
    const { allTasks: _, ...rest } = readOnly(node.store);
    await expect(
      replayJournals(
        runnable(async () => 'done'),
        rest as Store,
      ),
    ).rejects.toThrow('allTasks');
  });
});
