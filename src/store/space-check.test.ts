import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.ts';
import { SpaceCheck } from './space-check.ts';

test('a store whose writes succeed is not probed', async () => {
  let probes = 0;
  const check = new SpaceCheck(async () => void probes++);
  await check.assertRoom();
  expect(probes).toBe(0);
});

test('a full store is probed once in a second until a probe succeeds', async () => {
  let now = 5000;
  let probes = 0;
  let isFull = true;
  const probe = async (): Promise<void> => {
    probes++;
    if (isFull) throw new Error(`Full ${probes}`);
  };
  const check = new SpaceCheck(probe, () => now);
  check.noteFull();
  await expect(check.assertRoom()).rejects.toThrow('Full 1');
  now += 999;
  await expect(check.assertRoom()).rejects.toThrow('Full 1');
  now += 1;
  await expect(check.assertRoom()).rejects.toThrow('Full 2');

  isFull = false;
  await expect(check.assertRoom()).rejects.toThrow('Full 2');
  now += 1000;
  await check.assertRoom();
  await check.assertRoom();
  expect(probes).toBe(3);
});

test('a store that is full again after a probe is probed at once', async () => {
  let probes = 0;
  const check = new SpaceCheck(async () => void probes++);
  check.noteFull();
  await check.assertRoom();
  check.noteFull();
  await check.assertRoom();
  expect(probes).toBe(2);
});

test('concurrent health checks share one probe, however long it takes', async () => {
  let now = 0;
  let probes = 0;
  const slow = deferred<void>();
  const probe = (): Promise<void> => {
    probes++;
    return slow.promise;
  };
  const check = new SpaceCheck(probe, () => now);
  check.noteFull();
  const first = check.assertRoom();
  now += 5000;
  const second = check.assertRoom();
  slow.resolve();
  await Promise.all([first, second]);
  expect(probes).toBe(1);
});
