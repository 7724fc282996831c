import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serveAgent, servePeer, serveRaw } from './agents.ts';
import { projectWith, tandem, TIMEOUT_MS } from './program.ts';

/** Serves an agent with two artifacts. The task of `wait` ends when `finish` is called. */
async function clerk(): Promise<{ readonly url: string; finish(): void }> {
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const url = await serveAgent(async function* ({ text, ask }) {
    yield { status: 'working', text: 'Looking…' };
    if (text === 'ask') yield `You want ${await ask('What?')}`;
    yield { artifact: 'list', text: 'one\n' };
    if (text === 'wait') await finished;
    yield { artifact: 'list', text: 'two\n', append: true };
    yield { artifact: 'picture', bytes: 'AAAA', filename: '../../dot.png', mediaType: 'image/png' };
  });
  return { url, finish: () => finish() };
}

/** The time of a change that was just made. */
const AGO = /^(?:now|\d+s ago)$/;

async function idOf(url: string, text: string): Promise<string> {
  const { stdout } = await tandem(['send', url, text, '-o', 'json']).ended;
  return (JSON.parse(stdout) as { task: { id: string } }).task.id;
}

test('wait prints the output of a detached task by its handle alone', { timeout: TIMEOUT_MS }, async () => {
  const { url, finish } = await clerk();
  const sent = await tandem(['send', url, 'wait', '--detach']).ended;
  expect(sent.code).toBe(0);
  const [handle = '', ...rest] = sent.stdout.split('\n');
  expect(rest).toEqual(['']);
  expect(sent.stderr).toMatch(/^Task: [\w-]+\nContext: [\w-]+\nState: (?:submitted|working)\n/);
  expect(sent.stderr).toContain(`tandem wait ${handle}\n`);

  const waiting = tandem(['wait', handle]);
  await waiting.said(/^one$/m);
  finish();
  const ended = await waiting.ended;
  expect(ended).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
  expect(ended.stderr).toMatch(/State: completed\n$/);

  const again = await tandem(['wait', handle, '-o', 'json']).ended;
  expect(JSON.parse(again.stdout)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

test('a task keeps running after Ctrl-C in wait', { timeout: TIMEOUT_MS }, async () => {
  const { url, finish } = await clerk();
  const { stdout } = await tandem(['send', url, 'wait', '--async']).ended;
  const waiting = tandem(['wait', stdout.trim()]);
  await waiting.said(/^one$/m);
  const left = await waiting.kill('SIGINT');
  expect(left.code).toBe(130);
  expect(left.stderr).toContain(`To wait for it again: tandem wait ${stdout.trim()}\n`);
  finish();
  expect(await tandem(['task', 'get', stdout.trim(), '--wait']).ended).toMatchObject({ code: 0, stdout: 'one\ntwo\n' });
});

test('send --poll-interval polls the task instead of streaming', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: [[{ status: 'working', text: 'Hm' }, 'a', 'b']] });
  const { code, stdout } = await tandem(['send', peer.url, 'hi', '--poll-interval', '10ms']).ended;
  expect([code, stdout]).toEqual([0, 'ab\n']);
  const operations = new Set(peer.requests.map(({ operation }) => operation));
  expect([...operations]).toEqual(['card', 'SendMessage', 'GetTask']);
});

test.each([['task', 'get'], ['get', 'task'], ['get']])(
  'tandem %s %s shows a task',
  async (...verbs) => {
    const { url } = await clerk();
    const id = await idOf(url, 'now');
    const words = verbs.filter((verb) => verb !== undefined);
    const shown = await tandem([...words, url, id, '--history', '1']).ended;
    expect(shown.code).toBe(0);
    expect(shown.stdout).toMatch(new RegExp(`^Task: ${id}\\nContext: [\\w-]+\\nState: completed\\nSince: `));
    expect(shown.stdout).toContain('Artifact list:\none\ntwo\n\nArtifact picture:\n(file not shown: ');
    const json = await tandem([...words, '-a', url, id, '-o', 'json']).ended;
    expect(JSON.parse(json.stdout)).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' } });
  },
  TIMEOUT_MS,
);

