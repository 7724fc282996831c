import { deepEqual, equal } from 'node:assert/strict';

import type { Scope } from '../../store/store.ts';
import type { Behaviours } from './subject.ts';
import { ALICE, key, newTask } from './samples.ts';

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

  'scopes whose joined names are equal are kept distinct': async (t) => {
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
      await t.create(`task-${i}`, { ...scope, alias: 'x', idempotency: key('k') });
    }

    for (const [i, scope] of alike.entries()) {
      deepEqual(await t.listed({}, scope), { ids: [`task-${i}`], total: 1 });
      equal(await t.store.resolveAlias(scope, 'x'), `task-${i}`);
      const again = newTask('again', { ...scope, idempotency: key('k') });
      deepEqual(await t.store.create(again), { kind: 'repeated', taskId: `task-${i}` });
    }
  },
};

function isUnknownTo(scope: Scope): Behaviours[string] {
  return async (t) => {
    await t.create('one', { alias: 'homework' });
    await t.create('theirs', { ...scope });

    equal(await t.store.read(scope, 'one'), undefined);
    equal(await t.store.read(scope, 'one', { history: 5, artifacts: true }), undefined);
    equal(await t.store.resolveAlias(scope, 'homework'), undefined);
    deepEqual(await t.listed({}, scope), { ids: ['theirs'], total: 1 });
    deepEqual(await t.listed({ contextId: 'context of one' }, scope), { ids: [], total: 0 });
    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
  };
}

function isApartFrom(scope: Scope): Behaviours[string] {
  return async (t) => {
    await t.create('one', { alias: 'homework', idempotency: key('k') });
    await t.create('theirs', { ...scope, alias: 'homework', idempotency: key('k', 'digest-2') });

    equal(await t.store.resolveAlias(scope, 'homework'), 'theirs');
    equal(await t.store.resolveAlias(ALICE, 'homework'), 'one');
    // The key of a write belongs to the owner of its task.
    await t.create('two');
    const write = { guard: {}, idempotency: key('k', 'digest-2') };
    deepEqual(await t.store.append({ taskId: 'theirs', ...write }), { kind: 'repeated', taskId: 'theirs' });
    deepEqual(await t.store.append({ taskId: 'two', ...write }), { kind: 'key-reused' });
  };
}
