/** Several servers on one database behave like one agent to their callers. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { bearerTokens, type HandlerOptions } from '../../src/server/index.ts';
import { connect } from '../../src/index.ts';
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import type { Role } from '../../src/server/options/handler-options.ts';
import { deferred } from '../../src/support/deferred.ts';
import { TestSchema } from './schemas.ts';

const schema = new TestSchema();

beforeEach(() => schema.empty());
afterAll(() => schema.drop());

const AUTH = bearerTokens({ alice: 'a-long-token-of-alice' });

/** Starts a server, whose output contains its role. */
async function node(role: Role, gate: Promise<void>, options: HandlerOptions = {}): Promise<string> {
  const twoChunks = agent({
    name: 'Two chunks',
    description: 'Sends two chunks of text.',
    async *run({ signal }) {
      yield `first by ${role} `;
      await Promise.race([gate, once(signal, 'abort')]);
      signal.throwIfAborted();
      yield `last by ${role}`;
    },
  });
  const store = schema.connect();
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const server = await serve(twoChunks, { port: 0, role, store, log: silent, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server.url;
}

const OPEN = Promise.resolve();

test('a stream on one server delivers the output of a run on another one while it runs', async () => {
  const gate = deferred<void>();
  const web = await node('web', OPEN);
  await node('worker', gate.promise);
  let seen = '';
  for await (const event of (await connect(web)).stream('go')) {
    if (event.type !== 'artifact') continue;
    seen += event.text;
    if (seen.startsWith('first')) gate.resolve();
  }

  expect(seen).toBe('first by worker last by worker');
});

test('cancelling a task on one server stops its run on another one', async () => {
  const web = await node('web', OPEN);
  await node('worker', deferred<void>().promise);
  const client = await connect(web);
  const states: string[] = [];
  for await (const event of client.stream('go')) {
    if (event.type === 'artifact') await client.cancel(event.taskId);
    if (event.type === 'status') states.push(event.state);
  }

  expect(states.at(-1)).toBe('canceled');
});

test('several servers share the rate limit of a caller', async () => {
  const limits = { rate: { perMinute: 1, burst: 3 } };
  const urls = [await node('all', OPEN, { auth: AUTH, limits }), await node('all', OPEN, { auth: AUTH, limits })];
  const responses: unknown[] = [];
  for (const url of [...urls, ...urls]) {
    const response = await fetch(`${url}/tasks/unknown`, {
      headers: { authorization: 'Bearer a-long-token-of-alice', 'a2a-version': '1.0' },
    });
    responses.push([response.status, response.headers.get('x-ratelimit-remaining')]);
  }

  expect(responses).toEqual([
    [404, '2'],
    [404, '1'],
    [404, '0'],
    [429, '0'],
  ]);
});

test('a worker sends the push notifications of a task that another server created, each event once', async () => {
  const bodies: string[] = [];
  const ended = deferred<void>();
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      response.writeHead(204).end();
      bodies.push(body);
      if (body.includes('TASK_STATE_COMPLETED')) ended.resolve();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const options: HandlerOptions = { pushNotifications: true, push: { allowPrivate: [new URL(url).origin] } };
  const web = await node('web', OPEN, options);
  await node('worker', OPEN, options);
  await (await connect(web)).send('go', { pushNotification: { url } });
  await ended.promise;

  const ids = new Set(bodies);
  expect(ids.size).toBe(bodies.length);
  expect(bodies.join('')).toContain('first by worker');
});
