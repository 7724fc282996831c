import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../src/node/index.ts';
import { agent, type AgentOptions, type HandlerOptions, memoryStore } from '../../src/server/index.ts';
import { paste, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const SILENT = { info() {}, warn() {}, error() {} };

async function serveAgent(run: AgentOptions['run'], options: HandlerOptions = {}): Promise<string> {
  const outputModes = ['text/plain', 'application/json', 'image/png'];
  const subject = agent({ name: 'Subject', description: 'Does as the test says.', run, outputModes });
  const server = await serve(subject, { port: 0, store: memoryStore(), log: SILENT, ...options });
  onTestFinished(() => server.close({ finishMs: 0 }));
  return server.url;
}

/** A server that is no agent of ours. */
async function serveRaw(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const VERSIONS: readonly HandlerOptions[] = (['1.0', '0.3', '0.2', '0.1'] as const).flatMap((version) => [
  { versions: [version], streaming: true },
  { versions: [version], streaming: false },
]);

test.each(VERSIONS)(
  'an agent of $versions that streams ($streaming) is understood',
  async (options) => {
    const url = await serveAgent(async function* ({ text, ask }) {
      yield { status: 'working', text: 'Thinking…' };
      yield 'You said ';
      yield text;
      const isRight = await ask({ confirm: 'Right?' });
      yield { artifact: 'verdict', text: isRight ? 'Fine' : 'Pity' };
    }, options);

    const asked = await tandem(['send', `${url}/`, 'good', 'morning']).ended;
    expect(asked).toMatchObject({ code: 0, stdout: 'You said good morning\nRight? (yes/no)\n' });
    if (options.streaming === true) expect(asked.stderr).toMatch(/^Thinking…\n/);

    const [, command = ''] = /^Task \S+ waits for an answer:\n(.*)\n$/m.exec(asked.stderr) ?? [];
    const answered = await paste(command).ended;
    expect(answered.code).toBe(0);
    expect(answered.stdout).toMatch(/^Fine$/m);
  },
  TIMEOUT_MS,
);

test.each<[string, AgentOptions['run'], string, RegExp]>([
  ['a message', ({ reply }) => reply('Just this'), 'Just this\n', /^$/],
  ['data', () => ({ data: { degrees: 21 } }), '{"degrees":21}\n', /^$/],
  [
    'an address',
    () => ({ url: 'https://example.com/a.png', mediaType: 'image/png' }),
    'https://example.com/a.png\n',
    /^$/,
  ],
  ['bytes', () => ({ bytes: 'AAAA', mediaType: 'image/png' }), '', /^\(a file that is not shown: image\/png\)\n$/],
  ['a last word', () => ({ status: 'completed', text: 'All done' }), 'All done\n', /^$/],
  ['a refusal', ({ reject }) => reject('Not on Sundays'), '', /^Task \S+: rejected\. Not on Sundays\n$/],
  ['a failure', () => Promise.reject(new Error('secret')), '', /^Task \S+: failed\. (?!.*secret).+\n$/],
])(
  '%s is printed, and is no error of ours',
  async (_, run, stdout, stderr) => {
    const ended = await tandem(['send', await serveAgent(run), 'go']).ended;
    expect(ended).toMatchObject({ code: 0, stdout });
    expect(ended.stderr).toMatch(stderr);
  },
  TIMEOUT_MS,
);

test('chunks are printed as they come', { timeout: TIMEOUT_MS }, async () => {
  let goOn = (): void => {};
  const seen = new Promise<void>((resolve) => (goOn = resolve));
  const url = await serveAgent(async function* () {
    yield 'first';
    await seen;
    yield ', second';
  });
  const sending = tandem(['send', url, 'go']);
  await sending.said(/^first$/);
  goOn();
  expect((await sending.ended).stdout).toBe('first, second\n');
});

test('a question without choices leaves the answer to the user', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ ask }) => ask('Where to?'));
  const { stdout, stderr } = await tandem(['send', url, 'go']).ended;
  expect(stdout).toBe('Where to?\n');
  expect(stderr).toMatch(/ send \S+ 'your answer' --task [\w-]+\n$/);
});

test('an answer that does not fit is refused, with what would', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async ({ ask }) => String(await ask({ confirm: 'Sure?' })));
  const { stderr } = await tandem(['send', url, 'go']).ended;
  const [, id = ''] = /--task (\S+)/.exec(stderr) ?? [];
  const refused = await tandem(['send', url, 'perhaps', '--task', id]).ended;
  const sentence = 'tandem: That does not answer the question: expected yes or no (INVALID_PARAMS)\n';
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: sentence });
});

