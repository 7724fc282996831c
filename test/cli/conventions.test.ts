/** The A2A CLI conventions: settings, JSON output, error codes, exit codes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import type { FakePeerOptions } from '../../src/testing/index.ts';
import { closedAddress, serveAgent, servePeer } from './agents.ts';
import { projectWith, type RunOptions, tandem, TIMEOUT_MS } from './program.ts';

interface Settings {
  readonly flag?: string;
  readonly env?: string;
  readonly local?: string;
  readonly global?: string;
}

/** Returns the token that the agent receives if each of these sources sets one. */
async function tokenThatArrives({ flag, env, local, global }: Settings): Promise<string | undefined> {
  const peer = await servePeer({ script: ['ok'] });
  const file = (token: string | undefined): string => (token === undefined ? '' : `# mine\nA2ACLI_BEARER="${token}"\n`);
  const cwd = projectWith({ '.env': file(local), 'other.env': 'A2ACLI_BEARER=named\n' });
  const settings = projectWith();
  mkdirSync(join(settings, 'a2a-cli'));
  writeFileSync(join(settings, 'a2a-cli/.env'), file(global));
  const options: RunOptions = {
    cwd,
    env: { XDG_CONFIG_HOME: settings, A2ACLI_AGENT_CARD: peer.url, ...(env !== undefined && { A2ACLI_BEARER: env }) },
  };
  const ended = await tandem(['send', 'hi', ...(flag === undefined ? [] : ['--bearer', flag])], options).ended;
  expect(ended).toMatchObject({ code: 0, stdout: 'ok\n' });
  expect(ended.stdout + ended.stderr).not.toContain('secret-');
  return peer.requests.find(({ operation }) => operation !== 'card')?.headers['authorization'];
}

test.each<[string, Settings, string | undefined]>([
  ['a flag', { flag: 'secret-1', env: 'secret-2', local: 'secret-3', global: 'secret-4' }, 'secret-1'],
  ['the environment', { env: 'secret-2', local: 'secret-3', global: 'secret-4' }, 'secret-2'],
  ['the local file', { local: 'secret-3', global: 'secret-4' }, 'secret-3'],
  ['the global file', { global: 'secret-4' }, 'secret-4'],
  ['nothing', {}, undefined],
])(
  '%s takes precedence over the sources below it',
  async (_, settings, expected) => {
    const header = expected === undefined ? undefined : `Bearer ${expected}`;
    expect(await tokenThatArrives(settings)).toBe(header);
  },
  TIMEOUT_MS,
);

test('config show prints the source of each setting, and no secrets', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({ '.env': 'A2ACLI_TIMEOUT=30s\nA2ACLI_API_KEY=secret-key\n' });
  const args = ['config', 'show', '-o', 'json', '--bearer', 'secret-token'];
  const { code, stdout } = await tandem(args, { cwd, env: { A2ACLI_VERBOSE: 'yes' } }).ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain('secret-');
  const { settings } = JSON.parse(stdout) as { settings: { name: string }[] };
  const named = Object.fromEntries(settings.map((row) => [row.name, row]));
  expect(named).toMatchObject({
    bearer: { value: '***', source: 'flag' },
    timeout: { value: '30s', source: expect.stringMatching(/^A2ACLI_TIMEOUT \(.*\.env\)$/) },
    verbose: { value: 'true', source: 'A2ACLI_VERBOSE (environment)' },
    output: { value: 'json', source: 'flag' },
    endpoint: { value: null, source: 'default' },
  });
});

test('--stream is never read from the environment', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: [['a', 'b']] });
  const env = { A2ACLI_STREAM: 'true', A2ACLI_OUTPUT: 'json' };
  const { stdout } = await tandem(['send', peer.url, 'hi'], { env }).ended;
  expect(JSON.parse(stdout)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
});

const VERSIONS: readonly FakePeerOptions[] = (['1.0', '0.3', '0.2', '0.1'] as const).flatMap((version) => [
  { version, streaming: true },
  { version, streaming: false },
]);

test.each(VERSIONS)(
  'send -o json prints the 1.0 format for an agent of $version with streaming: $streaming',
  async (options) => {
    const peer = await servePeer({ ...options, script: [[{ status: 'working', text: 'Hm' }, 'Hel', 'lo']] });
    const whole = await tandem(['send', peer.url, 'hi', '-o', 'json']).ended;
    expect(JSON.parse(whole.stdout)).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });

    const { stdout } = await tandem(['send', peer.url, 'hi', '-o', 'json', '--stream']).ended;
    const lines = stdout.trimEnd().split('\n');
    const members = lines.map((line) => Object.keys(JSON.parse(line) as object));
    for (const names of members) expect(['task', 'statusUpdate', 'artifactUpdate']).toContain(names.join());
    expect(lines.at(-1)).toContain('TASK_STATE_COMPLETED');
    expect(peer.doubleSends).toEqual([]);
  },
  TIMEOUT_MS,
);

const REJECTED = new A2AError('CONTENT_TYPE_NOT_SUPPORTED', 'No pictures, please');

