import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Handler, HandlerOptions } from '../../src/server/index.ts';
import { closedAddress, frame, serveAgent, serveCard, servePeer, serveRaw } from './agents.ts';
import { paste, projectWith, tandem, TIMEOUT_MS } from './program.ts';

const VERSIONS: readonly HandlerOptions[] = (['1.0', '0.3', '0.2', '0.1'] as const).flatMap((version) => [
  { versions: [version], streaming: true },
  { versions: [version], streaming: false },
]);

test.each(VERSIONS)(
  'send prints the output and the question of an agent with versions $versions and streaming $streaming',
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

    const [, command = ''] = /^To answer:\n(.*)\n$/m.exec(asked.stderr) ?? [];
    const answered = await paste(command).ended;
    expect(answered.code).toBe(0);
    expect(answered.stdout).toMatch(/^Fine$/m);
  },
  TIMEOUT_MS,
);

const ENDED = /^Task: [\w-]+\nContext: [\w-]+\nState: completed\n$/;

test.each<[string, Handler, string, RegExp]>([
  ['a message', ({ reply }) => reply('Just this'), 'Just this\n', /^$/],
  ['data', () => ({ data: { degrees: 21 } }), '{\n  "degrees": 21\n}\n', ENDED],
  [
    'an address',
    () => ({ url: 'https://example.com/a.png', mediaType: 'image/png' }),
    'https://example.com/a.png\n',
    ENDED,
  ],
  [
    'bytes',
    () => ({ bytes: 'AAAA', mediaType: 'image/png' }),
    '',
    /^\(file not shown: no name, image\/png, 3 bytes\)\n/,
  ],
  ['a final status text', () => ({ status: 'completed', text: 'All done' }), 'All done\n', ENDED],
  ['a rejection', ({ reject }) => reject('Not on Sundays'), '', /^The task was rejected: Not on Sundays\n/],
  ['a failure', () => Promise.reject(new Error('secret')), '', /^The task failed: (?!.*secret).+\n/],
])(
  'send prints %s and exits with 0',
  async (_, run, stdout, stderr) => {
    const ended = await tandem(['send', await serveAgent(run), 'go']).ended;
    expect(ended).toMatchObject({ code: 0, stdout });
    expect(ended.stderr).toMatch(stderr);
  },
  TIMEOUT_MS,
);

test.each([
  ['completed', 0],
  ['failed', 6],
  ['rejected', 6],
  ['input-required', 0],
] as const)(
  '--exit-status turns the state %s into exit code %i, with streaming or polling',
  async (status, expected) => {
    const peer = await servePeer({ script: [[{ status }], [{ status }]] });
    for (const options of [[], ['--poll-interval', '20ms']]) {
      const { code, stderr } = await tandem(['send', peer.url, 'go', '--exit-status', ...options]).ended;
      expect(stderr).toContain(`State: ${status}\n`);
      expect(code).toBe(expected);
    }
  },
  TIMEOUT_MS,
);

test('--exit-status turns a task that another caller canceled into exit code 6', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveCard((_, response) => {
    const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_CANCELED' } };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task } }));
  });
  expect(await tandem(['send', url, 'go', '--exit-status']).ended).toMatchObject({ code: 6 });
  expect(await tandem(['send', url, 'go']).ended).toMatchObject({ code: 0 });
});

test('send prints chunks as they arrive', { timeout: TIMEOUT_MS }, async () => {
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

test(
  'without a terminal, send prints the command that answers a question for text',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveAgent(({ ask }) => ask('Where to?'));
    const { stdout, stderr } = await tandem(['send', url, 'go']).ended;
    expect(stdout).toBe('Where to?\n');
    expect(stderr).toMatch(/ send \S+ 'your answer' --task-id [\w-]+\n$/);
  },
);

test(
  'an answer that does not match the question is an error that names the expected answer',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveAgent(async ({ ask }) => String(await ask({ confirm: 'Sure?' })));
    const { stderr } = await tandem(['send', url, 'go']).ended;
    const [, id = ''] = /--task-id (\S+)/.exec(stderr) ?? [];
    const rejected = await tandem(['send', url, 'perhaps', '--task-id', id]).ended;
    const problem = 'The answer does not match the question: expected yes or no; got "perhaps"';
    expect(rejected).toMatchObject({ code: 1, stdout: '' });
    expect(rejected.stderr).toContain(`tandem: ${problem} (INVALID_PARAMS)\n`);
  },
);

