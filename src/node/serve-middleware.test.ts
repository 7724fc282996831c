import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { recordingLog } from '../../test/helpers/recording-log.ts';
import { silentLog } from '../observe/log.ts';
import { agent } from '../agent/agent.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Middleware } from './express.ts';
import { type AgentServer, serve, type ServeOptions } from './serve.ts';

const ECHO = agent({ name: 'Echo', description: 'Says it again.', run: ({ text }) => text });
const BODY = JSON.stringify({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } });

async function started(options: ServeOptions): Promise<AgentServer> {
  const server = await serve(ECHO, { port: 0, store: memoryStore(), log: silentLog, ...options });
  onTestFinished(() => server.close());
  return server;
}

async function send({ url }: AgentServer, body = BODY): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/message:send`, { method: 'POST', headers, body });
}

test('middleware sees each request before the agent, in order, and can add headers', async () => {
  const seen: string[] = [];
  const named =
    (name: string): Middleware =>
    (incoming, outgoing, next) => {
      seen.push(`${name} ${incoming.method} ${incoming.url}`);
      outgoing.setHeader('x-seen', seen.length);
      next();
    };
  const later: Middleware = async (_, __, next) => {
    await Promise.resolve();
    next();
  };
  const server = await started({ middleware: [named('a'), later, named('b')] });

  const answer = await send(server);

  expect(await answer.text()).toContain('TASK_STATE_COMPLETED');
  expect(answer.headers.get('x-seen')).toBe('2');
  expect(seen).toEqual(['a POST /message:send', 'b POST /message:send']);
});

test('middleware can respond itself, before callers are authenticated', async () => {
  const server = await started({
    auth: () => undefined,
    middleware: (incoming, outgoing, next) => {
      if (incoming.url === '/version') outgoing.end('1.4.2');
      else next();
    },
  });

  expect(await (await fetch(`${server.url}/version`)).text()).toBe('1.4.2');
  expect((await send(server)).status).toBe(401);
});

test('middleware that reads and parses the body leaves it to the agent as body', async () => {
  const server = await started({
    middleware: async (incoming, _, next) => {
      let text = '';
      for await (const chunk of incoming) text += String(chunk);
      Object.assign(incoming, { body: JSON.parse(text) as unknown });
      next();
    },
  });

  expect(await (await send(server)).text()).toContain('TASK_STATE_COMPLETED');
});

test.each<[string, Middleware]>([
  [
    'throws',
    () => {
      throw new Error('secret');
    },
  ],
  ['rejects', async () => Promise.reject(new Error('secret'))],
  ['passes an error to next', (_, __, next) => next(new Error('secret'))],
])('middleware that %s gets 500 and a line in the log, and the agent is not called', async (_, middleware) => {
  const log = recordingLog();
  const server = await started({ log, middleware });

  const answer = await send(server, 'x'.repeat(1_000_000));

  expect([answer.status, await answer.json()]).toEqual([500, { error: 'Internal error' }]);
  expect(log.lines).toContainEqual({
    level: 'error',
    message: 'Middleware failed',
    fields: { method: 'POST', path: '/message:send', error: expect.objectContaining({ message: 'secret' }) },
  });
});

test('middleware that responds and calls next, or calls next twice, has one response', async () => {
  const log = recordingLog();
  const server = await started({
    log,
    middleware: (incoming, outgoing, next) => {
      if (incoming.url === '/mine') return outgoing.end('mine') as never;
      if (incoming.url === '/twice') outgoing.end('twice');
      next();
      next();
      next(new Error('too late'));
    },
  });

  expect(await (await fetch(`${server.url}/mine`)).text()).toBe('mine');
  expect(await (await fetch(`${server.url}/twice`)).text()).toBe('twice');
  expect(await (await send(server)).text()).toContain('TASK_STATE_COMPLETED');
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('a request for another host than this machine does not reach middleware', async () => {
  const seen: (string | undefined)[] = [];
  const { port } = await started({ middleware: ({ url }, _, next) => (seen.push(url), next()) });

  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'evil.example' };
    request({ host: '127.0.0.1', port, headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

  expect([status, seen]).toEqual([421, []]);
});

test.each([['log'], [['log']], [{}]])('middleware: %j is rejected at the start', async (middleware) => {
  await expect(serve(ECHO, { middleware } as never)).rejects.toThrow(
    'middleware: expected a function, or an array of functions',
  );
});
