import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS as POSTGRES } from '../../src/store/postgres/migrate.ts';
import { MIGRATIONS as SQLITE } from '../../src/store/sqlite/migrate.ts';

/** The hashes of released migrations. Released files are never edited; a change needs another migration. */
const OF_SQLITE: Readonly<Record<string, string>> = {
  '0001_init.sql': 'bef9cb8b267e20470f304c1c0805d163606f46e02c5e839aebe11b99c4e56ae2',
  '0002_push_config.sql': 'aa6d9a2b5fc581f25b3b4805099678661c9393af8f655c1367d1467e4c917825',
  '0003_list_by_agent.sql': '18ffa7792c523d051f8061873d99efe25fb6bcfd6c86e5f44b253f3ef8c7b143',
  '0004_journal_in_order.sql': 'c295cbce63cd4edd4a71702a46548592c7c43ccebf11ef11ed05dab9d1d6f546',
  '0005_outbox.sql': '03bd0d572ffccf1237fb71b1aa09488d0d20c79a063d9a96c79bb8e501f47301',
  '0006_fair_claims.sql': 'e801a5cc35e522b24c7610b9a7c527f81ce13ed2037557a40c6daf6314387469',
  '0007_history_bytes.sql': '32dbfe10021209268f390d4f72fd37545d577a3de5562440197fb1c07f5812cc',
  '0008_suspects.sql': '9b624c7aa28273ff88d7e5f8187855900ddb03d7962037dc4267b45fd6af790b',
  '0009_kept_journals.sql': 'ff96224efe10639122bdf97253b2fc1caf62dcb146725eeb518783ea7f738f43',
  '0010_calls.sql': '171a73eb5522336fa0c8cca408804943fdcb0e58f7bedd6b00daab5d21afe284',
  '0011_packed_history.sql': '394ebc139f7deb2feeaa04aeb6eeaf328193f45a6a4993abccea6662d868a4d0',
};

const OF_POSTGRES: Readonly<Record<string, string>> = {
  '0001_init.sql': '307f56ab80febc9455f7082898af479e4001a756d2d4988ed3cad942fb4926fd',
  '0002_channel.sql': '6d186db409309825e782882ba7b4e884bb56392d9350cf0e384b2d27a08c5cdb',
  '0003_fair_claims.sql': '6f3a80910308c690918debc4761cdbd06be8391192eff6e13aca7e8dd24ba87a',
  '0004_history_bytes.sql': '2624d9d6e6022a15eca6ca3c357709016b3816ab93d50b06632da524aa014b80',
  '0005_suspects.sql': '5cf4d37ff11f33d6d60b2936f4bfe44c3076ef3c09229ad2db57d3dfed1bb2eb',
  '0006_outdated_error.sql': '727108c3ace272ecbefa3f80d72e1e9d1e782bb25296023faa8747a59083c07c',
  '0007_kept_journals.sql': '0331187ce831ad29dafb4f4c1bafa56b1144fa7ac287affb64ac7d618792c577',
  '0008_calls.sql': '33203dab978dacc265b1cc155687d361f2d91ecdd85d43aacac3981dc78f25eb',
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
