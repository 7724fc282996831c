/** The client in Deno, from its sources: the same calls have the same results as on Node. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';

import { unusedAddress } from '../e2e/client/kit.ts';
import { type Responder, failure, result, startPeer, task } from '../e2e/client/peer.ts';
import { startServer } from '../e2e/kit/server.ts';
import { calls, type Addresses } from './client-calls.ts';

const SECRET = 'a shared secret that is long enough';

/** The path of the executable, and not of its wrapper, which could not be stopped. Needs no install scripts. */
function denoPath(): string {
  const require = createRequire(import.meta.url);
  const { platform, arch } = process;
  const suffix = platform === 'linux' ? '-glibc' : '';
  const inPackage = createRequire(require.resolve('deno/package.json'));
  const folder = inPackage.resolve(`@deno/${platform}-${arch}${suffix}/package.json`);
  return join(folder, '..', platform === 'win32' ? 'deno.exe' : 'deno');
}

/** Runs the program with only the files of this repository and the network of this machine. */
async function runInDeno(addresses: Addresses): Promise<{ results: Record<string, unknown>; fetched: number }> {
  const cache = mkdtempSync(join(tmpdir(), 'deno-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const flags = ['--no-remote', '--cached-only', '--no-lock', '--no-prompt', '--node-modules-dir=manual'];
  const program = fileURLToPath(new URL('program.ts', import.meta.url));
  const args = ['run', ...flags, '--allow-net=127.0.0.1', program, JSON.stringify(addresses)];
  const env = { ...process.env, DENO_DIR: cache, DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)(denoPath(), args, { env, timeout: 50_000, killSignal: 'SIGKILL' });
  return JSON.parse(stdout) as { results: Record<string, unknown>; fetched: number };
}

const guarded: Responder = async ({ headers }, response, { url }) => {
  const token = String(headers['authorization']).replace('Bearer ', '');
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(SECRET), { audience: url });
    const artifacts = [{ artifactId: 'a', parts: [{ text: `${payload.sub} of ${String(payload['org_domain'])}` }] }];
    result(response, { task: task('COMPLETED', { artifacts }) });
  } catch {
    failure(response, -32000, 'UNAUTHENTICATED', 401);
  }
};

test(
  'the client makes its calls with fetch in Deno, with the same results as on Node',
  { timeout: 60_000 },
  async () => {
    const { url } = await startServer();
    const peer = await startPeer(guarded);
    const addresses: Addresses = { url, guardedUrl: peer.url, secret: SECRET, unusedUrl: await unusedAddress() };
    const onNode = await calls(addresses);
    expect(onNode).toMatchObject({
      chosen: [
        ['JSONRPC', '1.0'],
        ['HTTP+JSON', '1.0'],
      ],
      asked: 'Good morning, Ünïcödé 🌍',
      blocked: 'hello',
      polled: 'hello',
      message: ['message', 'Hi!'],
      got: 'TASK_STATE_COMPLETED',
      question: ['input-required', 'Which city?'],
      answered: ['completed', 'Off to Rome'],
      canceled: 'TASK_STATE_CANCELED',
      signed: 'ada@example.com of example.com',
      unsigned: 'UNAUTHENTICATED',
      unreachable: 'TRANSPORT_FAILED',
      tooLarge: 'INVALID_AGENT_RESPONSE',
      timeout: 'TIMEOUT',
    });
    const { results, fetched } = await runInDeno(addresses);
    expect(results).toEqual(onNode);
    expect(fetched).toBeGreaterThan(Object.keys(onNode).length);
  },
);
