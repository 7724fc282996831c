/** The contract of all stores, on a store that is written with `tandem-a2a/store` alone. */
import { afterAll, expect, test } from 'vitest';

import { withNameChecks } from '../../src/store/index.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { newTask } from '../../src/testing/store-contract/samples.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { JsonStore } from './json-store.ts';
import { scratchFolder } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

storeContract({
  test,
  open: ({ clock }) => new JsonStore(scratch.file(), clock),
  reopen: (closed, { clock }) => new JsonStore((closed as JsonStore).path, clock),
});

const ODD = ['a\0b', '\ud83d'];

test.each(ODD)('a store with name checks rejects writes with the name %j and finds nothing by it', async (odd) => {
  const store = withNameChecks(new JsonStore(scratch.file(), fakeClock(0)));
  const invalid = { code: 'INVALID_PARAMS', message: 'Names must not contain NUL or unpaired surrogates' };
  for (const field of ['id', 'tenant', 'owner', 'contextId', 'agent', 'fairnessKey', 'node', 'alias'])
    await expect(store.create(newTask('one', { [field]: odd }))).rejects.toMatchObject(invalid);
  const idempotency = { key: odd, digest: 'd', keepUntil: 0 };
  await expect(store.create(newTask('one', { idempotency }))).rejects.toMatchObject(invalid);
  await expect(store.append({ taskId: 'one', guard: {}, idempotency })).rejects.toMatchObject(invalid);
  await expect(store.heartbeat(odd, 1)).rejects.toMatchObject(invalid);
  await expect(store.claim({ node: odd, agents: [], limit: 1 })).rejects.toMatchObject(invalid);

  const lease = { node: 'n', fence: 1 };
  const { message } = newTask('one');
  const scope = { tenant: odd, owner: 'alice' };
  expect(await store.append({ taskId: odd, guard: {} })).toEqual({ kind: 'rejected' });
  expect(await store.dropForReply(odd, lease, message)).toBe(false);
  expect(await store.read(scope, 'one')).toBeUndefined();
  expect(await store.list(scope, { limit: 1 })).toEqual({ tasks: [], total: 0 });
  expect(await store.purge(scope, 1)).toEqual({ found: 0, removed: 0 });
  expect(await store.unfinished(scope, 1)).toEqual({ taskIds: [], total: 0 });
  expect(await store.claim({ node: 'n', agents: [], limit: 1, taskId: odd })).toEqual([]);
});
