/** The caller that a peer sees, and what it learns about the chain of calls. */
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { agentMark } from '../../../src/engine/calls/lineage.ts';
import type { PeerCall } from '../../../src/engine/calls/peers.ts';
import { LINEAGE } from '../../../src/model/lineage.ts';
import type { PeerTarget } from '../../../src/peers/peer-options.ts';
import {
  type Agent,
  agent,
  type Caller,
  type HandlerOptions,
  bearerTokens,
  sharedSecret,
} from '../../../src/server/index.ts';
import { recordingLog } from '../../helpers/recording-log.ts';
import { connected } from '../../e2e/client/kit.ts';
import { serveOnSocket } from '../../e2e/kit/server.ts';
import { callOf, failureOf, NEVER, openPeers, peerAt, settledTask, taskOf } from './kit.ts';
import { startLossyProxy } from './lossy-proxy.ts';

const SECRET = 'a-secret-of-at-least-thirty-two-bytes';

interface Served {
  readonly url: string;
  /** The callers of the runs so far. */
  readonly callers: readonly Caller[];
  readonly contexts: readonly unknown[];
}

async function serveAgent(options: Pick<HandlerOptions, 'auth' | 'limits' | 'publicUrl'> = {}): Promise<Served> {
  const callers: Caller[] = [];
  const contexts: unknown[] = [];
  const crm: Agent = agent({
    name: 'CRM',
    id: 'crm',
    description: 'Knows customers.',
    run(ctx) {
      callers.push(ctx.caller);
      contexts.push(ctx.message.metadata);
      return 'done';
    },
  });
  const { url } = await serveOnSocket(crm, options);
  return { url, callers, contexts };
}

async function called(target: PeerTarget, more: Partial<PeerCall> = {}): Promise<void> {
  const peer = peerAt(target);
  const call = callOf('hi', more);
  const { id } = taskOf(await peer.start(call, NEVER));
  await settledTask(peer, call, id);
}

test.each<[string, Partial<PeerCall>, Partial<Caller>]>([
  ['the caller of the root task', {}, { id: 'shared#alice', actors: ['analytics', 'front-desk'] }],
  ['the caller', { as: 'caller' }, { id: 'shared#alice', actors: ['analytics', 'front-desk'] }],
  ['the agent', { as: 'agent' }, { id: 'shared#analytics' }],
  ['a caller of the same secret', { caller: { id: 'shared#bob', isVerified: true } }, { id: 'shared#bob' }],
  ['a caller of an organization', { caller: { id: 'org:acme.com#bob', isVerified: true } }, { id: 'org:acme.com#bob' }],
  ['an anonymous caller', { caller: { id: 'anonymous', isVerified: false } }, { id: 'shared#anonymous' }],
])('a peer with a shared secret is called as %s', async (_, more, expected) => {
  const { url, callers } = await serveAgent({ auth: sharedSecret({ secret: SECRET }) });
  await called({ url, auth: { secret: SECRET } }, more);
  expect(callers[0]).toMatchObject({ isVerified: true, ...expected });
  if (more.as === 'agent') expect(callers[0]?.actors).toBeUndefined();
});

test('a peer with a shared secret and a subject is called with it as the agent', async () => {
  const { url, callers } = await serveAgent({ auth: sharedSecret({ secret: SECRET }) });
  await called({ url, auth: { secret: SECRET, subject: 'our-host' } }, { as: 'agent' });
  expect(callers[0]?.id).toBe('shared#our-host');
});

test('a secret of an organization presents its callers with their own names', async () => {
  const { url, callers } = await serveAgent({ auth: sharedSecret({ orgs: { 'acme.com': SECRET } }) });
  await called(
    { url, auth: { secret: SECRET, orgDomain: 'acme.com' } },
    { caller: { id: 'org:acme.com#bob', isVerified: true } },
  );
  expect(callers[0]?.id).toBe('org:acme.com#bob');
});

test('each attempt has a token of its own for the peer, valid for a minute', async () => {
  const { url } = await serveAgent({ auth: sharedSecret({ secret: SECRET, audience: 'urn:crm' }) });
  const proxy = await startLossyProxy(url);
  const peer = peerAt({ url: proxy.url, auth: { secret: SECRET, audience: 'urn:crm', issuer: 'https://us.example' } });
  const call = callOf('hi');
  await peer.start(call, NEVER);
  await peer.start(call, NEVER);
  const tokens = proxy.headers.map(({ authorization = '' }) => decodeJwt(authorization.slice('Bearer '.length)));
  expect(tokens).toHaveLength(2);
  const [first, second] = tokens;
  expect(first).toMatchObject({
    sub: 'alice',
    aud: 'urn:crm',
    iss: 'https://us.example',
    act: { sub: 'analytics', act: { sub: 'front-desk' } },
  });
  expect((first?.exp ?? 0) - (first?.iat ?? 0)).toBe(60);
  expect(second?.jti).not.toBe(first?.jti);
});

test('a peer without a shared secret is called as the agent, with its credentials for the peer', async () => {
  const { url, callers } = await serveAgent({ auth: bearerTokens({ 'front-office': 'opaque-token' }) });
  await called({ url, auth: 'opaque-token' });
  expect(callers[0]?.id).toBe('front-office');
});

