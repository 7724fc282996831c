import { deepEqual, equal } from 'node:assert/strict';

import type { NewTask } from '../../../store/store.ts';
import type { Behaviours, Subject } from '../subject.ts';
import { end, entry, event, pluck, START, times, TTL } from '../samples.ts';

/** Creates tasks that a node runs. */
async function running(t: Subject, node: string, ids: readonly string[], more: Partial<NewTask> = {}): Promise<void> {
  await t.store.heartbeat(node, TTL);
  for (const id of ids) await t.create(id, { node, ...more });
}

/** Creates a suspect that `node-b` runs. */
async function observed(t: Subject): Promise<{ readonly lease: { node: string; fence: number } }> {
  await running(t, 'node-a', ['one']);
  t.clock.advance(TTL);
  const [record] = await t.claim('node-b');
  equal(record?.suspectMs, 30_000);
  return { lease: { node: 'node-b', fence: record?.fence ?? 0 } };
}

/** Tasks that were running on a node when it died. */
export const suspects: Behaviours = {
  'all tasks of a node that died are suspects, and their attempts count': async (t) => {
    await running(t, 'node-a', ['one', 'two']);
    t.clock.advance(TTL);

    const claimed = await t.claim('node-b');

    deepEqual(pluck(claimed, 'id'), ['one', 'two']);
    for (const { id, suspectMs, attempts, fence, node } of claimed) {
      deepEqual([suspectMs, attempts, fence, node], [30_000, 2, 2, 'node-b']);
      equal((await t.recordOf(id)).suspectMs, 30_000);
    }
  },

  'a suspect is observed for twice as long as the longest run of its node, from 1 s to 30 s': async (t) => {
    await t.store.heartbeat('node-a', TTL);
    await t.create('long', { node: 'node-a', wakeAt: START });
    t.clock.advance(4000);
    await t.create('short', { node: 'node-a', wakeAt: START + 4000 });
    await t.store.retire('node-a');
    deepEqual(pluck(await t.claim('node-b'), 'suspectMs'), [8000, 8000]);

    await running(t, 'node-c', ['new'], { wakeAt: START + 4000 });
    await t.store.retire('node-c');
    equal((await t.claim('node-b'))[0]?.suspectMs, 1000);
  },

  'a task that no node was running is not a suspect': async (t) => {
    await t.create('new');
    await running(t, 'node-a', ['paused']);
    await t.append('paused', { release: true }, { lease: { node: 'node-a', fence: 1 } });
    t.clock.advance(TTL);

    for (const record of await t.claim('node-b')) equal('suspectMs' in record, false);
  },

  'tasks of a node that died are due whatever their wake-up': async (t) => {
    await running(t, 'node-a', ['one'], { wakeAt: START + TTL });
    await t.store.retire('node-a');

    const [record] = await t.claim('node-b');

    deepEqual([record?.id, record?.wakeAt, record?.suspectMs], ['one', START, 1000]);
  },

  'a claim returns at most as many suspects as it requests, those with the fewest attempts first': async (t) => {
    await running(t, 'node-a', ['one', 'two', 'three']);
    await t.create('normal');
    t.clock.advance(TTL);
    await t.claim('node-b', { taskId: 'one', limit: 1 });
    await t.append('one', { revoke: true });

    deepEqual(await t.claimIds('node-b', { suspects: 0 }), ['normal']);
    deepEqual(await t.claimIds('node-b', { suspects: 0 }), []);
    deepEqual(await t.claimIds('node-b', { suspects: 1 }), ['two']);
    deepEqual(await t.claimIds('node-b', { suspects: 1 }), ['three']);
    deepEqual(await t.claimIds('node-b', { suspects: 1 }), ['one']);
  },

  'suspects count against the limit and the shares of a claim': async (t) => {
    await running(t, 'node-a', ['one', 'two'], { owner: 'bob' });
    for (const i of times(3)) await t.create(`normal-${i}`);
    t.clock.advance(TTL);
    const shares = { running: new Map([['bob', 1]]), openSlots: 0 };

    deepEqual(await t.claimIds('node-b', { shares, limit: 2 }), ['normal-0']);
    deepEqual(await t.claimIds('node-b', { limit: 2 }), ['one', 'two']);
    deepEqual(await t.claimIds('node-b', { limit: 2 }), ['normal-1', 'normal-2']);
  },

  'a suspect is cleared by a journal entry of its run': async (t) => {
    const { lease } = await observed(t);
    await t.append('one', { events: [event('said')] }, { lease });
    await t.append('one', { journal: [entry('of its caller')] });
    equal((await t.recordOf('one')).suspectMs, 30_000);

    const { record } = await t.append('one', { journal: [entry('step')] }, { lease });

    equal('suspectMs' in record, false);
    deepEqual(await t.recordOf('one'), record);
  },

  'a suspect is cleared by a pause': async (t) => {
    const { lease } = await observed(t);

    const { record } = await t.append('one', { release: true, wakeAt: null }, { lease });

    equal('suspectMs' in record, false);
    deepEqual(await t.recordOf('one'), record);
  },

  'a suspect is cleared by its end': async (t) => {
    const { lease } = await observed(t);

    const { record } = await t.append('one', end(), { lease });

    equal('suspectMs' in record, false);
  },

  'a suspect is cleared by a write that requests it, and keeps its attempts': async (t) => {
    const { lease } = await observed(t);

    const { record } = await t.append('one', { cleared: true }, { lease });

    deepEqual(['suspectMs' in record, record.attempts, record.node], [false, 2, 'node-b']);
    deepEqual(await t.recordOf('one'), record);
  },

  'a suspect whose lease is revoked stays a suspect': async (t) => {
    await observed(t);
    await t.append('one', { revoke: true, uncounted: true });

    deepEqual(await t.claimIds('node-b', { suspects: 0 }), []);
    const [record] = await t.claim('node-b', { suspects: 1 });
    deepEqual([record?.attempts, record?.suspectMs], [2, 30_000]);
  },

  'a crash while a suspect runs counts for the suspect only': async (t) => {
    await observed(t);
    await running(t, 'node-b', ['beside']);
    t.clock.advance(TTL);

    const claimed = await t.claim('node-c');

    deepEqual(
      claimed.map(({ id, attempts, suspectMs }) => [id, attempts, suspectMs]),
      [
        ['one', 3, 30_000],
        ['beside', 1, 30_000],
      ],
    );
  },

  'a crash after a journal entry resets the attempts and is counted as a crash': async (t) => {
    await running(t, 'node-a', ['one']);
    for (const crash of [1, 2, 3]) {
      const { node = '', fence } = await t.recordOf('one');
      await t.append('one', { journal: [entry(`step ${crash}`)] }, { lease: { node, fence } });
      t.clock.advance(TTL);
      const [record] = await t.claim(`node-${crash}`);
      deepEqual([record?.attempts, record?.crashes, record?.lastJournal], [1, crash, crash]);
    }
    t.clock.advance(TTL);

    const [idle] = await t.claim('node-z');

    deepEqual([idle?.attempts, idle?.crashes], [2, 3]);
    deepEqual(await t.recordOf('one'), idle);
  },

  'a node that comes back after a claim has lost its tasks': async (t) => {
    await running(t, 'node-a', ['one', 'two']);
    t.clock.advance(TTL);
    deepEqual(await t.claimIds('node-b', { limit: 1 }), ['one']);

    await t.store.heartbeat('node-a', TTL);
    const { kind } = await t.store.append({ taskId: 'two', guard: { lease: { node: 'node-a', fence: 1 } } });

    equal(kind, 'rejected');
    deepEqual(await t.claimIds('node-b'), ['two']);
  },
};
