import { deepEqual, equal } from 'node:assert/strict';

import { A2AError } from '../../errors.ts';
import type { NewTask } from '../../store/store.ts';
import { newCall } from './calls/samples.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, entry, event, key, newTask, pushConfig } from './samples.ts';

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
  'a lookup with an odd name does not find a name that is its prefix': async (t) => {
    await t.create('one', { contextId: 'c', alias: 'a', idempotency: key('k') });
    await t.append('one', { journal: [entry('e')], calls: [newCall('c')] });
    await t.putPush('one', pushConfig('p'));

    for (const end of ODD_ENDS) {
      const scopes = [
        { ...ALICE, owner: `${ALICE.owner}${end}` },
        { ...ALICE, tenant: `${ALICE.tenant}${end}` },
      ];
      for (const scope of scopes) {
        equal(await t.store.read(scope, 'one'), undefined);
        equal(await t.store.resolveAlias(scope, 'a'), undefined);
        deepEqual(await t.listed({}, scope), { ids: [], total: 0 });
      }
      const id = `one${end}`;
      equal(await t.store.read(ALICE, id), undefined);
      deepEqual([await t.store.events(id, 0, 10), await t.store.journal(id)], [[], []]);
      deepEqual(await t.store.append({ taskId: id, guard: {}, events: [event('late')] }), { kind: 'rejected' });
      deepEqual(await t.store.listCalls({ id: `c${end}`, limit: 10 }), []);
      deepEqual(await t.store.listCalls({ taskId: id, limit: 10 }), []);
      equal(await t.store.countCalls({ ...ALICE, owner: `${ALICE.owner}${end}` }), 0);
      const ofCall = await t.store.append({ taskId: 'one', guard: { call: `c${end}` }, events: [event('late')] });
      equal(ofCall.kind, 'rejected');
      equal((await t.append('one', { endsCall: `c${end}` })).record.openCalls, 1);
      equal(await t.store.resolveAlias(ALICE, `a${end}`), undefined);
      deepEqual(await t.listed({ contextId: `c${end}` }), { ids: [], total: 0 });
      deepEqual(await t.store.pushConfigs(ALICE, 'one', { id: `p${end}`, limit: 10 }), []);
      equal(await t.store.deletePushConfig(ALICE, 'one', `p${end}`), false);
    }
    equal((await t.store.pushConfigs(ALICE, 'one', { limit: 10 }))?.length, 1);
  },

  ...Object.fromEntries(
    Object.entries(NAMINGS).map(([what, naming]): [string, Behaviours[string]] => [
      `odd names are rejected or kept distinct: ${what}`,
      async (t) => {
        await t.create('plain', naming(''));
        for (const [i, end] of ODD_ENDS.entries()) await isRefusedOrApart(t, newTask(`odd-${i}`, naming(end)));
        deepEqual((await t.recordOf('plain')).id, 'plain');
      },
    ]),
  ),
};

async function isRefusedOrApart(t: Subject, task: NewTask): Promise<void> {
  const made = await t.store.create(task).catch((error: unknown) => {
    if (A2AError.is(error, 'INVALID_PARAMS')) return undefined;
    throw error;
  });
  if (made === undefined) {
    equal(await t.store.read(task, task.id), undefined);
    return;
  }
  equal(made.kind, 'created');
  const { tenant, owner, contextId } = await t.recordOf(task.id, task);
  deepEqual({ tenant, owner, contextId }, { tenant: task.tenant, owner: task.owner, contextId: task.contextId });
}
