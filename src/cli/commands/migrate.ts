import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { onlyArgument } from '../read-values.ts';
import { assertPostgresUrl, databaseError, isPostgresUrl, shownStore } from '../serving/open-store.ts';

export const command = defineCommand({
  synopsis: 'migrate <url>',
  about: `Creates the tables in a PostgreSQL database, or upgrades them. A server does this itself when it starts. Run this command if
only another database role may change tables.`,
  examples: ['tandem migrate postgres://admin@localhost/agents'],
  options: {
    schema: { value: '<name>', help: 'The schema of the tables. Default: tandem', flagOnly: true },
  },
  async run({ values: { schema = 'tandem' }, positionals }) {
    const usage = 'Pass the URL of one database: tandem migrate postgres://…';
    const url = onlyArgument(positionals, usage);
    if (!isPostgresUrl(url)) throw new CliError('usage', usage);
    assertPostgresUrl(url);
    const { migratePostgres } = await import('../../store/postgres/index.ts');
    const { MIGRATIONS } = await import('../../store/postgres/migrate.ts');
    const applied = await migratePostgres(url, { schema }).catch((error: unknown) => {
      throw databaseError(error, url);
    });
    const what = `schema ${schema} in ${shownStore(url)}`;
    process.stdout.write(`${migrationSummary(applied, what, MIGRATIONS.length)}\n`);
  },
});

/**
 * Describes a migration by the schema versions before and after it.
 *
 * @param latest The schema version of this release.
 */
export function migrationSummary([first, ...others]: readonly number[], what: string, latest: number): string {
  if (first === undefined) return `Already up to date: ${what} has version ${latest}`;
  const to = others.at(-1) ?? first;
  return first === 1 ? `Created ${what} with version ${to}` : `Migrated ${what} from version ${first - 1} to ${to}`;
}
