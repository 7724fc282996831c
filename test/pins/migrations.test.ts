import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS as POSTGRES } from '../../src/store/postgres/migrate.ts';
import { MIGRATIONS as SQLITE } from '../../src/store/sqlite/migrate.ts';

/** The hashes of released migrations. Released files are never edited; a change needs another migration. */
const OF_SQLITE: Readonly<Record<string, string>> = {
  '0001_init.sql': '672ff6efaf8877f62681c86d87f05f9d061debaec2564bd222c980c207827c0a',
  '0002_push_config.sql': '38208850555088364d0324d0c2bb015c6d3053b6642d23ec8de030727bac590c',
  '0003_list_by_agent.sql': '1842f0bdf243cef7a67f3a4a355bb0160e2c84ffddff0b9d0e5736fd283ed45d',
  '0004_journal_in_order.sql': '093987b3ad63d6f4cb0f1c9289e7fe789e71b07f910cd7661fb8e10e3cc19f75',
  '0005_outbox.sql': 'a407f8bdffa9ea023adcab97f88eddb9c7671b8fc392ed51898575f731fa7758',
  '0006_fair_claims.sql': '2acd1e3a954ee7345b5e0c2367f5342bd42f632c72f03e370b6343c54c9e710e',
  '0007_history_bytes.sql': '5e81d4406d62c3faf839daf11f9c68547addec247d273a371e2eb871f4eeeb8b',
  '0008_suspects.sql': '8694f2f21454d7a363c0c41f90f7b035b7ae7138c451157b3eb2223cec767d8f',
};

const OF_POSTGRES: Readonly<Record<string, string>> = {
  '0001_init.sql': '15659a6cf7fa9fae1b45fbbd9797c930180f868fe6236fa08753446a0150c069',
  '0002_channel.sql': 'f938b587f3d6159ee8ec13ac6ec07b869a3009fe4d03a3a62ded71ecf79ceb9c',
  '0003_fair_claims.sql': '19386346cbad626a118ce2193cbe4fe6dc9affa91b3964ccb05853c0310c55ad',
  '0004_history_bytes.sql': 'f89d4b71b527c5d4e025c8300f8180594da0ee20110bc69156bc97c5d7faabb7',
  '0005_suspects.sql': '5752e19773ede35e45eb54976c1c4360bd9b4f72baba13993f90bf290091473b',
  '0006_outdated_error.sql': '727108c3ace272ecbefa3f80d72e1e9d1e782bb25296023faa8747a59083c07c',
};

test.each([
  { store: 'sqlite', released: OF_SQLITE, known: SQLITE },
  { store: 'postgres', released: OF_POSTGRES, known: POSTGRES },
])('the released migrations of $store do not change, and each is applied', ({ store, released, known }) => {
  const folder = new URL(`../../src/store/${store}/migrations/`, import.meta.url);
  const hashes = readdirSync(folder)
    .toSorted()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(new URL(name, folder)))
        .digest('hex'),
    ]);

  expect(Object.fromEntries(hashes)).toEqual(released);
  expect(Object.keys(released)).toEqual(known);
});
