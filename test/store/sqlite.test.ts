/** The store contract, on SQLite. */
import { afterAll, test } from 'vitest';

import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Store } from '../../src/store/store.ts';
import type { OpenContext } from '../../src/testing/store-contract.ts';
import { storeContract } from '../../src/testing/store-contract.ts';
import { scratchFolder } from './sqlite-driver.ts';

const scratch = scratchFolder();
const paths = new WeakMap<Store, string>();

afterAll(() => scratch.remove());

function open(path: string, { clock }: OpenContext): Store {
  const store = sqlite(path, { clock });
  paths.set(store, path);
  return store;
}

storeContract({
  test,
  open: (context) => open(scratch.file(), context),
  reopen: (closed, context) => open(paths.get(closed) ?? '', context),
});
