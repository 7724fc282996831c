/**
 * Three agents, each in its own process: the front desk calls analytics, which calls the warehouse. The warehouse asks a question, and the
 * caller of the front desk answers it. In between, analytics is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'tandem-a2a';

const programs: ChildProcess[] = [];

/** Starts an agent, and returns its process and its URL. */
async function start(agent: string, env: Record<string, string>): Promise<{ program: ChildProcess; url: string }> {
  const program = spawn(process.execPath, [...process.execArgv, `${import.meta.dirname}/${agent}.ts`], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  programs.push(program);
  const [text] = (await once(program.stdout.setEncoding('utf8'), 'data')) as [string];
  program.stdout.on('data', (line: string) => process.stdout.write(line));
  return { program, url: text.trim() };
}

const warehouse = await start('warehouse', { PORT: '0' });
const analytics = await start('analytics', { PORT: '0', WAREHOUSE_URL: warehouse.url });
const frontDesk = await start('front-desk', { PORT: '0', ANALYTICS_URL: analytics.url });

const client = await connect(frontDesk.url);
const asked = await client.send('How many signups did we have last week?');
console.log(asked.question?.path?.join(' › '), 'asks:', asked.text);

analytics.program.kill('SIGKILL');
await once(analytics.program, 'exit');

// The answer waits at the front desk until analytics is back.
const answering = client.task(asked.handle ?? '').answer('Europe');
await start('analytics', { PORT: new URL(analytics.url).port, WAREHOUSE_URL: warehouse.url });
const reply = await answering;
console.log(reply.text);

// Each call made one task.
for (const { url } of [frontDesk, analytics, warehouse]) {
  const agent = await connect(url);
  const { tasks } = await agent.list();
  console.log(agent.card.name, tasks.length);
  await agent.close();
}
await client.close();
for (const program of programs) program.kill();
