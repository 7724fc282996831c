/** Agent cards are cached by the rules of HTTP, and never shared between identities. */
import { expect, test } from 'vitest';

import { connect } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import { verifies } from '../../helpers/verifies.ts';
import { type Responder, cardAt, json, result, startPeer, task } from './peer.ts';
import { movableClock } from './token-server.ts';

const done: Responder = (_got, response) => result(response, { task: task() });

function serving(headers: Record<string, string>): Responder {
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

test('concurrent connects share one request for the card', async () => {
  const peer = await startPeer(done);
  await Promise.all(Array.from({ length: 20 }, () => look(peer.url)));
  expect(peer.cardsGot).toHaveLength(1);
});

test('a connect that times out does not abort the request for the card that another connect shares', async () => {
  let release = (): void => {};
  const peer = await startPeer(done, {
    card: (_got, response, { url }) => void (release = () => json(response, cardAt(url))),
  });
  const impatient = connect(peer.url, { timeoutMs: 10 });
  const patient = look(peer.url);
  await expect(impatient).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect.poll(() => peer.cardsGot.length).toBe(1);
  release();
  await patient;
  expect(peer.cardsGot).toHaveLength(1);
});

test.each<[string, Record<string, string>, number, number]>([
  ['a card without caching headers is fresh for 299 s', {}, 299_000, 1],
  ['a card without caching headers is fetched again after 301 s', {}, 301_000, 2],
  ['a card with max-age=60 is fresh for 59 s', { 'cache-control': 'public, max-age=60' }, 59_000, 1],
  ['a card with max-age=60 is fetched again after 61 s', { 'cache-control': 'max-age=60' }, 61_000, 2],
  [
    'a card with max-age=60 and age: 50 is fetched again after 11 s',
    { 'cache-control': 'max-age=60', age: '50' },
    11_000,
    2,
  ],
  ['a card with no-store is fetched each time', { 'cache-control': 'no-store' }, 0, 2],
  ['a card with no-cache is fetched each time', { 'cache-control': 'no-cache' }, 0, 2],
  [
    'a card that expires after 60 s is fresh for 59 s',
    { date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: 'Thu, 01 Jan 2026 00:01:00 GMT' },
    59_000,
    1,
  ],
  ['a card that has expired is fetched each time', { date: 'Thu, 01 Jan 2026 00:00:00 GMT', expires: '0' }, 1, 2],
])(verifies(['D-12', 'D-14'], '%s'), async (_case, headers, ms, requests) => {
  const clock = movableClock();
  const peer = await startPeer(done, { card: serving(headers) });
  await look(peer.url, { clock });
  clock.move(ms);
  await look(peer.url, { clock });
  expect(peer.cardsGot).toHaveLength(requests);
});

test(verifies('D-13', 'a stale card is revalidated with its ETag, and fresh again after a 304'), async () => {
  const clock = movableClock();
  const peer = await startPeer(done, { card: serving({ 'cache-control': 'max-age=60', etag: '"one"' }) });
  await look(peer.url, { clock });
  clock.move(61_000);
  await look(peer.url, { clock });
  clock.move(59_000);
  await look(peer.url, { clock });
  expect(peer.cardsGot.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"one"']);
});

test('a failed request for a card is not cached', async () => {
  let isUp = false;
  const peer = await startPeer(done, {
    card: (_got, response, { url }) => (isUp ? json(response, cardAt(url)) : void response.writeHead(500).end()),
  });
  await expect(connect(peer.url)).rejects.toMatchObject({ code: 'DISCOVERY_FAILED' });
  isUp = true;
  await look(peer.url);
});

test('a card that needed credentials, or was fetched with own interceptors or an own fetch, is not cached', async () => {
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

test('empty options share the cached card; options that restrict addresses or size do not', async () => {
  const peer = await startPeer(done);
  await look(peer.url);
  await look(peer.url, { allowOrigins: [], interceptors: [], headers: {}, limits: {} });
  expect(peer.cardsGot).toHaveLength(1);
  await look(peer.url, { allowOrigins: ['https://example.com'] });
  await look(peer.url, { limits: { maxCardBytes: 5000 } });
  expect(peer.cardsGot).toHaveLength(3);
});

test('a card at whose addresses no agent responds is not cached', async () => {
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
