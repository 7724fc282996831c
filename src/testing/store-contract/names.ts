import { deepEqual, equal } from 'node:assert/strict';

import { A2AError } from '../../errors.ts';
import type { NewTask, Store } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { newCall } from './calls/samples.ts';
import { ALICE, append, create, entry, event, key, listed, newTask, pushConfig, putPush, recordOf } from './samples.ts';

/** Characters at which a database may truncate a text, or which it may treat as equal. */
const ODD_ENDS: readonly string[] = ['\0', '\0b', '\ud83d', '\udd11', '\ud83e'];

/** The fields of a task that may contain an odd name. */
const NAMINGS: Readonly<Record<string, (end: string) => Partial<NewTask>>> = {
  tenant: (end) => ({ tenant: `${ALICE.tenant}${end}` }),
  owner: (end) => ({ owner: `${ALICE.owner}${end}` }),
  context: (end) => ({ contextId: `c${end}` }),
  alias: (end) => ({ alias: `a${end}` }),
  key: (end) => ({ idempotency: key(`k${end}`) }),
};

export const names: Behaviours = {
  'a lookup with an odd name does not find a name that is its prefix': async ({ store }) => {
    await create(store, newTask('one', { contextId: 'c', alias: 'a', idempotency: key('k') }));
    await append(store, 'one', { journal: [entry('e')], calls: [newCall('c')] });
    await putPush(store, 'one', pushConfig('p'));

    for (const end of ODD_ENDS) {
      const scopes = [
        { ...ALICE, owner: `${ALICE.owner}${end}` },
        { ...ALICE, tenant: `${ALICE.tenant}${end}` },
      ];
      for (const scope of scopes) {
        equal(await store.read(scope, 'one'), undefined);
        equal(await store.resolveAlias(scope, 'a'), undefined);
        deepEqual(await listed(store, {}, scope), { ids: [], total: 0 });
      }
      const id = `one${end}`;
      equal(await store.read(ALICE, id), undefined);
      deepEqual([await store.events(id, 0, 10), await store.journal(id)], [[], []]);
      deepEqual(await store.append({ taskId: id, guard: {}, events: [event('late')] }), { kind: 'rejected' });
      deepEqual(await store.listCalls({ id: `c${end}`, limit: 10 }), []);
      deepEqual(await store.listCalls({ taskId: id, limit: 10 }), []);
      equal(await store.countCalls({ ...ALICE, owner: `${ALICE.owner}${end}` }), 0);
      const ofCall = await store.append({ taskId: 'one', guard: { call: `c${end}` }, events: [event('late')] });
      equal(ofCall.kind, 'rejected');
      equal((await append(store, 'one', { endsCall: `c${end}` })).record.openCalls, 1);
      equal(await store.resolveAlias(ALICE, `a${end}`), undefined);
      deepEqual(await listed(store, { contextId: `c${end}` }), { ids: [], total: 0 });
      deepEqual(await store.pushConfigs(ALICE, 'one', { id: `p${end}`, limit: 10 }), []);
      equal(await store.deletePushConfig(ALICE, 'one', `p${end}`), false);
    }
    equal((await store.pushConfigs(ALICE, 'one', { limit: 10 }))?.length, 1);
  },

  ...Object.fromEntries(
    Object.entries(NAMINGS).map(([what, naming]): [string, Behaviours[string]] => [
      `odd names are rejected or kept distinct: ${what}`,
      async ({ store }) => {
        await create(store, newTask('plain', naming('')));
        for (const [i, end] of ODD_ENDS.entries()) await isRefusedOrApart(store, newTask(`odd-${i}`, naming(end)));
        deepEqual((await recordOf(store, 'plain')).id, 'plain');
      },
    ]),
  ),
};

async function isRefusedOrApart(store: Store, task: NewTask): Promise<void> {
  const made = await store.create(task).catch((error: unknown) => {
    if (A2AError.is(error, 'INVALID_PARAMS')) return undefined;
    throw error;
  });
  if (made === undefined) {
    equal(await store.read(task, task.id), undefined);
    return;
  }
  equal(made.kind, 'created');
  const { tenant, owner, contextId } = await recordOf(store, task.id, task);
  deepEqual({ tenant, owner, contextId }, { tenant: task.tenant, owner: task.owner, contextId: task.contextId });
}
