/** One caller floods the slots and the queue of an agent; another caller gets its normal response. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const VICTIM = fileURLToPath(new URL('./flooded-agent.ts', import.meta.url));

/** Starts a server process of its own, with a file of its own, and gives its address. */
async function victim(...words: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tandem-flooded-'));
  const args = ['--import', 'tsx', VICTIM, join(folder, 'tasks.db'), ...words];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  onTestFinished(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
    lines.close();
    rmSync(folder, { recursive: true });
  });
  const [url] = (await once(lines, 'line')) as [string];
  return url;
}

interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: {
    readonly result?: { readonly task: { readonly status: { readonly state: string } } };
    readonly error?: { readonly message: string };
  };
}

let messages = 0;

/** One message on a connection of its own, as it stands on the wire. */
function send(url: string, caller: string, text: string, returnImmediately = false): Promise<Reply> {
  const params = {
    message: { messageId: `m-${++messages}`, role: 'ROLE_USER', parts: [{ text }] },
    configuration: { returnImmediately },
  };
  const headers = {
    'content-type': 'application/json',
    'a2a-version': '1.0',
    authorization: `Bearer token-of-${caller}`,
    connection: 'close',
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => (body += String(piece)));
      response.on('error', reject);
      response.on('end', () => {
        const retryAfter = response.headers['retry-after'];
        resolve({ status: response.statusCode ?? 0, retryAfter, body: JSON.parse(body) as Reply['body'] });
      });
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }));
  });
}

/** Tasks that keep whatever they get, so many at a time; the replies in the order of the messages. */
async function flood(url: string, caller: string, count: number): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (let from = 0; from < count; from += 50) {
    const some = Math.min(50, count - from);
    replies.push(...(await Promise.all(Array.from({ length: some }, () => send(url, caller, 'stay', true)))));
  }
  return replies;
}

function outcomes(replies: readonly Reply[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, body } of replies) {
    const outcome = body.error === undefined ? 'accepted' : String(status);
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

test('a caller that sends all messages its rate allows leaves a slot to another caller', async () => {
  const url = await victim();

  // With all limits at their defaults this is its burst: 90 tasks run, 10 wait.
  expect(outcomes(await flood(url, 'alice', 100))).toEqual({ accepted: 100 });

  const { status, body } = await send(url, 'bob', 'hi');
  expect([status, body.result?.task.status.state]).toEqual([200, 'TASK_STATE_COMPLETED']);
});

test('a caller that fills the slots and the queue keeps no other caller out', async () => {
  // All limits but the rate have their defaults: at the default rate it would take two minutes.
  const url = await victim('any rate');
  // 90 run and 1,000 wait; the rest is rejected.
  const replies = await flood(url, 'alice', 1150);
  expect(outcomes(replies)).toEqual({ accepted: 1090, 503: 60 });
  const rejected = replies.at(-1);
  expect(rejected?.retryAfter).toBe('1');
  expect(rejected?.body.error?.message).toMatch(/^This agent is busy: .* Nothing was stored\. Send the message again/);

  // The reserve has ten slots for callers that run nothing: bob's first task takes one and keeps it.
  expect(outcomes(await flood(url, 'bob', 1))).toEqual({ accepted: 1 });
  const hi = await send(url, 'carol', 'hi');
  expect([hi.status, hi.body.result?.task.status.state]).toEqual([200, 'TASK_STATE_COMPLETED']);
  // What bob sends besides has to wait, and there is room for it in the queue.
  expect(outcomes(await flood(url, 'bob', 5))).toEqual({ accepted: 5 });
  expect(outcomes(await flood(url, 'alice', 1))).toEqual({ 503: 1 });
  for (let i = 0; i < 5; i++) {
    const again = await send(url, 'carol', 'hi');
    expect([again.status, again.body.result?.task.status.state]).toEqual([200, 'TASK_STATE_COMPLETED']);
  }
});
