import { deepEqual, equal } from 'node:assert/strict';

import type { PushConfigRecord } from '../../../store/store.ts';
import type { Behaviours, Subject } from '../subject.ts';
import { ALICE, pushConfig, START, times } from '../samples.ts';

export const pushConfigs: Behaviours = {
  'a task has no push configurations at first': async (t) => {
    await t.create('one');

    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), []);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10, id: 'a' }), []);
    equal(await t.store.deletePushConfig(ALICE, 'one', 'a'), false);
  },

  'a push configuration is read with equal values, including its secrets': async (t) => {
    const record: PushConfigRecord = {
      id: 'Grüße, 👩‍👩‍👧 "quoted" % _ \\ \n',
      config: {
        tenant: 'acme',
        id: 'a',
        taskId: 'one',
        url: 'https://example.com/hook?a=b&c=%20#d',
        token: 'tökén \u0000 \u2028',
        authentication: { scheme: 'Bearer', credentials: 's3cret "' },
      },
      dialect: '0.3 ü',
      createdAt: START + 7,
    };
    await t.create('one');

    deepEqual(await t.putPush('one', record), { kind: 'stored', record });

    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [record]);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 1, id: record.id }), [record]);
  },

  'changing a push configuration object that was stored or read does not change the store': async (t) => {
    const authentication = { scheme: 'Bearer', credentials: 'secret' };
    const given = (id: string): PushConfigRecord =>
      pushConfig(id, { config: { url: 'https://example.com/', authentication: { ...authentication } } });
    const [first, second] = [given('a'), given('b')];
    await t.create('one', { pushConfig: first });
    const done = await t.putPush('one', second);

    const got = await t.store.pushConfigs(ALICE, 'one', { limit: 10 });
    const stored = done?.kind === 'stored' ? [done.record] : [];
    for (const { config } of [first, second, ...stored, ...(got ?? [])]) {
      Object.assign(config.authentication ?? {}, { credentials: '[masked]' });
    }

    equal(stored.length, 1);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [given('a'), given('b')]);
  },

  'push configurations are listed page by page, in the order in which they were stored': async (t) => {
    const ids = ['c', 'a', 'B', 'b', '10', '9', 'ä'];
    await t.create('one');
    // Not ordered by id, nor by time, because clocks are not monotonic.
    for (const [i, id] of ids.entries()) await t.putPush('one', pushConfig(id, { createdAt: START - i }));

    deepEqual(await t.pushIds('one'), ids);
    for (const limit of [1, 2, 3, 7, 8]) deepEqual(await pagesOf(t, 'one', limit), ids);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 0 }), []);
    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10, after: 'ä' }), []);
    equal((await t.store.pushConfigs(ALICE, 'one', { limit: Infinity }))?.length, ids.length);
  },

  'a page after a deleted push configuration starts from the beginning, so that none is omitted': async (t) => {
    await t.create('one');
    for (const id of ['a', 'b', 'c']) await t.putPush('one', pushConfig(id));
    await t.store.deletePushConfig(ALICE, 'one', 'b');

    deepEqual(await t.pushIds('one', { after: 'b' }), ['a', 'c']);
    deepEqual(await t.pushIds('one', { after: 'a' }), ['c']);
  },

  'a push configuration with the same id is replaced and keeps its position and time': async (t) => {
    await t.create('one');
    for (const id of ['a', 'b', 'c']) await t.putPush('one', pushConfig(id));
    const changed = pushConfig('b', { config: { url: 'https://example.org/' }, dialect: '0.3', createdAt: START + 9 });
    const record = { ...changed, createdAt: START };

    deepEqual(await t.putPush('one', changed), { kind: 'stored', record });

    deepEqual(await t.store.pushConfigs(ALICE, 'one', { limit: 10 }), [pushConfig('a'), record, pushConfig('c')]);
  },

  'a deleted push configuration is gone, and is last when it is stored again': async (t) => {
    await t.create('one');
    for (const id of ['a', 'b', 'c']) await t.putPush('one', pushConfig(id));

    equal(await t.store.deletePushConfig(ALICE, 'one', 'a'), true);
    equal(await t.store.deletePushConfig(ALICE, 'one', 'a'), false);
    deepEqual(await t.pushIds('one'), ['b', 'c']);

    await t.putPush('one', pushConfig('a', { createdAt: START + 5 }));
    deepEqual(await t.pushIds('one'), ['b', 'c', 'a']);
    equal((await t.store.pushConfigs(ALICE, 'one', { limit: 1, id: 'a' }))?.[0]?.createdAt, START + 5);
  },

  'push configurations of two tasks can have the same id': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.create('two');
    await t.putPush('two', pushConfig('a', { dialect: '0.3' }));
    await t.store.deletePushConfig(ALICE, 'one', 'a');

    deepEqual(await t.pushIds('one'), []);
    deepEqual(await t.store.pushConfigs(ALICE, 'two', { limit: 10 }), [pushConfig('a', { dialect: '0.3' })]);
  },

  'a task accepts push configurations up to the limit': async (t) => {
    await t.create('one', { pushConfig: pushConfig('a') });
    await t.putPush('one', pushConfig('b'), 2);

    deepEqual(await t.putPush('one', pushConfig('c'), 2), { kind: 'full' });
    deepEqual(await t.pushIds('one'), ['a', 'b']);
    // An existing configuration can be replaced even if there are more than the limit.
    equal((await t.putPush('one', pushConfig('b', { dialect: '0.3' }), 1))?.kind, 'stored');
    await t.store.deletePushConfig(ALICE, 'one', 'a');
    equal((await t.putPush('one', pushConfig('c'), 2))?.kind, 'stored');
    deepEqual(await t.pushIds('one'), ['b', 'c']);
    // The limit applies to each task.
    await t.create('two');
    equal((await t.putPush('two', pushConfig('c'), 1))?.kind, 'stored');
  },

  'concurrent writes do not exceed the limit of push configurations': async (t) => {
    await t.create('one');

    const results = await Promise.all(times(20).map((i) => t.putPush('one', pushConfig(`${i}`), 5)));

    equal(results.filter((result) => result?.kind === 'stored').length, 5);
    equal(results.filter((result) => result?.kind === 'full').length, 15);
    equal((await t.pushIds('one'))?.length, 5);
  },

  'a push configuration stored many times concurrently is listed once': async (t) => {
    await t.create('one');

    const results = await Promise.all(times(10).map(() => t.putPush('one', pushConfig('a'), 1)));

    deepEqual(new Set(results.map((result) => result?.kind)), new Set(['stored']));
    deepEqual(await t.pushIds('one'), ['a']);
  },
};

/** The ids on all pages of a size, read page by page. */
async function pagesOf(t: Subject, taskId: string, limit: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (;;) {
    const after = ids.at(-1);
    const page = await t.store.pushConfigs(ALICE, taskId, after === undefined ? { limit } : { limit, after });
    if (page === undefined || page.length === 0 || ids.length > 100) return ids;
    equal(page.length <= limit, true);
    ids.push(...page.map(({ id }) => id));
  }
}
