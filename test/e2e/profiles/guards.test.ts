/** A profile changes the form of requests and responses. Authentication, ownership of tasks and limits stay the same. */
import { describe, expect, onTestFinished, test } from 'vitest';

import { agent } from '../../../src/agent/agent.ts';
import { bearerTokens } from '../../../src/host/auth/bearer-tokens.ts';
import { PROFILE_NAMES } from '../../../src/wire/offer.ts';
import type { Ask } from '../kit/exchange.ts';
import { serveOnSocket } from '../kit/server.ts';

const auth = bearerTokens({ ann: 'a'.repeat(32), bob: 'b'.repeat(32) });
const as = (letter: string) => ({ authorization: `Bearer ${letter.repeat(32)}` });

interface Path {
  readonly name: string;
  readonly send: (text: string, headers?: object) => Ask;
  readonly get: (id: string, headers?: object) => Ask;
  /** Further operations, which the test sends for a task of another caller. */
  readonly others?: (id: string, headers?: object) => readonly Ask[];
  readonly card: string;
}

function overRpc(name: string, path: string, tag: 'kind' | 'type'): Path {
  const rpc = (method: string, params: object, headers = {}): Ask => ({
    method: 'POST',
    path,
    headers: { ...headers },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  const message = (text: string, more = {}) => ({ role: 'user', parts: [{ [tag]: 'text', text }], ...more });
  return {
    name,
    send: (text, headers) => rpc('message/send', { message: message(text) }, headers),
    get: (id, headers) => rpc('tasks/get', { id }, headers),
    others: (id, headers) => [
      rpc('tasks/cancel', { id }, headers),
      rpc('tasks/resubscribe', { id }, headers),
      rpc('tasks/get', { id }, { accept: 'text/event-stream', ...headers }),
      rpc('message/send', { message: message('more', { taskId: id, messageId: 'm2' }) }, headers),
      rpc('message/stream', { message: message('more', { taskId: id, messageId: 'm3' }) }, headers),
    ],
    card: `${path}/.well-known/agent-card.json`,
  };
}

const PATHS: readonly Path[] = [
  overRpc('agent-native', '/_agent-native/a2a', 'type'),
  overRpc('rxjs', '/api/a2a', 'kind'),
  {
    name: 'corvid',
    send: (message, headers = {}) => ({
      method: 'POST',
      path: '/a2a/tasks/send',
      headers: { ...headers },
      body: { message },
    }),
    get: (id, headers = {}) => ({ method: 'GET', path: `/a2a/tasks/${id}`, headers: { ...headers } }),
    card: '/a2a/tasks/.well-known/agent-card.json',
  },
];

let runs = 0;
const echo = agent({
  name: 'Echo',
  description: 'Returns the text.',
  run({ text }) {
    runs += 1;
    return text;
  },
});

const start = (options = {}) => serveOnSocket(echo, { profile: PROFILE_NAMES, ...options });

function idOf(json: unknown): string {
  const { id, result } = json as { readonly id: string; readonly result?: { readonly id: string } };
  return result?.id ?? id;
}

describe.each(PATHS.map((path) => [path.name, path] as const))('at the path of %s', (_, path) => {
  test('a request without credentials, or with invalid ones, gets 401 and starts no task', async () => {
    const { ask } = await start({ auth });
    runs = 0;
    for (const headers of [{}, as('x')]) {
      for (const each of [path.send('hello', headers), path.get('some', headers)]) {
        const answer = await ask(each);
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toContain('Bearer');
      }
    }
    expect(runs).toBe(0);
  });

  test('every operation on a task of another caller gets the same response as on an unknown task', async () => {
    const { ask } = await start({ auth });
    const id = idOf((await ask(path.send('hello', as('a')))).json);
    expect((await ask(path.get(id, as('a')))).text).toContain(id);
    const unknown = await ask(path.get('unknown', as('b')));
    const foreign = await ask(path.get(id, as('b')));
    expect([foreign.status, foreign.text.replaceAll(id, 'unknown')]).toEqual([unknown.status, unknown.text]);
    for (const each of path.others?.(id, as('b')) ?? []) {
      expect((await ask(each)).text).toMatch(/not found|does not exist/);
    }
  });

  test('a body over maxBodyBytes is rejected', async () => {
    const { ask } = await start({ maxBodyBytes: 1000 });
    const answer = await ask(path.send('x'.repeat(2000)));
    expect([answer.status === 413 || answer.text.includes('-32600'), answer.text]).toEqual([
      true,
      expect.stringContaining('1000'),
    ]);
  });

  test('a caller over the rate limit gets 429 with Retry-After', async () => {
    const { ask } = await start({ auth, limits: { rate: { perMinute: 1, burst: 1 } } });
    expect((await ask(path.send('hello', as('a')))).status).toBe(200);
    const refused = await ask(path.send('hello', as('a')));
    expect([refused.status, Number(refused.headers['retry-after']) > 0]).toEqual([429, true]);
    expect((await ask(path.send('hello', as('b')))).status).toBe(200);
  });

  test('a message over a content limit is rejected', async () => {
    const { ask } = await start({ limits: { depth: 3 } });
    const deep = path.send('hello');
    const body = deep.body as { readonly params?: object };
    const metadata = { a: { b: { c: { d: {} } } } };
    const nested =
      body.params === undefined ? { ...body, metadata } : { ...body, params: { ...body.params, metadata } };
    const answer = await ask({ ...deep, body: nested });
    expect(answer.status === 400 || answer.text.includes('-32602')).toBe(true);
  });

  test('a caller without a scope that the agent requires is rejected', async () => {
    const { ask } = await start({ auth, access: { requiredScopes: ['call'] } });
    expect((await ask(path.send('hello', as('a')))).status).toBe(403);
  });

  test('a protected card needs credentials', async () => {
    const { ask } = await start({ auth, access: { protectCard: true } });
    expect((await ask({ method: 'GET', path: path.card })).status).toBe(401);
    expect((await ask({ method: 'GET', path: path.card, headers: as('a') })).status).toBe(200);
  });

  test('in production an agent without auth rejects every call', async () => {
    const before = process.env['NETLIFY'];
    process.env['NETLIFY'] = 'true';
    onTestFinished(() => {
      if (before === undefined) delete process.env['NETLIFY'];
      else process.env['NETLIFY'] = before;
    });
    const { ask } = await start();
    const answer = await ask(path.send('hello'));
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  });
});

test('skills that are not public are on no card of a profile', async () => {
  const secretive = agent({
    name: 'Secretive',
    description: 'Has more than it shows.',
    skills: [
      { id: 'open', name: 'Open', description: 'For all' },
      { id: 'staff', name: 'Staff', description: 'For staff', visibility: 'authenticated' },
      { id: 'inner', name: 'Inner', description: 'For nobody', visibility: 'hidden' },
    ],
    run: ({ text }) => text,
  });
  const { ask } = await serveOnSocket(secretive, { profile: PROFILE_NAMES, auth });
  for (const { card } of PATHS) {
    const { json } = await ask({ method: 'GET', path: card });
    expect((json as { readonly skills: readonly object[] }).skills).toMatchObject([{ id: 'open' }]);
  }
});
