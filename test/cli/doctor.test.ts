import { expect, test } from 'vitest';
import { closedAddress, serveAgent, servePeer, serveRaw } from './agents.ts';
import { projectWith, tandem, TIMEOUT_MS } from './program.ts';

const always = { times: Number.POSITIVE_INFINITY };

const CASES: readonly {
  readonly name: string;
  readonly open: () => Promise<string>;
  readonly code: number;
  readonly answers: object;
  readonly lines: readonly RegExp[];
}[] = [
  {
    name: 'an agent that is well',
    open: () => serveAgent(({ text }) => text),
    code: 0,
    answers: { reachable: true, authorised: true, trouble: null, problems: [] },
    lines: [
      /✓ Reachable +answered in \d+ ms/,
      /✓ Authorised /,
      /✓ Card +Subject /,
      /✓ Interface +JSONRPC 1\.0 /,
      /✓ Get /,
      /✓ List /,
      /✓ Subscribe /,
      /\? Stream +not tried: --message/,
      /\nAll is well\.\n$/,
    ],
  },
  {
    name: 'an agent of 0.2',
    open: async () => (await servePeer({ version: '0.2', streaming: false })).url,
    code: 0,
    answers: { reachable: true, authorised: true, chosen: { version: '0.2' } },
    lines: [/✓ Interface +JSONRPC 0\.2 /, /\? Streams +not declared by the card/, /\nAll is well\.\n$/],
  },
  {
    name: 'an agent that wants credentials',
    open: async () => (await servePeer({ faults: [{ fault: 'status', status: 401, ...always }] })).url,
    code: 4,
    answers: { reachable: true, authorised: false },
    lines: [/✓ Reachable/, /✗ Authorised .*\n +Give a token with A2ACLI_BEARER/, /✓ Card/],
  },
  {
    name: 'a card that wants credentials',
    open: async () => (await servePeer({ faults: [{ fault: 'status', status: 401, on: 'card', ...always }] })).url,
    code: 4,
    answers: { reachable: true, authorised: false, card: null },
    lines: [/✓ Reachable/, /✗ Authorised/],
  },
  {
    name: 'a card with faults',
    open: async () => {
      const skill = { id: 'a', name: 'A', description: 'A', tags: [] };
      return (await servePeer({ writeCard: (card) => ({ ...card, skills: [skill, skill, { id: 'b', name: 'B' }] }) }))
        .url;
    },
    code: 1,
    answers: {
      reachable: true,
      authorised: true,
      problems: expect.arrayContaining([expect.objectContaining({ path: 'skills[1].id', severity: 'error' })]),
    },
    lines: [
      /✗ Card/,
      /✗ skills\[1\]\.id: a is the id of two skills\n +Choose another/,
      /! skills\[2\]\.tags: .*\n +Add skills\[2\]\.tags/,
    ],
  },
  {
    name: 'JSON that is no card',
    open: () => serveRaw((_, response) => response.end('{"name":1}')),
    code: 1,
    answers: { reachable: true, authorised: null, card: null, cardUrl: expect.stringContaining('agent-card.json') },
    lines: [/✓ Reachable/, /\? Authorised/, /✗ Usable +No agent card was found/, /✗ Card +cannot be read, at /],
  },
  {
    name: 'a web site',
    open: () => serveRaw((_, response) => response.end('<html>')),
    code: 1,
    answers: { reachable: true, authorised: null, cardUrl: null },
    lines: [/✗ Usable .*something that is not JSON/],
  },
  {
    name: 'nobody',
    open: closedAddress,
    code: 3,
    answers: { reachable: false, authorised: null },
    lines: [
      /✗ Reachable .*ECONNREFUSED.*\n +Is it running/,
      /\? Authorised +nobody to ask/,
      /\nIt cannot be reached\.\n$/,
    ],
  },
];

