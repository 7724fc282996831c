import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { closedAddress, servePeer } from './agents.ts';
import { projectWith, tandem, TIMEOUT_MS } from './program.ts';

test('send calls a peer by its name, with its own credential', { timeout: TIMEOUT_MS }, async () => {
  const peer = await servePeer({ script: ['ok'] });
  const clerk = { url: peer.url, bearerEnv: 'CLERK_TOKEN', transport: 'jsonrpc', version: '1.0' };
  const cwd = projectWith({ 'tandem.peers.json': JSON.stringify({ clerk }) });
  const env = { CLERK_TOKEN: 'secret-token' };
  expect(await tandem(['send', 'clerk', 'hi'], { cwd, env }).ended).toMatchObject({ code: 0, stdout: 'ok\n' });
  expect(peer.requests.at(-1)?.headers['authorization']).toBe('Bearer secret-token');
  const without = await tandem(['send', 'clerk', 'hi'], { cwd }).ended;
  expect([without.code, without.stderr]).toEqual([4, expect.stringContaining('CLERK_TOKEN, which is not set')]);
});

test(
  'with A2ACLI_AGENT_CARD all words are the message, unless the first is a URL',
  { timeout: TIMEOUT_MS },
  async () => {
    const peer = await servePeer();
    const cwd = projectWith({ 'tandem.peers.json': JSON.stringify({ clerk: peer.url }) });
    const env = { A2ACLI_AGENT_CARD: 'clerk' };
    expect(await tandem(['ask', 'hello', 'there'], { cwd, env }).ended).toMatchObject({ stdout: 'hello there\n' });
    const other = await servePeer({ script: ['other'] });
    expect(await tandem(['call', other.url, 'hi'], { cwd, env }).ended).toMatchObject({ stdout: 'other\n' });
  },
);

test.each<[string, object, readonly string[], RegExp]>([
  [
    'a misspelled name',
    { clerk: 'http://127.0.0.1:1' },
    ['send', 'clark', 'hi'],
    /^tandem: Unknown peer clark; did you mean clerk\?\n/,
  ],
  [
    'an unknown name',
    { clerk: 'http://127.0.0.1:1' },
    ['send', 'bank', 'hi'],
    /^tandem: Unknown peer bank; known peers: clerk \(.*tandem\.peers\.json\)\n/,
  ],
  [
    'a secret in the file',
    { clerk: { url: 'http://127.0.0.1:1', bearer: 'secret-x' } },
    ['send', 'clerk', 'hi'],
    /clerk contains a secret\nPut the secret .* as bearerEnv\.\n$/,
  ],
  [
    'an unknown member',
    { clerk: { url: 'http://127.0.0.1:1', bearerenv: 'X' } },
    ['peers'],
    /unknown member bearerenv; did you mean bearerEnv\?\n$/,
  ],
  ['a peer without a URL', { clerk: 'localhost' }, ['peers'], /clerk must be .*http/],
])(
  '%s is reported in one sentence',
  async (_, peers, args, sentence) => {
    const { code, stdout, stderr } = await tandem(args, {
      cwd: projectWith({ 'tandem.peers.json': JSON.stringify(peers) }),
    }).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(sentence);
    expect(stderr).not.toContain('secret-');
  },
  TIMEOUT_MS,
);

test('peers lists the peers, and --check reads their cards', { timeout: TIMEOUT_MS }, async () => {
  const [peer, closed] = [await servePeer({ version: '0.3' }), await closedAddress()];
  const guarded = await servePeer({
    faults: [{ fault: 'status', status: 401, on: 'card', times: Number.POSITIVE_INFINITY }],
  });
  const cwd = projectWith({
    'tandem.peers.json': JSON.stringify({ clerk: peer.url, bank: closed, vault: guarded.url }),
  });
  const listed = await tandem(['peers'], { cwd }).ended;
  expect(listed).toMatchObject({ code: 0, stdout: `clerk  ${peer.url}\nbank   ${closed}\nvault  ${guarded.url}\n` });
  const checked = await tandem(['peers', '--check'], { cwd }).ended;
  expect(checked.stdout).toMatch(
    /^✓ clerk .* Fake peer, A2A 0\.3: .*\n✗ bank .* not reachable\n! vault .* not authorised\n$/,
  );
});

test('peers add and peers remove change the file', { timeout: TIMEOUT_MS }, async () => {
  const cwd = projectWith({ 'tandem.peers.json': '{}' });
  const run = (...args: string[]) => tandem(['peers', ...args], { cwd }).ended;
  expect(await run('add', 'clerk', 'http://127.0.0.1:1')).toMatchObject({ code: 0, stdout: '' });
  expect(JSON.parse(readFileSync(join(cwd, 'tandem.peers.json'), 'utf8'))).toEqual({ clerk: 'http://127.0.0.1:1' });
  expect(await run('--names')).toMatchObject({ code: 0, stdout: 'clerk\n', stderr: '' });
  expect(await run('remove', 'clrek')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('did you mean clerk?'),
  });
  expect(await run('remove', 'clerk')).toMatchObject({ code: 0 });
  expect(await run()).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('has no peers') });
});
