/** Cards are kept by the rules of HTTP, and never shared between identities. */
import { expect, test } from 'vitest';

import { connect } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import type { Clock } from '../../../src/support/time/clock.ts';
import { systemClock } from '../../../src/support/time/clock.ts';
import { verifies } from '../../helpers/verifies.ts';
import { type Answering, cardAt, json, result, startPeer, task } from './peer.ts';

const done: Answering = (_got, response) => result(response, { task: task() });

/** A clock that can be put forward. */
function laterClock(): Clock & { later(ms: number): void } {
  let ahead = 0;
  return {
    now: () => systemClock.now() + ahead,
    callAt: (time, run) => systemClock.callAt(time - ahead, run),
    later: (ms) => void (ahead += ms),
  };
}

function serving(headers: Record<string, string>): Answering {
  return ({ headers: asked }, response, { url }) => {
    if (headers['etag'] !== undefined && asked['if-none-match'] === headers['etag'])
      response.writeHead(304, headers).end();
    else json(response, cardAt(url), 200, headers);
  };
}

async function look(url: string, options: ConnectOptions = {}): Promise<void> {
  const agent = await connect(url, options);
  expect(agent.card.name).toBe('Peer');
  await agent.close();
}

test('a burst is one request', async () => {
  const peer = await startPeer(done);
  await Promise.all(Array.from({ length: 20 }, () => look(peer.url)));
  expect(peer.cardsGot).toHaveLength(1);
});

test('one who leaves takes the card from nobody', async () => {
  let release = (): void => {};
  const peer = await startPeer(done, {
    card: (_got, response, { url }) => void (release = () => json(response, cardAt(url))),
  });
  const hasty = connect(peer.url, { timeoutMs: 10 });
  const patient = look(peer.url);
  await expect(hasty).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect.poll(() => peer.cardsGot.length).toBe(1);
  release();
  await patient;
  expect(peer.cardsGot).toHaveLength(1);
});

test.each<[string, Record<string, string>, number, number]>([
  ['nothing said: fresh for five minutes', {}, 299_000, 1],
  ['nothing said: then no more', {}, 301_000, 2],
  ['max-age', { 'cache-control': 'public, max-age=60' }, 59_000, 1],
  ['max-age is over', { 'cache-control': 'max-age=60' }, 61_000, 2],
  ['some of max-age was spent on the way', { 'cache-control': 'max-age=60', age: '50' }, 11_000, 2],
  ['no-store', { 'cache-control': 'no-store' }, 0, 2],
  ['no-cache', { 'cache-control': 'no-cache' }, 0, 2],
  ['expires', { date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: 'Thu, 01 Jan 2026 00:01:00 GMT' }, 59_000, 1],
  ['expired', { date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: '0' }, 1, 2],
])(verifies(['D-12', 'D-14'], '%s'), async (_case, headers, ms, requests) => {
  const clock = laterClock();
  const peer = await startPeer(done, { card: serving(headers) });
  await look(peer.url, { clock });
  clock.later(ms);
  await look(peer.url, { clock });
  expect(peer.cardsGot).toHaveLength(requests);
});

test(verifies('D-13', 'a card that has not changed is not sent again, and is fresh again'), async () => {
  const clock = laterClock();
  const peer = await startPeer(done, { card: serving({ 'cache-control': 'max-age=60', etag: '"one"' }) });
  await look(peer.url, { clock });
  clock.later(61_000);
  await look(peer.url, { clock });
  clock.later(59_000);
  await look(peer.url, { clock });
  expect(peer.cardsGot.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
});

test('a failure is not kept', async () => {
  let isUp = false;
  const peer = await startPeer(done, {
    card: (_got, response, { url }) => (isUp ? json(response, cardAt(url)) : void response.writeHead(500).end()),
  });
  await expect(connect(peer.url)).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
  isUp = true;
  await look(peer.url);
});

test('what needs credentials, or came by an own way, is not kept', async () => {
  const peer = await startPeer(done, {
    card: ({ headers }, response, { url }) =>
      headers['authorization'] === undefined ? void response.writeHead(401).end() : json(response, cardAt(url)),
  });
  await look(peer.url, { auth: 'alice' });
  await look(peer.url, { auth: 'alice' });
  await expect(connect(peer.url)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(peer.cardsGot.map(({ headers }) => headers['authorization'])).toEqual([
    undefined,
    'Bearer alice',
    undefined,
    'Bearer alice',
    undefined,
  ]);
  const open = await startPeer(done);
  await look(open.url, { interceptors: [(request, next) => next(request)] });
  await look(open.url, { cache: false });
  await look(open.url, { fetch: (request) => fetch(request) });
  expect(open.cardsGot).toHaveLength(3);
});

test('options that say nothing change nothing: what the memory has is good', async () => {
  const peer = await startPeer(done);
  await look(peer.url);
  await look(peer.url, { allowOrigins: [], interceptors: [], headers: {}, limits: {} });
  expect(peer.cardsGot).toHaveLength(1);
  await look(peer.url, { allowOrigins: ['https://example.com'] });
  await look(peer.url, { limits: { maxCardBytes: 5000 } });
  expect(peer.cardsGot).toHaveLength(3);
});

test('a card that leads to nobody is not kept', async () => {
  const peer = await startPeer((_got, response) => void response.writeHead(404).end(), {
    card: (_got, response, { url, cardsGot }) => json(response, { ...cardAt(url), name: `Card ${cardsGot.length}` }),
  });
  const agent = await connect(peer.url);
  await expect(agent.send('hi')).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
  await agent.close();
  const later = await connect(peer.url);
  expect(later.card.name).toBe('Card 2');
  await later.close();
});