test.each(CASES)(
  '$name: reachable and authorised are two answers, and what is wrong is said',
  async ({ open, code, answers, lines }) => {
    const url = await open();
    const [text, json] = await Promise.all([
      tandem(['doctor', url]).ended,
      tandem(['doctor', url, '-o', 'json']).ended,
    ]);
    expect([text.code, json.code, text.stderr, json.stderr]).toEqual([code, code, '', '']);
    for (const line of lines) expect(text.stdout).toMatch(line);
    expect(JSON.parse(json.stdout)).toMatchObject({ agent: url, ...answers });
  },
  TIMEOUT_MS,
);

test('doctor --message reads the stream of a message', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ text }) => text);
  const { code, stdout } = await tandem(['doctor', url, '--message', 'Hello']).ended;
  expect(stdout).toMatch(/✓ Stream +\d+ events, and the task is completed\n/);
  expect(code).toBe(0);
});

test('doctor does not call an agent well that has no operation', { timeout: TIMEOUT_MS }, async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'No such method' } });
  const headers = { 'content-type': 'application/json' };
  const peer = await servePeer({ faults: [{ fault: 'status', on: 'GetTask', status: 200, headers, body, ...always }] });
  const { stdout } = await tandem(['doctor', peer.url]).ended;
  expect(stdout).toMatch(/\? Get +not supported: /);
});

test.each([
  ['stream', ['--message', 'Hello'], 'SendStreamingMessage'],
  ['list', [], 'ListTasks'],
  ['subscribe', [], 'SubscribeToTask'],
] as const)(
  'doctor exits with 1 if clients cannot read the response to %s',
  { timeout: TIMEOUT_MS },
  async (operation, options, on) => {
    const headers = { 'content-type': 'text/event-stream' };
    const body = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: { surprise: true } })}\n\n`;
    const peer = await servePeer({ faults: [{ fault: 'status', on, status: 200, headers, body, ...always }] });
    const { code, stdout } = await tandem(['doctor', peer.url, ...options, '-o', 'json']).ended;
    const { operations } = JSON.parse(stdout) as { operations: object[] };
    expect(operations).toContainEqual(expect.objectContaining({ operation, result: 'broken' }));
    expect(code).toBe(1);
  },
);

test('the card of a file is looked at too', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ text }) => text);
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
  const cwd = projectWith({ 'card.json': card, 'broken.json': '{"name":"x"}' });
  const refused = await tandem(['doctor', 'card.json'], { cwd }).ended;
  expect([refused.code, refused.stdout]).toEqual([
    3,
    expect.stringMatching(/✗ Reachable .* private network.*\n +If you trust it, say so with --allow-origin/),
  ]);
  expect(await tandem(['doctor', 'card.json', '--allow-origin', url], { cwd }).ended).toMatchObject({ code: 0 });
  expect(await tandem(['send', 'card.json', 'hi', '--allow-origin', url], { cwd }).ended).toMatchObject({
    stdout: 'hi\n',
  });
  const broken = await tandem(['doctor', 'broken.json'], { cwd }).ended;
  expect([broken.code, broken.stdout]).toEqual([
    1,
    expect.stringMatching(/✗ The card: .*\n +Publish a card of A2A 1\.0/),
  ]);
});

test('card get shows a card, in the words of 1.0 whatever it was written in', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ version: '0.2', extendedCard: { name: 'Secret clerk' } });
  const text = await tandem(['discover', peer.url]).ended;
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/^Name: Fake peer\nDescription: .*\nVersion: .*\nInterfaces:\n {2}\* JSONRPC 0\.2/);
  const json = await tandem(['card', 'get', '-a', peer.url, '-o', 'json']).ended;
  expect(JSON.parse(json.stdout)).toMatchObject({
    supportedInterfaces: [{ protocolBinding: 'JSONRPC', url: `${peer.url}/a2a` }],
  });
});

test('card get --extended and --validate', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ extendedCard: { name: 'Secret clerk', skills: [] } });
  const { code, stdout } = await tandem(['card', 'get', peer.url, '--extended', '--validate']).ended;
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Name: Secret clerk\n[^]*! skills: there are no skills/);
});
