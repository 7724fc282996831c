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
    name: 'an agent without problems',
    open: () => serveAgent(({ text }) => text),
    code: 0,
    answers: { reachable: true, authorised: true, trouble: null, problems: [] },
    lines: [
      /✓ Reachable +responded in \d+ ms/,
      /✓ Authorised /,
      /✓ Card +Subject /,
      /✓ Interface +JSONRPC 1\.0 /,
      /✓ Get /,
      /✓ List /,
      /✓ Subscribe /,
      /\? Stream +not checked: add --message/,
      /\nNo problems found\.\n$/,
    ],
  },
  {
    name: 'an agent of 0.2',
    open: async () => (await servePeer({ version: '0.2', streaming: false })).url,
    code: 0,
    answers: { reachable: true, authorised: true, chosen: { version: '0.2' } },
    lines: [/✓ Interface +JSONRPC 0\.2 /, /\? Streaming +not declared by the card/, /\nNo problems found\.\n$/],
  },
  {
    name: 'an agent that requires credentials',
    open: async () => (await servePeer({ faults: [{ fault: 'status', status: 401, ...always }] })).url,
    code: 4,
    answers: { reachable: true, authorised: false },
    lines: [/✓ Reachable/, /✗ Authorised .*\n +Pass a token with A2ACLI_BEARER/, /✓ Card/],
  },
  {
    name: 'a card that requires credentials',
    open: async () => (await servePeer({ faults: [{ fault: 'status', status: 401, on: 'card', ...always }] })).url,
    code: 4,
    answers: { reachable: true, authorised: false, card: null },
    lines: [/✓ Reachable/, /✗ Authorised/],
  },
  {
    name: 'a card with problems',
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
      /✗ skills\[1\]\.id: two skills have the id "a"\n +Change one of them/,
      /! skills\[2\]\.tags: .*\n +Add skills\[2\]\.tags/,
    ],
  },
  {
    name: 'JSON that is not a card',
    open: () => serveRaw((_, response) => response.end('{"name":1}')),
    code: 1,
    answers: { reachable: true, authorised: null, card: null, cardUrl: expect.stringContaining('agent-card.json') },
    lines: [/✓ Reachable/, /\? Authorised/, /✗ Usable +No agent card was found/, /✗ Card +cannot be decoded, at /],
  },
  {
    name: 'a website',
    open: () => serveRaw((_, response) => response.end('<html>')),
    code: 1,
    answers: { reachable: true, authorised: null, cardUrl: null },
    lines: [/✗ Usable .*a body that is not JSON/],
  },
  {
    name: 'a closed port',
    open: closedAddress,
    code: 3,
    answers: { reachable: false, authorised: null },
    lines: [
      /✗ Reachable .*ECONNREFUSED.*\n +Check that the agent is running/,
      /\? Authorised +not checked, because the agent is not reachable/,
      /\nThe agent is not reachable\.\n$/,
    ],
  },
];

test.each(CASES)(
  'doctor on $name exits with $code and reports reachability, authorisation and problems',
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
  expect(stdout).toMatch(/✓ Stream +\d+ events, the task is completed\n/);
  expect(code).toBe(0);
});

test('doctor marks an operation that the agent does not support', { timeout: TIMEOUT_MS }, async () => {
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

test('doctor and send accept the file of a card', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ text }) => text);
  const card = await (await fetch(`${url}/.well-known/agent-card.json`)).text();
  const cwd = projectWith({ 'card.json': card, 'broken.json': '{"name":"x"}' });
  const refused = await tandem(['doctor', 'card.json'], { cwd }).ended;
  expect([refused.code, refused.stdout]).toEqual([
    3,
    expect.stringMatching(/✗ Reachable .* private network.*\n +.*--allow-origin/),
  ]);
  expect(await tandem(['doctor', 'card.json', '--allow-origin', url], { cwd }).ended).toMatchObject({ code: 0 });
  expect(await tandem(['send', 'card.json', 'hi', '--allow-origin', url], { cwd }).ended).toMatchObject({
    stdout: 'hi\n',
  });
  const broken = await tandem(['doctor', 'broken.json'], { cwd }).ended;
  expect([broken.code, broken.stdout]).toEqual([
    1,
    expect.stringMatching(/✗ The card: .*\n +Publish an A2A 1\.0 card/),
  ]);
});

test('card get shows a 0.2 card in the 1.0 format', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ version: '0.2', extendedCard: { name: 'Secret clerk' } });
  const text = await tandem(['discover', peer.url]).ended;
  expect(text).toMatchObject({ code: 0, stderr: '' });
  expect(text.stdout).toMatch(/^Name: Fake peer\nDescription: .*\nVersion: .*\nInterfaces:\n {2}\* JSONRPC 0\.2/);
  const json = await tandem(['card', 'get', '-a', peer.url, '-o', 'json']).ended;
  expect(JSON.parse(json.stdout)).toMatchObject({
    supportedInterfaces: [{ protocolBinding: 'JSONRPC', url: `${peer.url}/a2a` }],
  });
});

test(
  'card get --extended --validate shows the extended card and lists its warnings',
  { timeout: TIMEOUT_MS },
  async () => {
    const peer = await servePeer({ extendedCard: { name: 'Secret clerk', skills: [] } });
    const { code, stdout } = await tandem(['card', 'get', peer.url, '--extended', '--validate']).ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^Name: Secret clerk\n[^]*\nThe card is valid, with 1 warning:\n {4}! skills: the card lists no skills/,
    );
  },
);

test(
  'card get --validate states that a card is valid, with its version and counts',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveAgent(({ text }) => text);
    const text = await tandem(['card', 'get', url, '--validate']).ended;
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/\n\nThe card is valid: A2A 1\.0.*, \d interfaces, 1 skill\.\n$/);
    const json = await tandem(['card', 'get', url, '--validate', '-o', 'json']).ended;
    expect(JSON.parse(json.stdout)).toMatchObject({ name: 'Subject' });
    expect(json).toMatchObject({ code: 0, stderr: expect.stringMatching(/^The card is valid: /) as string });
  },
);

test('card get --validate lists problems of the published card and exits with 1', { timeout: TIMEOUT_MS }, async () => {
  const skill = { id: 'a', name: 'A', description: 'A', tags: [] };
  const skills = [skill, skill, { id: 'b', name: 'B', description: 'B' }];
  const peer = await servePeer({ writeCard: (card) => ({ ...card, skills }) });
  const { code, stdout } = await tandem(['card', 'get', peer.url, '--validate']).ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nThe card has 1 problem and 1 warning:\n {4}✗ skills\[1\]\.id: two skills .*\n {6}Change one/,
  );
  expect(stdout).toMatch(/\n {4}! skills\[2\]\.tags: .*\n {6}Add skills\[2\]\.tags\n$/);
});

test(
  'card get --validate lists the problems of a card that clients cannot decode',
  { timeout: TIMEOUT_MS },
  async () => {
    const url = await serveRaw((_, response) => response.end('{"name":1}'));
    const text = await tandem(['card', 'get', url, '--validate']).ended;
    expect(text.code).toBe(1);
    expect(text.stdout).toMatch(/^The card has \d+ problems?:\n {4}✗ .*\n {6}\S/);
    const json = await tandem(['card', 'get', url, '--validate', '-o', 'json']).ended;
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: 'A2ACLI_ERR_CARD_INVALID' } });
    expect(json.stderr).toMatch(/^The card has \d+ problems?:\n/);
  },
);
