/** One process with a SQLite file is restarted while clients call it. */
import { expect, test } from 'vitest';
import { type AgentClient, connect } from '../../src/index.ts';
import { closedAddress } from './agents.ts';
import { addressOf, type Program, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const CLIENTS = 12;
const RESTARTS = 5;
/** A busy machine may take longer to start a process than the client waits by default. */
const PATIENT = { cache: false, reconnectMs: TIMEOUT_MS };

/** Takes a moment for each message, so that a restart interrupts some of them. */
const AGENT = `import { agent } from 'tandem-a2a/server';
export default agent({ name: 'Slow', description: 'Answers in two pieces.', async *run({ text, step }) {
  yield text;
  await step('work', () => new Promise((resolve) => setTimeout(resolve, 100)));
  yield ' and on';
} });`;

const ways: readonly ((agent: AgentClient, text: string) => Promise<string | undefined>)[] = [
  async (agent, text) => (await agent.send(text)).text,
  async (agent, text) => (await agent.send(text, { wait: 'block' })).text,
  async (agent, text) => (await agent.send(text, { wait: 'poll' })).text,
  async (agent, text) => {
    let whole = '';
    for await (const event of agent.stream(text)) {
      // The task of a repeated message may be running or completed: then the stream begins with the task.
      if (event.type === 'task') whole = event.text;
      else if (event.type === 'artifact') whole += event.text;
    }
    return whole;
  },
];

test('clients get no error while the only process is restarted 5 times', { timeout: 3 * TIMEOUT_MS }, async () => {
  const cwd = projectWith({ 'agent.mjs': AGENT });
  const url = await closedAddress();
  const start = async (): Promise<Program> => {
    const args = ['serve', 'agent.mjs', '--port', new URL(url).port, '--store', 'own.db'];
    const server = tandem(args, { cwd });
    await addressOf(server);
    return server;
  };
  let server = await start();

  const rollout = { isOver: false };
  const calls = Array.from({ length: CLIENTS }, () => 0);
  const lanes = calls.map(async (_, lane) => {
    // Every third client connects again for each call, like a program that runs for one request.
    const isShort = lane % 3 === 0;
    let agent = await connect(url, PATIENT);
    for (let i = 0; !rollout.isOver; i++) {
      const text = `${lane}-${i}`;
      const way = ways[lane % ways.length] ?? fail();
      expect(await way(agent, text)).toBe(`${text} and on`);
      calls[lane] = i + 1;
      if (!isShort) continue;
      await agent.close();
      agent = await connect(url, PATIENT);
    }
    await agent.close();
  });
  const restarted = (async () => {
    for (let i = 0; i < RESTARTS; i++) {
      const before = [...calls];
      const hasProgressed = (): boolean => calls.every((count, lane) => count > (before[lane] ?? 0));
      await expect.poll(hasProgressed).toBe(true);
      expect((await server.kill('SIGTERM')).code).toBe(0);
      server = await start();
    }
  })();
  await Promise.race([restarted, Promise.all(lanes)]).finally(() => (rollout.isOver = true));
  await Promise.all([restarted, ...lanes]);
});

function fail(): never {
  throw new Error('There is no such way');
}
