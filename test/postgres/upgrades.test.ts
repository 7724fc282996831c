/** Tasks in PostgreSQL databases of earlier versions, after an upgrade. */
import { readFileSync } from 'node:fs';

import { afterAll, onTestFinished } from 'vitest';

import { describeUpgrades } from '../upgrades/behaviours.ts';
import { databasePath, SCHEMA, WEBHOOK_ORIGIN } from '../upgrades/database.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

afterAll(() => schema.drop());

let copies = 0;

describeUpgrades('postgres', async (version, clock, webhook) => {
  const name = `${schema.name}_${++copies}`;
  const dump = readFileSync(databasePath(version, 'postgres'), 'utf8');
  await schema.query(dump.replaceAll(SCHEMA, name).replaceAll(WEBHOOK_ORIGIN, webhook));
  const store = postgres(schema.pool, { schema: name, clock });
  onTestFinished(async () => {
    await store.close();
    await schema.query(`DROP SCHEMA "${name}" CASCADE`);
  });
  return store;
});
