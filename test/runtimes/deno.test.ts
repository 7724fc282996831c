/** The client in another runtime than Node, from its sources: the same calls come to the same. */
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
import { calls, type Places } from './calls.ts';

const SECRET = 'a secret that both of us know, long enough';

/** The program itself, so that it can be stopped; what `npm` installs around it needs no script to have run. */
function denoPath(): string {
  const require = createRequire(import.meta.url);
  const { platform, arch } = process;
  const suffix = platform === 'linux' ? '-glibc' : '';
  const inPackage = createRequire(require.resolve('deno/package.json'));
  const folder = inPackage.resolve(`@deno/${platform}-${arch}${suffix}/package.json`);
  return join(folder, '..', platform === 'win32' ? 'deno.exe' : 'deno');
}

/** Nothing but the files of this repository, and no network but this machine's. */
async function runInDeno(places: Places): Promise<{ results: Record<string, unknown>; fetched: number }> {
  const cache = mkdtempSync(join(tmpdir(), 'deno-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const flags = ['--no-remote', '--cached-only', '--no-lock', '--no-prompt', '--node-modules-dir=manual'];
  const program = fileURLToPath(new URL('program.ts', import.meta.url));
  const args = ['run', ...flags, '--allow-net=127.0.0.1', program, JSON.stringify(places)];
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

test('Deno does what Node does, by fetch', { timeout: 60_000 }, async () => {
  const { url } = await startServer();
  const peer = await startPeer(guarded);
  const places: Places = { url, guardedUrl: peer.url, secret: SECRET, nowhere: await unusedAddress() };
  const onNode = await calls(places);
  expect(onNode).toMatchObject({
    chosen: [
      ['JSONRPC', '1.0'],
      ['HTTP+JSON', '1.0'],
    ],
    asked: 'Good morning, Ünïcödé 🌍',
    blocked: 'hello',
    polled: 'hello',
    told: ['message', 'Hi!'],
    got: 'TASK_STATE_COMPLETED',
    question: ['input-required', 'Which city?'],
    answered: ['completed', 'Off to Rome'],
    canceled: 'TASK_STATE_CANCELED',
    signed: 'ada@example.com of example.com',
    unsigned: 'UNAUTHENTICATED',
    nobody: 'TRANSPORT_FAILED',
    tooLarge: 'INVALID_AGENT_RESPONSE',
    timeout: 'TIMEOUT',
  });
  const { results, fetched } = await runInDeno(places);
  expect(results).toEqual(onNode);
  expect(fetched).toBeGreaterThan(Object.keys(onNode).length);
});
