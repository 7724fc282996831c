import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../index.ts';
import { type Log, silentLog } from '../observe/log.ts';
import { type Agent, agent } from '../agent/agent.ts';
import { sqlite } from '../store/sqlite/store.ts';
import { type AgentServer, serve } from './serve.ts';

/** Moves the process to a new working directory until the test ends. */
function workingDirectory(): string {
  const before = process.cwd();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tandem-default-store-')));
  process.chdir(folder);
  onTestFinished(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });
  return folder;
}

function agentNamed(name: string): Agent {
  return agent({ name, description: 'Asks.', run: async ({ ask }) => ask('Well?') });
}

async function served(subject: Agent | readonly Agent[], log: Log = silentLog): Promise<AgentServer> {
  const server = await serve(subject, { port: 0, log });
  onTestFinished(() => server.close());
  return server;
}

/** Sends a message, so that the store of the agent contains a task. Returns the id of the task. */
async function addTask(server: AgentServer): Promise<string> {
  const client = await connect(server.url);
  onTestFinished(() => client.close());
  return (await client.send('hi')).task?.id ?? '';
}

test('serve() creates .tandem/<agent id>.db with a .gitignore, and two agents of one folder run side by side', async () => {
  const folder = workingDirectory();

  await addTask(await served(agentNamed('My Clerk')));
  await addTask(await served(agentNamed('Other')));

  expect(existsSync(join(folder, '.tandem/my-clerk.db'))).toBe(true);
  expect(existsSync(join(folder, '.tandem/other.db'))).toBe(true);
  expect(readFileSync(join(folder, '.tandem/.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(join(folder, 'tandem.db'))).toBe(false);
});

test('several agents on one host share a file', async () => {
  const folder = workingDirectory();

  const server = await served([agentNamed('My Clerk'), agentNamed('Other')]);

  expect(readdirSync(join(folder, '.tandem')).filter((name) => name.endsWith('.db'))).toEqual(['_agents.db']);
  await server.close();
});

test('the default store keeps its tasks across restarts', async () => {
  workingDirectory();
  const clerk = agentNamed('Clerk');
  const first = await served(clerk);
  const id = await addTask(first);
  await first.close();

  const second = await served(clerk);
  const client = await connect(second.url);
  onTestFinished(() => client.close());
  const [task] = (await client.list()).tasks;

  expect(task).toMatchObject({ id, status: { state: 'TASK_STATE_INPUT_REQUIRED' } });
});

test('an existing tandem.db is used by the agent whose tasks it contains, and by no other agent', async () => {
  const folder = workingDirectory();
  const clerk = agentNamed('Clerk');
  const store = sqlite('tandem.db');
  const earlier = await serve(clerk, { port: 0, log: silentLog, store });
  await addTask(earlier);
  await earlier.close();
  await store.close();
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, info: (message, fields) => void lines.push([message, fields]) };

  const server = await served(clerk, log);
  const client = await connect(server.url);
  onTestFinished(() => client.close());
  await served(agentNamed('Other'), log);

  expect((await client.list()).tasks).toHaveLength(1);
  expect(lines.filter((line) => JSON.stringify(line).includes('tandem.db'))).toEqual([
    ['Using the existing store, because it contains tasks of this agent', { file: 'tandem.db', agent: 'clerk' }],
  ]);
  expect(existsSync(join(folder, '.tandem/clerk.db'))).toBe(false);
  expect(existsSync(join(folder, '.tandem/other.db'))).toBe(true);
});

test('an agent with a file of its own keeps using it when a tandem.db appears', async () => {
  const folder = workingDirectory();
  const clerk = agentNamed('Clerk');
  const first = await served(clerk);
  await addTask(first);
  await first.close();
  const store = sqlite('tandem.db');
  const other = await serve(clerk, { port: 0, log: silentLog, store });
  await addTask(other);
  await addTask(other);
  await other.close();
  await store.close();

  const again = await served(clerk);
  const client = await connect(again.url);
  onTestFinished(() => client.close());

  expect((await client.list()).tasks).toHaveLength(1);
  expect(existsSync(join(folder, '.tandem/clerk.db'))).toBe(true);
});

test('a tandem.db of another program is left alone', async () => {
  const folder = workingDirectory();
  writeFileSync('tandem.db', 'not a database');

  await served(agentNamed('Clerk'));

  expect(readFileSync('tandem.db', 'utf8')).toBe('not a database');
  expect(existsSync(join(folder, '.tandem/clerk.db'))).toBe(true);
});

test('an existing .tandem folder keeps its .gitignore', async () => {
  workingDirectory();
  mkdirSync('.tandem');
  writeFileSync('.tandem/.gitignore', '*.db\n');

  await served(agentNamed('Clerk'));

  expect(readFileSync('.tandem/.gitignore', 'utf8')).toBe('*.db\n');
});