test(
  'task get --events prints the numbered events of a running and of an ended task',
  { timeout: TIMEOUT_MS },
  async () => {
    const { url, finish } = await clerk();
    const { stdout: handle } = await tandem(['send', url, 'wait', '--detach']).ended;
    await tandem(['task', 'get', handle.trim(), '--wait', '--timeout', '300ms']).ended;
    const running = await tandem(['task', 'get', handle.trim(), '--events']).ended;
    expect(running.stdout).toMatch(/^ {3}1 {2}task +submitted$[^]*^ {3}4 {2}artifact +list = "one\\n"$/m);
    finish();
    const whole = await tandem(['task', 'get', handle.trim(), '--events', '--wait', '-o', 'json']).ended;
    const lines = whole.stdout.trimEnd().split('\n');
    const log = lines.map((line) => JSON.parse(line) as { number: number; event: object });
    expect(log.map(({ number }) => number)).toEqual(log.map((_, i) => i + 1));
    expect(log.at(-1)?.event).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  },
);

test('task get --events fails if the agent does not number its events', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: [[{ status: 'working' }]] });
  const { stdout } = await tandem(['send', peer.url, 'hi', '--detach']).ended;
  const { code, stderr } = await tandem(['task', 'get', stdout.trim(), '--events']).ended;
  expect(code).toBe(1);
  expect(stderr).toBe(
    'tandem: The agent does not number its events, so they cannot be listed. Show the task without --events.\n',
  );
});

test.each([[['task', 'list']], [['list', 'tasks']], [['tasks']]])(
  'tandem %s lists tasks',
  async (words) => {
    const { url } = await clerk();
    const [done, asking] = [await idOf(url, 'now'), await idOf(url, 'ask')];
    const all = await tandem([...words, url]).ended;
    expect(all.stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'STATE', 'CHANGED', 'REQUEST'],
      [asking, 'input-required', expect.stringMatching(AGO), 'ask'],
      [done, 'completed', expect.stringMatching(AGO), 'now'],
      [''],
    ]);
    const some = await tandem([...words, url, '--status', 'completed', '-o', 'json']).ended;
    expect(JSON.parse(some.stdout)).toMatchObject({ tasks: [{ id: done }], totalSize: 1 });
    const page = await tandem([...words, url, '--limit', '1']).ended;
    expect(page.stderr).toMatch(/^For more tasks: --page-token \S+\n$/);
  },
  TIMEOUT_MS,
);

test('task cancel cancels an open task and fails for an ended one', { timeout: TIMEOUT_MS }, async () => {
  const { url } = await clerk();
  const canceled = await tandem(['task', 'cancel', url, await idOf(url, 'ask')]).ended;
  expect(canceled.stdout).toContain('State: canceled\n');
  const again = await tandem(['cancel', url, await idOf(url, 'now'), '-o', 'json']).ended;
  expect(again.code).toBe(1);
  expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'TaskNotCancelableError', a2aCode: -32002 } });
});

test.each([['task', 'subscribe'], ['watch']])(
  'tandem %s %s streams the events of a task',
  async (...verbs) => {
    const { url, finish } = await clerk();
    const { stdout } = await tandem(['send', url, 'wait', '--detach']).ended;
    const words = verbs.filter((verb) => verb !== undefined);
    const following = tandem([...words, stdout.trim(), '-o', 'json', '--stream']);
    await following.said(/one/);
    finish();
    const ended = await following.ended;
    expect(ended.code).toBe(0);
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toContain('"statusUpdate"');
  },
  TIMEOUT_MS,
);

test('task download saves artifacts inside the folder and overwrites no file', { timeout: TIMEOUT_MS }, async () => {
  const { url } = await clerk();
  const id = await idOf(url, 'now');
  const cwd = projectWith();
  for (const _ of ['once', 'twice']) await tandem(['task', 'download', url, id, '--out', 'results'], { cwd }).ended;
  const folder = join(cwd, 'results');
  expect(readdirSync(folder).sort()).toEqual(['dot-1.png', 'dot.png', 'list-1.txt', 'list.txt']);
  expect(readFileSync(join(folder, 'list.txt'), 'utf8')).toBe('one\ntwo\n');
  expect(readFileSync(join(folder, 'dot.png'))).toEqual(Buffer.from('AAAA', 'base64'));
  const other = await tandem(['task', 'download', url, id, '--artifact', 'lst'], { cwd }).ended;
  expect([other.code, other.stderr]).toEqual([
    1,
    'tandem: The task has no artifact lst. Its artifacts: list, picture\n',
  ]);
});

