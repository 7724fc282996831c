import { deepEqual, equal } from 'node:assert/strict';

import type { Scope } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { ALICE, create, key, listed, newTask } from './samples.ts';

/** Callers other than Alice of acme. A store that joins tenant and owner would confuse the last ones with her. */
const STRANGERS: readonly (readonly [string, Scope])[] = [
  ['another owner', { tenant: 'acme', owner: 'bob' }],
  ['the same owner in another tenant', { tenant: 'globex', owner: 'alice' }],
  ['the same owner without a tenant', { tenant: '', owner: 'alice' }],
  ['a caller without an owner', { tenant: 'acme', owner: '' }],
  ['an owner whose name differs by case', { tenant: 'acme', owner: 'Alice' }],
  ['an owner whose name begins the same', { tenant: 'acme', owner: 'alice ' }],
  ['an owner whose name holds part of the tenant', { tenant: 'acm', owner: 'ealice' }],
  ['an owner and a tenant with swapped names', { tenant: 'alice', owner: 'acme' }],
];

export const scopes: Behaviours = {
  ...Object.fromEntries(STRANGERS.map(([who, scope]) => [`a task is unknown to ${who}`, isUnknownTo(scope)])),
  ...Object.fromEntries(
    STRANGERS.map(([who, scope]) => [`aliases and keys are kept separate for ${who}`, isApartFrom(scope)]),
  ),

  'scopes whose joined names are equal are kept distinct': async ({ store }) => {
    const alike: readonly Scope[] = [
      { tenant: 'a', owner: 'b:c' },
      { tenant: 'a:b', owner: 'c' },
      { tenant: 'a', owner: 'b/c' },
      { tenant: 'a/b', owner: 'c' },
      { tenant: 'a","b', owner: 'c' },
      { tenant: 'a', owner: 'b","c' },
      { tenant: '', owner: 'abc' },
      { tenant: 'abc', owner: '' },
    ];
    for (const [i, scope] of alike.entries()) {
      await create(store, newTask(`task-${i}`, { ...scope, alias: 'x', idempotency: key('k') }));
    }

    for (const [i, scope] of alike.entries()) {
      deepEqual(await listed(store, {}, scope), { ids: [`task-${i}`], total: 1 });
      equal(await store.resolveAlias(scope, 'x'), `task-${i}`);
      const again = newTask('again', { ...scope, idempotency: key('k') });
      deepEqual(await store.create(again), { kind: 'repeated', taskId: `task-${i}` });
    }
  },
};

function isUnknownTo(scope: Scope): Behaviours[string] {
  return async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework' }));
    await create(store, newTask('theirs', { ...scope }));

    equal(await store.read(scope, 'one'), undefined);
    equal(await store.read(scope, 'one', { history: 5, artifacts: true }), undefined);
    equal(await store.resolveAlias(scope, 'homework'), undefined);
    deepEqual(await listed(store, {}, scope), { ids: ['theirs'], total: 1 });
    deepEqual(await listed(store, { contextId: 'context of one' }, scope), { ids: [], total: 0 });
    deepEqual(await listed(store), { ids: ['one'], total: 1 });
  };
}

function isApartFrom(scope: Scope): Behaviours[string] {
  return async ({ store }) => {
    await create(store, newTask('one', { alias: 'homework', idempotency: key('k') }));
    await create(store, newTask('theirs', { ...scope, alias: 'homework', idempotency: key('k', 'digest-2') }));

    equal(await store.resolveAlias(scope, 'homework'), 'theirs');
    equal(await store.resolveAlias(ALICE, 'homework'), 'one');
    // The key of a write belongs to the owner of its task.
    await create(store, newTask('two'));
    const write = { guard: {}, idempotency: key('k', 'digest-2') };
    deepEqual(await store.append({ taskId: 'theirs', ...write }), { kind: 'repeated', taskId: 'theirs' });
    deepEqual(await store.append({ taskId: 'two', ...write }), { kind: 'key-reused' });
  };
}