test.each<[string, readonly string[], FakePeerOptions | undefined, number, object]>([
  ['usage', ['send', 'URL', 'hi', '--tiemout', '3'], {}, 2, { code: 'A2ACLI_ERR_USAGE', a2aCode: null, hint: null }],
  ['a closed port', ['send', 'URL', 'hi'], undefined, 3, { code: 'A2ACLI_ERR_UNREACHABLE' }],
  ['no card', ['card', 'get', 'URL/nowhere/card.json'], {}, 3, { code: 'A2ACLI_ERR_CARD_NOT_FOUND' }],
  ['no usable interface', ['card', 'get', 'URL'], { writeCard: grpcOnly }, 1, { code: 'A2ACLI_ERR_CARD_INVALID' }],
  ['no credentials', ['send', 'URL', 'hi'], always(401), 4, { code: 'A2ACLI_ERR_CREDENTIALS_MISSING' }],
  [
    'wrong credentials',
    ['send', 'URL', 'hi', '--bearer', 'secret-x'],
    always(401),
    4,
    { code: 'A2ACLI_ERR_AUTH_FAILED' },
  ],
  ['not allowed', ['send', 'URL', 'hi', '--api-key', 'secret-y'], always(403), 4, { code: 'A2ACLI_ERR_AUTH_FAILED' }],
  [
    'a timeout',
    ['send', 'URL', 'hi', '--timeout', '400ms'],
    { script: [[{ status: 'working' }]] },
    5,
    { code: 'A2ACLI_ERR_TIMEOUT' },
  ],
  ['unknown task', ['task', 'get', 'URL', 'gone'], {}, 1, { code: 'TaskNotFoundError', a2aCode: -32001 }],
  [
    'a rejection',
    ['send', 'URL', 'hi'],
    { script: [REJECTED] },
    1,
    { code: 'ContentTypeNotSupportedError', a2aCode: -32005 },
  ],
  [
    'another version',
    ['send', 'URL', 'hi', '--a2a-version', '0.3'],
    {},
    1,
    { code: 'VersionNotSupportedError', a2aCode: -32009, hint: expect.stringContaining('1.0') },
  ],
])(
  '-o json prints an error as JSON: %s',
  async (_, args, options, exitCode, error) => {
    const url = options === undefined ? await closedAddress() : (await servePeer(options)).url;
    const words = args.map((word) => word.replace(/^URL/, url));
    const { code, stdout, stderr } = await tandem([...words, '-o', 'json']).ended;
    expect(code).toBe(exitCode);
    const envelope = JSON.parse(stdout) as { error: object };
    expect(envelope).toEqual({
      error: {
        code: '',
        message: expect.any(String),
        hint: expect.toBeOneOf([null, expect.any(String)]),
        a2aCode: null,
        ...error,
      },
    });
    expect(stderr).toMatch(/^tandem: [^\n]+\n/);
    expect(stdout + stderr).not.toMatch(/secret-|\n {4}at /);
  },
  TIMEOUT_MS,
);

function always(status: number): FakePeerOptions {
  return { faults: [{ fault: 'status', status, times: Number.POSITIVE_INFINITY }] };
}

function grpcOnly(card: object): object {
  const supportedInterfaces = [{ url: 'https://agent.example', protocolBinding: 'GRPC', protocolVersion: '1.0' }];
  return { ...card, supportedInterfaces };
}

test('--debug prints requests and the stack of an error, and no credentials', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer(always(401));
  const args = [
    'send',
    peer.url,
    'hi secret-word',
    '--debug',
    '--bearer',
    'secret-word',
    '--svc-param',
    'x-team:secret-team',
  ];
  const { code, stderr } = await tandem(args).ended;
  expect(code).toBe(4);
  expect(stderr).toContain('→ SendStreamingMessage POST');
  expect(stderr).toContain('"hi ***"');
  expect(stderr).toMatch(/\n {4}at /);
  expect(stderr).not.toContain('secret-');
});

test.each([
  [['--transport', 'rest'], 'HTTP+JSON 1.0'],
  [['--transport', 'grpc', '--transport', 'jsonrpc'], 'JSONRPC 1.0'],
  [['--a2a-version', '0.3'], 'JSONRPC 0.3'],
  [['--a2a-version', '0.3', '--transport', 'rest'], 'HTTP+JSON 0.3'],
])(
  '%s selects the interface %s',
  async (flags, protocol) => {
    const url = await serveAgent(({ text }) => text);
    const { stdout, stderr } = await tandem(['send', url, 'hi', '--verbose', ...flags]).ended;
    expect(stdout).toBe('hi\n');
    expect(stderr).toContain(`Interface: ${protocol} at `);
  },
  TIMEOUT_MS,
);

test('output to a pipe has no colours, even with FORCE_COLOR', { timeout: TIMEOUT_MS }, async () => {
  const url = await serveAgent(({ text }) => text);
  const { stdout, stderr } = await tandem(['doctor', url], { env: { FORCE_COLOR: '1' } }).ended;
  expect(stdout + stderr).not.toContain('\u001B');
});
