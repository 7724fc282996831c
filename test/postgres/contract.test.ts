/** The store contract, on PostgreSQL. */
import { afterAll, test } from 'vitest';

import { storeContract } from '../../src/testing/store-contract.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());

storeContract({
  test,
  open: async ({ clock }) => {
    await schema.empty();
    return schema.open({ clock });
  },
  reopen: (_closed, { clock }) => schema.open({ clock }),
});
