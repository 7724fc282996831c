/** The examples for other agent frameworks, served as users serve them, in processes that are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentClient, connect } from '../../../../src/index.ts';
import { deferred } from '../../../../src/support/deferred.ts';
import { compile, OPTIONS } from '../../../docs/compile.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
/** Below the packages of this folder, which the examples import. */
const COPIES = join(ROOT, 'test/peers/live/frameworks/.cache');

/** The lines that the models and tools of both examples print, once for each call. */
const BEFORE_QUESTION = ['Model call 1', 'Looked up A-1', 'Looked up A-2', 'Model call 2', 'Refunded 5 for A-2'];
const AFTER_ANSWER = ['Refunded 40 for A-1', 'Model call 3'];
const CALLS = [...BEFORE_QUESTION, ...AFTER_ANSWER];

/** A copy of an example, in a folder of its own that the packages can be imported from. */
function copyOf(example: string): string {
  mkdirSync(COPIES, { recursive: true });
  const folder = mkdtempSync(join(COPIES, `${example}-`));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(ROOT, 'examples', example), folder, { recursive: true });
  return folder;
}

interface Served {
  readonly port: number;
  kill(): Promise<void>;
}

/** Serves an example with the command line. Its calls are added to the log. */
async function serve(folder: string, log: string[], port = 0): Promise<Served> {
  const command = [join(ROOT, 'src/cli/main.ts'), 'serve', 'agent.ts', '--port', String(port)];
  const program = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), ...command], {
    cwd: folder,
    env: { ...process.env, TSX_TSCONFIG_PATH: join(ROOT, 'tsconfig.json') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  // After the last line of its output.
  const exited = once(program, 'close');
  const listening = new Promise<number>((resolve, reject) => {
    let rest = '';
    program.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      log.push(...lines.filter((line) => CALLS.includes(line)));
      const [, found] = /^http:\/\/127\.0\.0\.1:(\d+)\/\.well-known/m.exec(lines.join('\n')) ?? [];
      if (found !== undefined) resolve(Number(found));
    });
    void exited.then(([code]) => reject(new Error(`The server ended with ${String(code)}`)));
  });
  listening.catch(() => {});
  const kill = async (): Promise<void> => {
    program.kill('SIGKILL');
    await exited;
  };
  return { port: await listening, kill };
}

/** Sends a message and reads the stream of its task until the task asks or ends. */
async function send(client: AgentClient, text: string, taskId?: string, onEvent = (): void => {}): Promise<string> {
  let id = taskId ?? '';
  for await (const event of client.stream(text, taskId === undefined ? {} : { taskId })) {
    if ('taskId' in event && typeof event.taskId === 'string') id = event.taskId;
    onEvent();
  }
  return id;
}

describe.each(['openai-agents', 'langgraph'])('examples/%s', (example) => {
  test('compiles with plain strict', async () => {
    const source = (path: string): string[] => [join(ROOT, 'src', path)];
    const paths = { 'tandem-a2a/server': source('server/index.ts') };
    const diagnostics = await compile(copyOf(example), { ...OPTIONS, paths, rootDir: ROOT });
    expect(diagnostics.filter(({ file }) => !file.startsWith('..'))).toEqual([]);
  });

  test.each([...CALLS, 'the question'])(
    'a process that is killed during "%s" repeats no other call of a model or a tool',
    { timeout: 60_000 },
    async (during) => {
      const folder = copyOf(example);
      const log: string[] = [];
      const first = await serve(folder, log);
      const client = await connect(`http://127.0.0.1:${first.port}`);
      onTestFinished(() => client.close());
      let interrupted = '';
      const restart = async (): Promise<void> => {
        await first.kill();
        interrupted = log.at(-1) ?? '';
        await serve(folder, log, first.port);
      };
      const started = deferred<void>();
      const restarted = (async () => {
        if (during === 'the question') return;
        // From here on the client resumes the stream. Before, it has to send the message again, which it tries for a short time only.
        await started.promise;
        await expect.poll(() => log, { timeout: 60_000, interval: 5 }).toContain(during);
        await restart();
      })();

      const taskId = await send(client, 'Please refund my orders A-1 and A-2', undefined, started.resolve);
      if (BEFORE_QUESTION.includes(during)) await restarted;
      const asked = await client.get(taskId);
      expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
      const question = asked.status.message?.parts.flatMap((part) => ('text' in part ? [part.text] : []));
      expect(question?.join('')).toMatch(/^May I .*refund.*40/);
      expect(log.toSorted()).toEqual(expectedCalls(BEFORE_QUESTION, interrupted, log));
      if (during === 'the question') await restart();

      await send(client, 'yes', taskId);
      await restarted;
      const done = await client.get(taskId);
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      const text = done.artifacts?.flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [part.text] : [])));
      expect(text?.join('')).toBe('Your orders A-1 and A-2 are refunded.');
      expect(log.toSorted()).toEqual(expectedCalls(CALLS, interrupted, log));
    },
  );

  test('a refund without approval is not made, and the model continues', { timeout: 60_000 }, async () => {
    const log: string[] = [];
    const { port } = await serve(copyOf(example), log);
    const client = await connect(`http://127.0.0.1:${port}`);
    onTestFinished(() => client.close());
    const taskId = await send(client, 'Please refund my orders A-1 and A-2');
    await send(client, 'no', taskId);
    expect(log.toSorted()).toEqual(CALLS.filter((call) => call !== 'Refunded 40 for A-1').toSorted());
  });
});

/** Calls that run side by side, so that a kill can interrupt both. */
const SIDE_BY_SIDE = ['Looked up A-1', 'Looked up A-2'];

/** Each call once. Only the last call of the killed process can be there twice, because it may not have been recorded. */
function expectedCalls(calls: readonly string[], last: string, log: readonly string[]): readonly string[] {
  const running = SIDE_BY_SIDE.includes(last) ? SIDE_BY_SIDE : [last];
  const repeated = running.filter((call) => log.filter((one) => one === call).length === 2);
  return [...calls, ...repeated].toSorted();
}
