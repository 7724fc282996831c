import { expect, test } from 'vitest';
import { Creation } from './creation.ts';

const FAILURE = 'The task could not be stored';

test('there is nothing to wait for once it is stored', async () => {
  const creation = new Creation(false);
  const { stored } = creation;
  creation.succeed();
  expect(await stored).toBeUndefined();
  expect(creation.stored).toBeUndefined();
  expect(new Creation(true).stored).toBeUndefined();
});

test('a failure rejects waiters, later ones too', async () => {
  const creation = new Creation(false);
  const { stored } = creation;
  creation.fail();
  await expect(stored).rejects.toThrow(FAILURE);
  await expect(creation.stored).rejects.toThrow(FAILURE);
  const unasked = new Creation(false);
  unasked.fail();
  await expect(unasked.stored).rejects.toThrow(FAILURE);
});