test('send to an unknown task is an error', { timeout: TIMEOUT_MS }, async () => {
  const { code, stderr } = await tandem(['send', await serveAgent(() => 'x'), 'go', '--task-id', 'gone']).ended;
  expect([code, stderr]).toEqual([
    1,
    'tandem: Task gone does not exist (TASK_NOT_FOUND)\nSee docs/errors.md#task_not_found\n',
  ]);
});

test('an agent that cannot be reached gives exit code 3', { timeout: TIMEOUT_MS }, async () => {
  const url = await closedAddress();
  const { code, stderr } = await tandem(['send', url, 'go']).ended;
  expect([code, stderr]).toEqual([
    3,
    `tandem: ${url} cannot be reached: connect ECONNREFUSED ${new URL(url).host}\nTo find the cause: tandem doctor ${url}\nSee docs/errors.md#transport_failed\n`,
  ]);
});

test.each([
  [401, 4, /^tandem: The agent requires authentication: /],
  [403, 4, /^tandem: The agent denied permission: /],
  [404, 3, /^tandem: No agent card was found: /],
  [500, 3, /^tandem: /],
])(
  'HTTP %i in place of a card gives exit code %i',
  async (status, expected, sentence) => {
    const url = await serveRaw((_, response) => response.writeHead(status).end('<html>'));
    const { code, stderr } = await tandem(['send', url, 'go']).ended;
    expect(stderr).toMatch(sentence);
    expect(code).toBe(expected);
  },
  TIMEOUT_MS,
);

test('a card that is not JSON gives exit code 3', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveRaw((_, response) => response.end('<html>'));
  const { code, stderr } = await tandem(['send', url, 'go']).ended;
  expect(code).toBe(3);
  expect(stderr).toMatch(/^tandem: No agent card was found: \S+agent-card\.json returned a body that is not JSON; /);
});

test('--timeout that expires gives exit code 5', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* ({ signal }) {
    yield { status: 'working' };
    await once(signal, 'abort');
  });
  const { code, stderr } = await tandem(['send', url, 'go', '--timeout', '0.5']).ended;
  expect(code).toBe(5);
  expect(stderr).toMatch(
    /^tandem: No result within 0\.5\n(?:The .+ may still be .+\. To .+: tandem (?:wait task1\S+|task list \S+)\n)?See docs\/errors\.md#timeout\n$/,
  );
});

test(
  '--timeout for an agent that has sent nothing yet names the command that lists its tasks',
  {
    timeout: TIMEOUT_MS,
  },
  async () => {
    const url = await serveCard((_, response) => void once(response, 'close'));
    const { code, stderr } = await tandem(['send', url, 'go', '--timeout', '3']).ended;
    expect(code).toBe(5);
    expect(stderr).toBe(
      `tandem: No result within 3\nThe agent may still be working on the message. To see its tasks: tandem task list ${url}\n` +
        'See docs/errors.md#timeout\n',
    );
  },
);

test.each([
  ['a connection that breaks', 'destroy'],
  ['a stream that just ends', 'end'],
] as const)(
  '%s without recovery gives exit code 3 and prints how to wait for the task',
  async (_, end) => {
    const url = await serveCard((request, response) => {
      // The task cannot be read either.
      if (request.headers.accept?.includes('text/event-stream') !== true) return void response.destroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const task = { id: 't1', contextId: 'c1', status: { state: 'TASK_STATE_WORKING' } };
      response.write(frame({ task }), () => response[end]());
    });
    const { code, stderr } = await tandem(['send', url, 'go']).ended;
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^tandem: The connection to \S+ was lost: .+\nThe task may still be running\. To wait for it: tandem wait task1\S+\nSee docs\/errors\.md#transport_failed\n$/,
    );
  },
  TIMEOUT_MS,
);

test.each(['$(touch pwned)', "'; touch pwned; '", '`touch pwned`', '1 ; touch pwned', '1\ntouch pwned'])(
  'a task id cannot inject a shell command: %j',
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

test('send removes control characters from progress texts', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* () {
    yield { status: 'working', text: 'red \u001b[31m alert\u0007\ttab' };
  });
  expect((await tandem(['send', url, 'go']).ended).stderr).toMatch(/^red \[31m alert\ttab\n/);
});

test('send ends when the program that its output is piped to closes the pipe', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(async function* ({ signal }) {
    while (!signal.aborted) {
      yield 'again and again\n';
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  const { code, stdout, stderr } = await paste(`tandem send ${url} go | head -n 1`).ended;
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'again and again\n', stderr: '' });
});
