import { CliError } from '../cli-error.ts';
import { defineCommand } from '../option.ts';
import { assertPostgresUrl, databaseTrouble, isPostgresUrl } from '../open-store.ts';

export const command = defineCommand({
  synopsis: 'migrate <url>',
  about: `Makes the tables of a PostgreSQL database, or brings them up to date. A server does this by itself when it starts;
this is for databases whose tables somebody else has to make.`,
  examples: ['tandem migrate postgres://admin@localhost/agents'],
  options: {
    schema: { type: 'string', value: '<name>', help: 'Where the tables are, tandem unless set', flagOnly: true },
  },
  run: ({ values, positionals }) => migrate(positionals, values.schema),
});

async function migrate([url, ...others]: readonly string[], schema = 'tandem'): Promise<void> {
  if (url === undefined || others.length > 0 || !isPostgresUrl(url))
    throw new CliError('usage', 'Give one database: tandem migrate postgres://…');
  assertPostgresUrl(url);
  const { migratePostgres } = await import('../../store/postgres/index.ts');
  const applied = await migratePostgres(url, { schema }).catch((error: unknown) => {
    throw databaseTrouble(error, url);
  });
  const done = applied.length === 0 ? 'was up to date' : `has got the migrations ${applied.join(', ')}`;
  process.stdout.write(`The schema ${schema} ${done}\n`);
}
