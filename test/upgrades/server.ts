/**
 * The process that writes a database and is killed. It serves the agent with a package of another version, and writes its
 * URL to standard output.
 *
 *     tsx test/upgrades/server.ts <folder of the package> <SQLite file or PostgreSQL URL>
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { agentOptions } from './agent.ts';
import { TOKENS } from './caller.ts';
import { SCHEMA } from './database.ts';

const [folder = '', database = ''] = process.argv.slice(2);
const { exports: entries } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};

/** Loads an entry of the other version by its path, because its name would be found in this project. */
async function load<T>(entry: string): Promise<T> {
  return (await import(pathToFileURL(resolve(folder, entries[entry]?.default ?? '')).href)) as T;
}

const { agent, bearerTokens } = await load<typeof import('../../src/server/index.ts')>('./server');
const { serve } = await load<typeof import('../../src/node/index.ts')>('./node');
const { sqlite } = await load<typeof import('../../src/store/sqlite/store.ts')>('./sqlite');
const { postgres } = await load<typeof import('../../src/store/postgres/index.ts')>('./postgres');

const store = database.startsWith('postgres') ? postgres(database, { schema: SCHEMA }) : sqlite(database);
const options = agentOptions({ name: 'old', hold: () => new Promise(() => {}) });
const { url } = await serve(agent(options), {
  port: 0,
  store,
  auth: bearerTokens(TOKENS),
  pushNotifications: true,
  push: { allowPrivate: ['http://127.0.0.1:*'] },
});
console.log(url);
