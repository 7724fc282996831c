/**
 * Writes the databases of a version: serves the agent with its package, brings tasks into all states, and kills the process.
 *
 *     npx tsx test/upgrades/write-databases.ts <name> <folder of the package> <URL of a PostgreSQL database>
 *
 * `docs/development.md` describes when and how.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import pg from 'pg';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import { Caller, type CallerName, CHOSEN_ID, type NumberedEvent, type SendOptions } from './caller.ts';
import {
  databasePath,
  type Recording,
  type RecordedTask,
  recordingPath,
  SCHEMA,
  type StoreKind,
  WEBHOOK_ORIGIN,
} from './database.ts';

const SERVER = fileURLToPath(new URL('server.ts', import.meta.url));

const [name = '', folder = '', postgresUrl = ''] = process.argv.slice(2);
if (postgresUrl === '')
  throw new Error('Expected a name, the folder of a package and the URL of a PostgreSQL database');
mkdirSync(dirname(databasePath(name, 'sqlite')), { recursive: true });
async function writeSqlite(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'tandem-upgrade-'));
  const file = join(scratch, 'tasks.sqlite');
  await recordUntilKilled('sqlite', file);
  const database = loadDriver()(file);
  // Moves all commits from the write-ahead log into the file.
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  copyFileSync(file, databasePath(name, 'sqlite'));
  rmSync(scratch, { recursive: true });
}

async function writePostgres(): Promise<void> {
  const client = new pg.Client(postgresUrl);
  await client.connect();
  await client.query(`DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE`);
  await recordUntilKilled('postgres', postgresUrl);
  const options = ['--rows-per-insert=1000', '--no-owner', '--no-privileges', `--schema=${SCHEMA}`];
  const dump = execFileSync('pg_dump', [...options, postgresUrl], { encoding: 'utf8' });
  writeFileSync(databasePath(name, 'postgres'), statementsOf(dump));
  await client.query(`DROP SCHEMA ${SCHEMA} CASCADE`);
  await client.end();
}

/** A dump without comments, settings of the session and commands of `psql`. */
function statementsOf(dump: string): string {
  const lines = dump.split('\n').filter((line) => !/^(--|\\|SET |SELECT pg_catalog\.set_config)/.test(line));
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

async function recordUntilKilled(kind: StoreKind, database: string): Promise<void> {
  const server = spawn(process.execPath, ['--import', 'tsx', SERVER, folder, database], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [url] = (await once(createInterface(server.stdout), 'line')) as [string];
    const tasks = await bringIntoAllStates(url);
    const recording: Recording = { killedAt: Date.now(), tasks };
    writeFileSync(recordingPath(name, kind), `${JSON.stringify(recording)}\n`);
  } finally {
    await kill(server);
  }
}

async function kill(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) throw new Error('The server has ended');
  server.kill('SIGKILL');
  await once(server, 'exit');
}

async function bringIntoAllStates(url: string): Promise<Recording['tasks']> {
  const tasks = new Map<string, OpenTask>();
  const start = async (
    scenario: string,
    options: SendOptions = {},
    callerName: CallerName = 'ann',
  ): Promise<OpenTask> => {
    const caller = new Caller(callerName, url);
    const { id } = await caller.send(scenario, options);
    const task = new OpenTask(caller, id);
    tasks.set(`${callerName} ${scenario}`, task);
    return task;
  };

  const sleeping = await start('sleeping', { idempotencyKey: 'key-of-sleeping' });
  await sleeping.until('before old');
  const canceled = await start('canceled');
  await canceled.until('begun');
  await canceled.caller.cancel(canceled.id);
  await canceled.until('TASK_STATE_CANCELED');

  for (const scenario of ['text', 'confirm', 'choose', 'form', 'schema', 'expired'])
    await (await start(scenario)).until('TASK_STATE_INPUT_REQUIRED');
  await (await start('authorize')).until('TASK_STATE_AUTH_REQUIRED');
  await (await start('turns')).until('TASK_STATE_INPUT_REQUIRED');
  await (await start('confirm', {}, 'bob')).until('TASK_STATE_INPUT_REQUIRED');

  for (const caller of ['ann', 'bob'] as const) {
    const completed = await start('completed', { idempotencyKey: 'key-of-completed' }, caller);
    await completed.until('TASK_STATE_INPUT_REQUIRED');
    await completed.answer('red');
    await completed.until('TASK_STATE_COMPLETED');
  }
  await new Caller('cleo', url).sendOld(CHOSEN_ID, 'confirm');
  await (await start('failed')).until('TASK_STATE_FAILED');
  await (await start('rejected')).until('TASK_STATE_REJECTED');
  await (await start('notified', { webhook: `${WEBHOOK_ORIGIN}/webhook` })).until('TASK_STATE_COMPLETED');

  await (await start('interrupted')).until('three old');
  await (await start('corrected')).until('two ');
  await (await start('retried')).until('attempt 1');
  const inbox = await start('inbox');
  await inbox.until('listening');
  await inbox.answer('hello');
  const answered = await start('answered');
  await answered.until('TASK_STATE_INPUT_REQUIRED');
  await answered.answer('blue');
  await answered.until('Painting');
  const recordedTask = await start('recorded');
  await recordedTask.until('TASK_STATE_INPUT_REQUIRED');
  await recordedTask.answer('recorded again');
  await recordedTask.until('TASK_STATE_INPUT_REQUIRED');
  await recordedTask.answer('now');
  await recordedTask.until('Listening');
  await recordedTask.answer('hello');
  await recordedTask.until('Finishing');
  const canceling = await start('canceling');
  await canceling.until('begun');
  // Gets no response before the server is killed.
  canceling.caller.cancel(canceling.id).catch(() => {});
  await canceling.until('cleanup');
  await start('queued');

  const recorded: Record<string, RecordedTask> = {};
  for (const [scenario, task] of tasks) recorded[scenario] = await task.recording();
  return recorded;
}

/** A task of the server that will be killed. */
class OpenTask {
  readonly caller: Caller;
  readonly id: string;
  #events: readonly NumberedEvent[] = [];

  constructor(caller: Caller, id: string) {
    this.caller = caller;
    this.id = id;
  }

  /** Reads the events from the first one, up to the one after the last known that contains a text. */
  async until(text: string): Promise<void> {
    const events: NumberedEvent[] = [];
    for await (const event of this.caller.events(this.id, 0)) {
      events.push(event);
      if (event.number > this.#events.length && JSON.stringify(event).includes(text)) {
        this.#events = events;
        return;
      }
    }
    throw new Error(`No event of task ${this.id} contains ${text}`);
  }

  async answer(text: string): Promise<void> {
    await this.caller.send(text, { taskId: this.id });
  }

  async recording(): Promise<RecordedTask> {
    return { task: await this.caller.get(this.id), events: this.#events };
  }
}

await writeSqlite();
await writePostgres();
