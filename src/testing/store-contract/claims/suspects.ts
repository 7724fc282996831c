import { deepEqual, equal } from 'node:assert/strict';

import type { ClaimRequest, NewTask, Store, TaskRecord } from '../../../store/store.ts';
import type { FakeClock } from '../../fake-clock.ts';
import type { Behaviours } from '../behaviours.ts';
import { append, create, end, entry, event, newTask, recordOf, START, times, TTL } from '../samples.ts';

/** Creates tasks that a node runs. */
async function running(store: Store, node: string, ids: readonly string[], more: Partial<NewTask> = {}): Promise<void> {
  await store.heartbeat(node, TTL);
  for (const id of ids) await create(store, newTask(id, { node, ...more }));
}

async function claim(store: Store, node: string, request: Partial<ClaimRequest> = {}): Promise<readonly TaskRecord[]> {
  await store.heartbeat(node, TTL);
  return store.claim({ node, agents: ['translator'], limit: 100, ...request });
}

const idsOf = (records: readonly TaskRecord[]): readonly string[] => records.map(({ id }) => id);

/** Creates a suspect that `node-b` runs. */
async function observed(store: Store, clock: FakeClock): Promise<{ readonly lease: { node: string; fence: number } }> {
  await running(store, 'node-a', ['one']);
  clock.advance(TTL);
  const [record] = await claim(store, 'node-b');
  equal(record?.suspectMs, 30_000);
  return { lease: { node: 'node-b', fence: record?.fence ?? 0 } };
}