test('an unknown task is an error', { timeout: TIMEOUT_MS }, async () => {
  const { code, stderr } = await tandem(['send', await serveAgent(() => 'x'), 'go', '--task', 'gone']).ended;
  expect([code, stderr]).toEqual([1, 'tandem: Task gone does not exist (TASK_NOT_FOUND)\n']);
});

test('nobody there is 3', { timeout: TIMEOUT_MS }, async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const { code, stderr } = await tandem(['send', `http://127.0.0.1:${port}`, 'go']).ended;
  expect([code, stderr]).toEqual([
    3,
    `tandem: No connection to http://127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  ]);
});

test.each([
  [401, 4],
  [403, 4],
  [404, 1],
  [500, 1],
])(
  'HTTP %i instead of a card is %i',
  async (status, expected) => {
    const url = await serveRaw((_, response) => response.writeHead(status).end('<html>'));
    const { code, stderr } = await tandem(['send', url, 'go']).ended;
    const sentence = `There is no agent card to be had at ${url}/.well-known/agent-card.json: HTTP ${status}`;
    expect([code, stderr]).toEqual([expected, `tandem: ${sentence}\n`]);
  },
  TIMEOUT_MS,
);

test('what is no card is an error', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveRaw((_, response) => response.end('<html>'));
  const { code, stderr } = await tandem(['send', url, 'go']).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^tandem: \S+agent-card\.json answered 200, and not with JSON \(INVALID_AGENT_RESPONSE\)\n$/);
});

test('a time that is over is 5', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* ({ signal }) {
    yield { status: 'working' };
    await once(signal, 'abort');
  });
  const { code, stderr } = await tandem(['send', url, 'go', '--timeout', '0.5']).ended;
  expect(code).toBe(5);
  expect(stderr).toMatch(/^tandem: No end within the time given(?:; task [\w-]+ may go on without us)?\n$/);
});

/** Answers with a card of its own, and to messages as the test says. */
async function serveCard(answer: RequestListener): Promise<string> {
  return serveRaw((request, response) => {
    if (request.method !== 'GET') return answer(request, response);
    const [url, protocolVersion] = [`http://${request.headers.host}/rpc`, '1.0'];
    const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion }];
    const words = { name: 'Raw', description: 'Raw', version: '1' };
    const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] };
    response.end(JSON.stringify({ ...words, supportedInterfaces, capabilities: { streaming: true }, ...modes }));
  });
}

function frame(result: unknown): string {
  return `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n\n`;
}

test.each([
  ['a connection that breaks', 'destroy', /^tandem: The connection to \S+ was lost; task t1 may go on without us\n$/],
  ['a stream that just ends', 'end', /^tandem: The answer ended before the task did; task t1 may go on without us\n$/],
] as const)(
  '%s is 3, and the task is named',
  async (_, end, sentence) => {
    const url = await serveCard((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
      response.write(frame({ task }), () => response[end]());
    });
    const { code, stderr } = await tandem(['send', url, 'go']).ended;
    expect(code).toBe(3);
    expect(stderr).toMatch(sentence);
  },
  TIMEOUT_MS,
);

test.each(['$(touch pwned)', "'; touch pwned; '", '`touch pwned`', '1 ; touch pwned', '1\ntouch pwned'])(
  'what a stranger calls a task is no command: %j',
  async (id) => {
    const url = await serveCard((_, response) => {
      const message = { messageId: '1', role: 'ROLE_AGENT', parts: [{ text: 'Well?' }] };
      const task = { id, contextId: 'c1', status: { state: 'TASK_STATE_INPUT_REQUIRED', message } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task } }));
    });
    const { stderr } = await tandem(['send', url, 'go']).ended;
    const cwd = projectWith();
    const [command = ''] = /^tandem send [^]*/m.exec(stderr) ?? [];
    expect((await paste(command, { cwd }).ended).stdout).toBe('Well?\n');
    expect(existsSync(join(cwd, 'pwned'))).toBe(false);
  },
  TIMEOUT_MS,
);

test('control characters do not reach the terminal', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* () {
    yield { status: 'working', text: 'red \u001b[31m alert\u0007\ttab' };
  });
  expect((await tandem(['send', url, 'go']).ended).stderr).toBe('red [31m alert\ttab\n');
});

test('a reader that stops reading ends it', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* ({ signal }) {
    while (!signal.aborted) {
      yield 'again and again\n';
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const { code, stdout, stderr } = await paste(`tandem send ${url} go | head -n 1`).ended;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'again and again\n', stderr: '' });
});
