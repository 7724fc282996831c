/** Several credentials, concurrent calls, and strategies that fail or hang. */
import { expect, test } from 'vitest';

import type { Auth } from '../../../src/client/auth/auth.ts';
import { connected } from './kit.ts';
import { startPeer } from './peer.ts';
import { acceptsIf, authorizationsOf } from './token-server.ts';

test('the client tries a token that got 401 again when the other one gets 401', async () => {
  let right = 'Bearer two';
  const peer = await startPeer(acceptsIf((header) => header === right));
  const agent = await connected(peer.url, { auth: ['one', 'two'] });
  await agent.send('hi');
  right = 'Bearer one';
  await agent.send('hi');
  await agent.send('hi');
  expect(authorizationsOf(peer)).toEqual(['Bearer one', 'Bearer two', 'Bearer two', 'Bearer one', 'Bearer one']);
});

test('a call tries each of several credentials once, and a token function once more with refresh: true', async () => {
  const peer = await startPeer(acceptsIf(() => false));
  const agent = await connected(peer.url, { auth: ['one', 'two', () => 'three'] });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(authorizationsOf(peer)).toEqual(['Bearer one', 'Bearer two', 'Bearer three', 'Bearer three']);
});

test('concurrent calls that get 401 share one call of the token function', async () => {
  let refreshes = 0;
  let token = 'old';
  const auth: Auth = async ({ refresh }) => {
    if (refresh) {
      refreshes++;
      await new Promise(setImmediate);
      token = 'new';
    }
    return token;
  };
  const peer = await startPeer(acceptsIf((header) => header === 'Bearer new'));
  const agent = await connected(peer.url, { auth });
  await Promise.all(Array.from({ length: 10 }, () => agent.send('hi')));
  expect(refreshes).toBe(1);
});

test('a call whose strategy never resolves fails at its deadline', async () => {
  const peer = await startPeer(acceptsIf(() => true));
  const agent = await connected(peer.url, { auth: { headers: () => new Promise(() => {}) } });
  await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(peer.got).toEqual([]);
});

test('a call that is aborted during a refresh that never ends fails with the reason', async () => {
  const peer = await startPeer(acceptsIf(() => false));
  const abort = new AbortController();
  const auth: Auth = ({ refresh }) => {
    if (!refresh) return 'old';
    abort.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi', { signal: abort.signal })).rejects.toThrow('enough');
  expect(peer.got).toHaveLength(1);
});

test('a call fails with the error that its strategy throws', async () => {
  const peer = await startPeer(acceptsIf(() => true));
  const auth: Auth = () => {
    throw new Error('the vault is closed');
  };
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toThrow('the vault is closed');
  expect(peer.got).toEqual([]);
});

test.each<[string, Auth]>([
  ['an API key with a line break', { apiKey: 'a\r\nx-admin: 1' }],
  ['a header name with a space', { apiKey: 'key', header: 'x key' }],
  ['a header value of a strategy with a line break', { headers: () => ({ 'x-token': 'a\nb' }) }],
  ['a header value with non-ASCII letters', { headers: () => ({ 'x-token': 'größe' }) }],
])('%s is not sent, and the call fails', async (_case, auth) => {
  const peer = await startPeer(acceptsIf(() => true));
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.got).toEqual([]);
});