/** Tasks that were running on a node when it died. */
export const suspects: Behaviours = {
  'all tasks of a node that died are suspects, and their attempts count': async ({ store, clock }) => {
    await running(store, 'node-a', ['one', 'two']);
    clock.advance(TTL);

    const claimed = await claim(store, 'node-b');

    deepEqual(idsOf(claimed), ['one', 'two']);
    for (const { id, suspectMs, attempts, fence, node } of claimed) {
      deepEqual([suspectMs, attempts, fence, node], [30_000, 2, 2, 'node-b']);
      equal((await recordOf(store, id)).suspectMs, 30_000);
    }
  },

  'a suspect is observed for twice as long as the longest run of its node, from 1 s to 30 s': async ({
    store,
    clock,
  }) => {
    await store.heartbeat('node-a', TTL);
    await create(store, newTask('long', { node: 'node-a', wakeAt: START }));
    clock.advance(4000);
    await create(store, newTask('short', { node: 'node-a', wakeAt: START + 4000 }));
    await store.retire('node-a');
    deepEqual(
      (await claim(store, 'node-b')).map(({ suspectMs }) => suspectMs),
      [8000, 8000],
    );

    await running(store, 'node-c', ['new'], { wakeAt: START + 4000 });
    await store.retire('node-c');
    equal((await claim(store, 'node-b'))[0]?.suspectMs, 1000);
  },

  'a task that no node was running is not a suspect': async ({ store, clock }) => {
    await create(store, newTask('new'));
    await running(store, 'node-a', ['paused']);
    await append(store, 'paused', { release: true }, { lease: { node: 'node-a', fence: 1 } });
    clock.advance(TTL);

    for (const record of await claim(store, 'node-b')) equal('suspectMs' in record, false);
  },

  'tasks of a node that died are due whatever their wake-up': async ({ store }) => {
    await running(store, 'node-a', ['one'], { wakeAt: START + TTL });
    await store.retire('node-a');

    const [record] = await claim(store, 'node-b');

    deepEqual([record?.id, record?.wakeAt, record?.suspectMs], ['one', START, 1000]);
  },

  'a claim returns at most as many suspects as it requests, those with the fewest attempts first': async ({
    store,
    clock,
  }) => {
    await running(store, 'node-a', ['one', 'two', 'three']);
    await create(store, newTask('normal'));
    clock.advance(TTL);
    await claim(store, 'node-b', { taskId: 'one', limit: 1 });
    await append(store, 'one', { revoke: true });

    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 0 })), ['normal']);
    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 0 })), []);
    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 1 })), ['two']);
    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 1 })), ['three']);
    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 1 })), ['one']);
  },

  'suspects count against the limit and the shares of a claim': async ({ store, clock }) => {
    await running(store, 'node-a', ['one', 'two'], { owner: 'bob' });
    for (const i of times(3)) await create(store, newTask(`normal-${i}`));
    clock.advance(TTL);
    const shares = { running: new Map([['bob', 1]]), openSlots: 0 };

    deepEqual(idsOf(await claim(store, 'node-b', { shares, limit: 2 })), ['normal-0']);
    deepEqual(idsOf(await claim(store, 'node-b', { limit: 2 })), ['one', 'two']);
    deepEqual(idsOf(await claim(store, 'node-b', { limit: 2 })), ['normal-1', 'normal-2']);
  },

  'a suspect is cleared by a journal entry of its run': async ({ store, clock }) => {
    const { lease } = await observed(store, clock);
    await append(store, 'one', { events: [event('said')] }, { lease });
    await append(store, 'one', { journal: [entry('of its caller')] });
    equal((await recordOf(store, 'one')).suspectMs, 30_000);

    const { record } = await append(store, 'one', { journal: [entry('step')] }, { lease });

    equal('suspectMs' in record, false);
    deepEqual(await recordOf(store, 'one'), record);
  },

  'a suspect is cleared by a pause': async ({ store, clock }) => {
    const { lease } = await observed(store, clock);

    const { record } = await append(store, 'one', { release: true, wakeAt: null }, { lease });

    equal('suspectMs' in record, false);
    deepEqual(await recordOf(store, 'one'), record);
  },

  'a suspect is cleared by its end': async ({ store, clock }) => {
    const { lease } = await observed(store, clock);

    const { record } = await append(store, 'one', end(), { lease });

    equal('suspectMs' in record, false);
  },

  'a suspect is cleared by a write that requests it, and keeps its attempts': async ({ store, clock }) => {
    const { lease } = await observed(store, clock);

    const { record } = await append(store, 'one', { cleared: true }, { lease });

    deepEqual(['suspectMs' in record, record.attempts, record.node], [false, 2, 'node-b']);
    deepEqual(await recordOf(store, 'one'), record);
  },

  'a suspect whose lease is revoked stays a suspect': async ({ store, clock }) => {
    await observed(store, clock);
    await append(store, 'one', { revoke: true, uncounted: true });

    deepEqual(idsOf(await claim(store, 'node-b', { suspects: 0 })), []);
    const [record] = await claim(store, 'node-b', { suspects: 1 });
    deepEqual([record?.attempts, record?.suspectMs], [2, 30_000]);
  },

  'a crash while a suspect runs counts for the suspect only': async ({ store, clock }) => {
    await observed(store, clock);
    await running(store, 'node-b', ['beside']);
    clock.advance(TTL);

    const claimed = await claim(store, 'node-c');

    deepEqual(
      claimed.map(({ id, attempts, suspectMs }) => [id, attempts, suspectMs]),
      [
        ['one', 3, 30_000],
        ['beside', 1, 30_000],
      ],
    );
  },

  'a crash after a journal entry resets the attempts and is counted as a crash': async ({ store, clock }) => {
    await running(store, 'node-a', ['one']);
    for (const crash of [1, 2, 3]) {
      const { node = '', fence } = await recordOf(store, 'one');
      await append(store, 'one', { journal: [entry(`step ${crash}`)] }, { lease: { node, fence } });
      clock.advance(TTL);
      const [record] = await claim(store, `node-${crash}`);
      deepEqual([record?.attempts, record?.crashes, record?.lastJournal], [1, crash, crash]);
    }
    clock.advance(TTL);

    const [idle] = await claim(store, 'node-z');

    deepEqual([idle?.attempts, idle?.crashes], [2, 3]);
    deepEqual(await recordOf(store, 'one'), idle);
  },

  'a node that comes back after a claim has lost its tasks': async ({ store, clock }) => {
    await running(store, 'node-a', ['one', 'two']);
    clock.advance(TTL);
    deepEqual(idsOf(await claim(store, 'node-b', { limit: 1 })), ['one']);

    await store.heartbeat('node-a', TTL);
    const { kind } = await store.append({ taskId: 'two', guard: { lease: { node: 'node-a', fence: 1 } } });

    equal(kind, 'rejected');
    deepEqual(idsOf(await claim(store, 'node-b')), ['two']);
  },
};