test('a peer without a shared secret cannot be called as the caller', async () => {
  const { url, callers } = await serveAgent({ auth: bearerTokens({ 'front-office': 'opaque-token' }) });
  const error = await failureOf(peerAt({ url, auth: 'opaque-token' }).start(callOf('hi', { as: 'caller' }), NEVER));
  expect(error).toMatchObject({ name: 'PeerError', kind: 'rejected', isUnsent: true });
  expect(error.message).toContain('no shared secret is configured for it');
  expect(callers).toEqual([]);
});

test('a client can be a peer, and stays open when the host closes', async () => {
  const { url, callers } = await serveAgent({ auth: bearerTokens({ 'front-office': 'opaque-token' }) });
  const client = await connected(url, { auth: 'opaque-token' });
  const peers = openPeers({ crm: client });
  const call = callOf('hi');
  const peer = peers.find('crm');
  const { id } = taskOf(await peer?.start(call, NEVER));
  await peers.close();
  expect((await client.get(id)).id).toBe(id);
  expect(callers[0]?.id).toBe('front-office');
});

test('a token whose act claim does not name its actors is rejected', async () => {
  const { url } = await serveAgent({ auth: sharedSecret({ secret: SECRET }) });
  const auth = { secret: SECRET, subject: 'alice', claims: { act: { sub: 7 } } };
  await expect((await connected(url, { auth })).ask('hi')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a configured peer gets the lineage with the earliest deadline', async () => {
  const { url, contexts } = await serveAgent();
  const { lineage } = callOf('hi');
  const later = Date.now() + 60_000;
  await called(url, { deadline: later, lineage: { ...lineage, deadline: later + 1 } });
  expect(contexts[0]).toMatchObject({
    [LINEAGE.uri]: {
      root: 't-root',
      parent: 't-parent',
      depth: 2,
      path: ['front-desk', 'analytics'],
      deadline: new Date(later).toISOString(),
    },
  });
});

test('a call that would be a cycle is rejected with a message that a model can read', async () => {
  const publicUrl = 'https://crm.example';
  const { url, callers } = await serveAgent({ publicUrl, auth: bearerTokens({ us: 'opaque-token' }) });
  const { lineage } = callOf('hi');
  const marks = [agentMark(publicUrl, 'crm'), 'k2'];
  const client = await connected(url, { auth: 'opaque-token', url });
  const peer = peerAt(client);
  const call = callOf('hi', { lineage: { ...lineage, path: ['crm', 'analytics'], marks } });
  const error = await failureOf(peer.start(call, NEVER));
  expect(error).toMatchObject({ kind: 'rejected' });
  expect(error.message).toContain('waits for the result of this call: crm › analytics › crm');
  expect(callers).toEqual([]);
});

test('a chain of calls that is too long is rejected', async () => {
  const { url, callers } = await serveAgent();
  const { lineage } = callOf('hi');
  const error = await failureOf(peerAt(url).start(callOf('hi', { lineage: { ...lineage, depth: 4 } }), NEVER));
  expect(error).toMatchObject({ kind: 'rejected' });
  expect(error.message).toContain('4 calls would lead to it and 3 are allowed (maxDepth)');
  expect(callers).toEqual([]);
});

test('limits.maxDepth of the called agent decides how long a chain of calls may be', async () => {
  const { url, callers } = await serveAgent({ limits: { maxDepth: 4 } });
  const { lineage } = callOf('hi');
  await peerAt(url).start(callOf('hi', { lineage: { ...lineage, depth: 4 } }), NEVER);
  expect(callers).toHaveLength(1);
});

test('a peer on this machine is ignored in production', () => {
  const log = recordingLog();
  const peers = openPeers({ crm: 'http://localhost:4100', mail: 'https://mail.example' }, { isProduction: true, log });
  expect(peers.find('crm')).toBeUndefined();
  expect(peers.find('mail')?.name).toBe('mail');
  expect(JSON.stringify(log.lines)).toContain('Ignored a peer on this machine');
});

test('an unknown id is not found', () => {
  expect(openPeers({}).find('crm')).toBeUndefined();
});

test.each([
  ['with a user name', 'https://alice@crm.example', 'must not contain a user name or password'],
  ['that is not valid', 'https://', 'must be an absolute http or https URL'],
  ['that is not allowed', 'https://10.0.0.7', 'is not allowed'],
])('a URL %s is rejected', (_, reference, why) => {
  expect(() => openPeers({ crm: 'https://crm.example' }).find(reference)).toThrow(
    expect.objectContaining({ name: 'PeerError', kind: 'rejected', message: expect.stringContaining(why) }),
  );
});

test('a URL of the origin of a configured peer gets its credentials, and others get none', async () => {
  const { url, callers } = await serveAgent({ auth: bearerTokens({ 'front-office': 'opaque-token' }) });
  const peers = openPeers({ crm: { url: `${url}/elsewhere`, auth: 'opaque-token' } });
  const peer = peers.find(`${url}/`);
  expect(peer?.name).toBe('remote agent');
  const call = callOf('hi');
  const { id } = taskOf(await peer?.start(call, NEVER));
  expect(id).not.toBe('');
  expect(callers[0]?.id).toBe('front-office');
  expect(peers.find(`${url}/elsewhere`)?.name).toBe('crm');
});

test('a URL that is not configured must be public, also for the client', async () => {
  const { url } = await serveAgent();
  const peers = openPeers({}, { admit: () => {} });
  const error = await failureOf(peers.find(url)?.start(callOf('hi'), NEVER) ?? Promise.resolve());
  expect(error).toMatchObject({ name: 'PeerError', isUnsent: true });
  expect(error.message).toContain('is on a private network');
});
