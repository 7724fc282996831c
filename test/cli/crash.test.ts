/** Uncaught errors in the handlers of `tandem serve` and `tandem demo`. */
import { expect, test } from 'vitest';
import { serve } from '../../src/node/index.ts';
import { agent, createHandler, memoryStore } from '../../src/server/index.ts';
import { addressOf, type Program, projectWith, tandem, TIMEOUT_MS } from './program.ts';

/** Crashes its process after the messages reject and throw. Otherwise works until it may finish. */
const AGENT = `import { agent } from 'tandem-a2a/server';
let finish;
const finished = new Promise((resolve) => (finish = resolve));
export default agent({
  name: 'Unsafe', description: 'Crashes its process.', maxAttempts: 2,
  async *run({ text }) {
    yield { status: 'working' };
    if (text === 'work') return void (await finished);
    setTimeout(finish, 10);
    if (text === 'reject') void Promise.reject(new Error('Nobody awaits this'));
    if (text === 'throw') setTimeout(() => { throw new Error('Too late'); });
    await new Promise(() => {});
  },
});`;

/** Sends a message without waiting for the task. */
async function start(url: string, text: string): Promise<Response> {
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
  const body = JSON.stringify({ message, configuration: { returnImmediately: true } });
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/message:send`, { method: 'POST', headers, body });
}

async function stateOf(url: string, taskId: string): Promise<string> {
  const response = await fetch(`${url}/tasks/${taskId}`);
  return ((await response.json()) as { status: { state: string } }).status.state;
}

interface CrashLine {
  readonly msg: string;
  readonly taskIds: readonly string[];
}

/** Makes the agent crash its process, and returns the log lines about it. The response may be lost. */
async function crash(server: Program, text: string): Promise<readonly CrashLine[]> {
  await start(await addressOf(server), text).catch(() => {});
  expect(await server.ended).toMatchObject({ code: 1, signal: null });
  const lines = server.stderr.trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as CrashLine).filter(({ msg }) => msg.startsWith('Unhandled error'));
}

test.each([
  ['an unhandled rejection', 'reject', 'unhandledRejection', 'Error: Nobody awaits this'],
  ['an exception in a timer', 'throw', 'uncaughtException', 'Error: Too late'],
])(
  'after %s tandem serve logs the running tasks, lets others finish and exits with 1',
  async (_, text, origin, message) => {
    const cwd = projectWith({ 'agent.mjs': AGENT });
    const args = ['serve', 'agent.mjs', '--port', '0', '--store', 'own.db'];
    const server = tandem(args, { cwd });
    const started = await start(await addressOf(server), 'work');
    const { task } = (await started.json()) as { task: { id: string } };

    const lines = await crash(server, text);
    const at: unknown = expect.arrayContaining([expect.stringContaining('agent.mjs:')]);
    expect(lines).toMatchObject([{ level: 'error', origin, running: 2, err: { message }, at }]);
    expect(lines[0]?.taskIds).toHaveLength(2);
    expect(lines[0]?.taskIds).toContain(task.id);

    const next = tandem(args, { cwd });
    expect(await stateOf(await addressOf(next), task.id)).toBe('TASK_STATE_COMPLETED');
  },
  TIMEOUT_MS,
);

test(
  'a task that crashes the process in every run fails when its attempts are used up',
  { timeout: TIMEOUT_MS },
  async () => {
    const cwd = projectWith({ 'agent.mjs': AGENT });
    const args = ['serve', 'agent.mjs', '--port', '0', '--store', 'own.db'];
    const [line] = await crash(tandem(args, { cwd }), 'throw');
    expect((await tandem(args, { cwd }).ended).code).toBe(1);

    const last = tandem(args, { cwd });
    const url = await addressOf(last);
    await expect.poll(() => stateOf(url, line?.taskIds[0] ?? '')).toBe('TASK_STATE_FAILED');
  },
);

test('tandem demo exits with 1 after an uncaught error', { timeout: TIMEOUT_MS }, async () => {
  const fail = `process.on('SIGUSR2', () => { throw new Error('Out of nowhere'); })`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(fail)}` };
  const demo = tandem(['demo', '--port', '0', '--store', 'memory'], { env });
  await addressOf(demo);
  expect(await demo.kill('SIGUSR2')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'tandem error: Unhandled error in the process, stopping origin="uncaughtException"',
    ),
  });
});

test('serve() and createHandler() install no process-wide handlers', async () => {
  const events = ['uncaughtException', 'unhandledRejection', 'uncaughtExceptionMonitor', 'SIGTERM', 'SIGINT', 'exit'];
  const count = (): readonly number[] => events.map((event) => process.listenerCount(event));
  const before = count();
  const subject = agent({
    name: 'Subject',
    description: 'Repeats the message.',
    run: ({ text }) => Promise.resolve(text),
  });

  const server = await serve(subject, { port: 0, store: memoryStore() });
  const handler = createHandler(subject, { store: memoryStore() });
  await handler.start();
  expect(count()).toEqual(before);
  await Promise.all([server.close(), handler.close()]);
});
