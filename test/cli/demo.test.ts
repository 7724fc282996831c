import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { StreamResponse } from '../../src/model/event.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { readSse } from '../helpers/read-sse.ts';
import { addressOf, paste, type Program, projectWith, ROOT, tandem, tandemFromSource, TIMEOUT_MS } from './program.ts';

/** Runs each line that the demo printed on stdout. */
async function pasteAll(demo: Program, cwd: string): Promise<void> {
  const url = await addressOf(demo);
  await demo.said(/ chat http.*\n$/);
  const [card = '', curl = '', send = '', chat = '', ...rest] = demo.stdout.split('\n');
  expect(rest).toEqual(['']);
  expect(await (await fetch(card)).json()).toMatchObject({ name: 'Tandem demo' });
  expect(await paste(chat, { cwd, input: 'help\n' }).ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Send one of these:\n/),
  });
  for (const _ of ['once', 'twice']) {
    const streamed = await paste(curl, { cwd }).ended;
    expect(streamed).toMatchObject({ code: 0, stderr: '' });
    expect(streamed.stdout).toContain('"text":"Hello, "');
    expect(streamed.stdout).toContain('"state":"TASK_STATE_COMPLETED"');

    const asked = await paste(send, { cwd }).ended;
    expect(asked).toMatchObject({ code: 0, stdout: 'Shall I book the 9:05 to Rome? (yes/no)\n' });
    const [, answer = ''] = /^To answer:\n(.*)\n$/m.exec(asked.stderr) ?? [];
    expect(answer).toContain(` send ${url} yes --task-id `);
    expect(await paste(answer, { cwd }).ended).toMatchObject({ code: 0, stdout: 'Booked the 9:05 to Rome.\n' });
  }
  expect(await (await fetch(`${url}/tasks`)).json()).toMatchObject({ totalSize: 4 });
}

test('every command that the installed demo prints works twice', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const demo = paste('exec tandem demo --port 0', { cwd });
  await pasteAll(demo, cwd);
  expect(demo.stdout).toMatch(/^tandem send http/m);
  expect((await demo.kill('SIGTERM')).code).toBe(0);
});

test(
  'every command that the demo of a checkout prints works twice, and the README shows its output',
  { timeout: 2 * TIMEOUT_MS },
  async () => {
    const demo = tandemFromSource(['demo', '--port', '0'], { cwd: projectWith() });
    await pasteAll(demo, ROOT);
    expect(demo.stdout).toMatch(/^npm run -s tandem -- send http/m);

    const url = await addressOf(demo);
    const [, shown = ''] =
      /npm ci && npm start\n```\n\n```\n(.*?)```/s.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
    const printed = (demo.stderr + demo.stdout).replaceAll(url, 'http://127.0.0.1:4100');
    expect(printed).toContain(shown);
    expect(shown).toContain('http://127.0.0.1:4100');
  },
);

test('under npx the demo prints commands that start with npx', { timeout: TIMEOUT_MS }, async () => {
  const demo = tandem(['demo', '--port', '0', '--store', 'memory'], { env: { npm_command: 'exec' } });
  await demo.said(/^npx tandem-a2a send http/m);
});

test('a second demo in the same folder is rejected with one sentence', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  await addressOf(tandem(['demo', '--port', '0'], { cwd }));
  const { code, stdout, stderr } = await tandem(['demo', '--port', '0'], { cwd }).ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /^tandem: \S*tandem-demo\.db is in use by another process: stop that process, or use another file\n$/,
  );
});

test('a second demo in another folder takes the next free port', { timeout: TIMEOUT_MS }, async () => {
  const first = await addressOf(tandem(['demo'], { cwd: projectWith() }));
  const second = await addressOf(tandem(['demo'], { cwd: projectWith() }));
  const [one, two] = [first, second].map((url) => Number(new URL(url).port));
  expect(one).toBeGreaterThanOrEqual(4100);
  expect(two).toBeGreaterThan(one ?? 0);
});

interface Seen {
  readonly id: number;
  readonly text: string;
  readonly state: string | undefined;
  readonly taskId: string;
}

/** Reads the events of a stream until `isEnough` returns true, or until the stream ends. */
async function watch(response: Response, isEnough: (seen: Seen) => boolean = () => false): Promise<Seen[]> {
  const all: Seen[] = [];
  for await (const { id, data } of readSse(response.body as ReadableStream<Uint8Array>)) {
    const event = JSON.parse(data) as StreamResponse;
    const [body] = Object.values(event) as [{ id?: string; taskId?: string }];
    const text = 'artifactUpdate' in event ? textOfParts(event.artifactUpdate.artifact.parts) : '';
    const state = 'statusUpdate' in event ? event.statusUpdate.status.state : undefined;
    const seen = { id: Number(id), text, state, taskId: body.taskId ?? body.id ?? '' };
    all.push(seen);
    if (isEnough(seen)) break;
  }
  return all;
}

test('a job of the demo resumes after kill -9', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith();
  const store = join(cwd, 'job.db');
  const first = tandem(['demo', '--port', '0', '--store', store]);
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'job 4' }] };
  const stream = await fetch(`${await addressOf(first)}/message:stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ message }),
  });
  const before = await watch(stream, ({ text }) => text.startsWith('Part 2 '));
  expect((await first.kill('SIGKILL')).signal).toBe('SIGKILL');

  const second = tandem(['demo', '--port', '0', '--store', store]);
  const { id: last, taskId } = before.at(-1) ?? { id: 0, taskId: '' };
  const resumed = await fetch(`${await addressOf(second)}/tasks/${taskId}:subscribe`, {
    headers: { 'last-event-id': String(last) },
  });
  const after = await watch(resumed);

  const all = [...before, ...after];
  expect(all.map(({ id }) => id)).toEqual(all.map((_, i) => i + 1));
  expect(all.at(-1)?.state).toBe('TASK_STATE_COMPLETED');
  const [one, two] = [first.child.pid, second.child.pid];
  expect(all.map(({ text }) => text).filter((text) => text !== '')).toEqual([
    `Part 1 of 4 was done by process ${one}\n`,
    `Part 2 of 4 was done by process ${one}\n`,
    `Part 3 of 4 was done by process ${two}\n`,
    `Part 4 of 4 was done by process ${two}\n`,
  ]);
});

test('the demo mounts every profile', { timeout: TIMEOUT_MS }, async () => {
  const url = await addressOf(tandem(['demo', '--port', '0', '--store', 'memory'], { cwd: projectWith() }));
  for (const path of ['/_agent-native/a2a', '/api/a2a', '/a2a/tasks']) {
    const card = await fetch(`${url}${path}/.well-known/agent-card.json`);
    expect(await card.json()).toMatchObject({ name: 'Tandem demo' });
  }
});