test(
  'task download fetches URLs only with --fetch, and private addresses only with --allow-origin',
  { timeout: TIMEOUT_MS },
  async () => {
    const files = await serveRaw((_, response) => response.end('the file'));
    const url = await serveAgent(() => ({ artifact: 'far', url: `${files}/far.txt`, mediaType: 'text/plain' }));
    const id = await idOf(url, 'now');
    const cwd = projectWith();
    const run = (...more: string[]) => tandem(['task', 'download', url, id, ...more], { cwd }).ended;
    expect(await run()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Not downloaded: ${files}/far.txt. Pass --fetch to download it.\n`,
    });
    expect(await run('--fetch')).toMatchObject({ code: 3, stdout: '' });
    expect(await run('--fetch', '--allow-origin', files)).toMatchObject({ code: 0, stdout: 'far.txt\n' });
    expect(readFileSync(join(cwd, 'far.txt'), 'utf8')).toBe('the file');
  },
);

test.each(['1.0', '0.3'] as const)(
  'task push-config sets, prints without secrets, and deletes a webhook of an agent of %s',
  async (version) => {
    const peer = await servePeer({ version, script: [[{ status: 'working' }]] });
    const { stdout: handle } = await tandem(['send', peer.url, 'hi', '--detach']).ended;
    const config = (verb: string, ...more: string[]) =>
      tandem(['task', 'push-config', verb, handle.trim(), ...more]).ended;
    const secrets = ['--token', 'secret-token', '--scheme', 'Bearer', '--credentials', 'secret-credentials'];
    const set = await config('set', '--url', 'https://me.example/hook', '--id', 'mine', ...secrets);
    expect(set).toMatchObject({ code: 0, stderr: '' });
    const listed = await config('list');
    expect(listed.stdout).toBe('Id: mine\nUrl: https://me.example/hook\nToken: (set)\nScheme: Bearer\n');
    const got = await config('get', 'mine', '-o', 'json');
    expect(JSON.parse(got.stdout)).toMatchObject({ id: 'mine', url: 'https://me.example/hook' });
    expect(await config('delete', 'mine')).toMatchObject({ code: 0, stdout: '', stderr: 'Deleted: mine\n' });
    expect((await config('list', '-o', 'json')).stdout).toBe('{\n  "configs": []\n}\n');
  },
  TIMEOUT_MS,
);

test('send keeps the order and the media types of parts', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: ['ok'] });
  const cwd = projectWith({ 'a.csv': 'a,b\n', 'd.json': '{"n":1}' });
  const parts = [
    '--file',
    'a.csv',
    '--text',
    'and',
    '--data',
    'd.json',
    '--data',
    '-',
    '--file',
    'https://x.example/p.pdf',
  ];
  const more = ['--media-type', 'application/x-pdf', '--metadata', '{"k":[1]}', '--context-id', 'c1', '--history', '3'];
  const { code } = await tandem(['send', peer.url, 'look', ...parts, ...more], { cwd, input: '[true]' }).ended;
  expect(code).toBe(0);
  expect(peer.requests.at(-1)?.input).toMatchObject({
    metadata: { k: [1] },
    configuration: { historyLength: 3 },
    message: {
      contextId: 'c1',
      parts: [
        { text: 'look' },
        { raw: Buffer.from('a,b\n').toString('base64'), filename: 'a.csv', mediaType: 'text/csv' },
        { text: 'and' },
        { data: { n: 1 } },
        { data: [true] },
        { url: 'https://x.example/p.pdf', filename: 'p.pdf', mediaType: 'application/x-pdf' },
      ],
    },
  });
});

test.each([
  ['a handle alone', (handle: string) => [handle]],
  ['a message', (handle: string) => [handle, '--text', 'tea']],
])(
  'send answers a question with the handle of its task: %s',
  async (_, words) => {
    const { url } = await clerk();
    const sent = await tandem(['send', url, 'ask', '--detach']).ended;
    const handle = sent.stdout.trim();
    await tandem(['wait', handle]).ended;
    const given = words(handle);
    const answered = await tandem(['send', ...given, ...(given.length === 1 ? ['tea'] : [])]).ended;
    expect(answered).toMatchObject({ code: 0, stdout: expect.stringMatching(/^You want tea\n/) });
  },
  TIMEOUT_MS,
);
