/** Several credentials, calls at the same time, and strategies that misbehave. */
import { expect, test } from 'vitest';

import type { Auth } from '../../../src/client/auth/auth.ts';
import { connected } from './kit.ts';
import { startPeer } from './peer.ts';
import { letsIn, shown } from './token-server.ts';

test('one that was refused may be right later', async () => {
  let right = 'Bearer two';
  const peer = await startPeer(letsIn((header) => header === right));
  const agent = await connected(peer.url, { auth: ['one', 'two'] });
  await agent.send('hi');
  right = 'Bearer one';
  await agent.send('hi');
  await agent.send('hi');
  expect(shown(peer)).toEqual(['Bearer one', 'Bearer two', 'Bearer two', 'Bearer one', 'Bearer one']);
});

test('each is tried once in a call, however many there are', async () => {
  const peer = await startPeer(letsIn(() => false));
  const agent = await connected(peer.url, { auth: ['one', 'two', () => 'three'] });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(shown(peer)).toEqual(['Bearer one', 'Bearer two', 'Bearer three', 'Bearer three']);
});

test('a burst of refused calls is refreshed once', async () => {
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
  const peer = await startPeer(letsIn((header) => header === 'Bearer new'));
  const agent = await connected(peer.url, { auth });
  await Promise.all(Array.from({ length: 10 }, () => agent.send('hi')));
  expect(refreshes).toBe(1);
});

test('a strategy that never answers takes no longer than the call has', async () => {
  const peer = await startPeer(letsIn(() => true));
  const agent = await connected(peer.url, { auth: { headers: () => new Promise(() => {}) } });
  await expect(agent.send('hi', { timeoutMs: 30 })).rejects.toMatchObject({ code: 'TIMEOUT' });
  expect(peer.got).toEqual([]);
});

test('whoever leaves during a refresh that never ends is let go', async () => {
  const peer = await startPeer(letsIn(() => false));
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

test('what a strategy throws is what the caller gets', async () => {
  const peer = await startPeer(letsIn(() => true));
  const auth: Auth = () => {
    throw new Error('the vault is closed');
  };
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toThrow('the vault is closed');
  expect(peer.got).toEqual([]);
});

test.each<[string, Auth]>([
  ['a line break in a key', { apiKey: 'a\r\nx-admin: 1' }],
  ['a name that is none', { apiKey: 'key', header: 'x key' }],
  ['a line break from a strategy', { headers: () => ({ 'x-token': 'a\nb' }) }],
  ['letters that a header cannot hold', { headers: () => ({ 'x-token': 'größe' }) }],
])('%s never becomes a header', async (_case, auth) => {
  const peer = await startPeer(letsIn(() => true));
  const agent = await connected(peer.url, { auth });
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.got).toEqual([]);
});
