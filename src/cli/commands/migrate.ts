import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { assertPostgresUrl, databaseError, isPostgresUrl, shownStore } from '../serving/open-store.ts';

export const command = defineCommand({
  synopsis: 'migrate <url>',
  about: `Creates the tables in a PostgreSQL database, or upgrades them. A server does this itself when it starts. Run this command if
only another database role may change tables.`,
  examples: ['tandem migrate postgres://admin@localhost/agents'],
  options: {
    schema: { type: 'string', value: '<name>', help: 'The schema of the tables. Default: tandem', flagOnly: true },
  },
  run: ({ values, positionals }) => migrate(positionals, values.schema),
});

async function migrate([url, ...others]: readonly string[], schema = 'tandem'): Promise<void> {
  if (url === undefined || others.length > 0 || !isPostgresUrl(url))
    throw new CliError('usage', 'Pass the URL of one database: tandem migrate postgres://…');
  assertPostgresUrl(url);
  const { migratePostgres } = await import('../../store/postgres/index.ts');
  const { MIGRATIONS } = await import('../../store/postgres/migrate.ts');
  const applied = await migratePostgres(url, { schema }).catch((error: unknown) => {
    throw databaseError(error, url);
  });
  process.stdout.write(`${migrationSummary(applied, `schema ${schema} in ${shownStore(url)}`, MIGRATIONS.length)}\n`);
}

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
