/** Caching of agent cards: max-age, ETag, Last-Modified and conditional requests (1.0 §8.6). */
import { describe, expect, test } from 'vitest';

import { verifies } from '../helpers/verifies.ts';
import type { Answer } from './kit/exchange.ts';
import { startServer, type TestServer } from './kit/server.ts';

const PATH = '/.well-known/agent-card.json';

function card(server: TestServer, version: string, more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  return server.ask({ method: 'GET', path: PATH, headers: { 'a2a-version': version, ...more } });
}

test('the card of a public agent has CORS headers, and that of a loopback agent has none', async () => {
  const [open, local] = [await startServer({ publicUrl: 'https://example.com' }), await startServer()];

  for (const method of ['GET', 'HEAD', 'OPTIONS']) {
    const [remote, own] = [await open.ask({ method, path: PATH }), await local.ask({ method, path: PATH })];
    expect(remote.headers['access-control-allow-origin']).toBe('*');
    expect(own.headers['access-control-allow-origin']).toBeUndefined();
    expect(own.status).toBe(remote.status);
  }
});

describe('caching of the agent card', () => {
  test(
    verifies(['D-09', 'D-10', 'D-11'], 'the response has Cache-Control with max-age, ETag, Last-Modified and Vary'),
    async () => {
      const server = await startServer();

      const { headers } = await card(server, '1.0');

      expect(headers).toMatchObject({
        'cache-control': expect.stringMatching(/\bmax-age=[1-9]\d*/),
        etag: expect.stringMatching(/^"[\w-]+"$/),
        'last-modified': expect.stringMatching(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/),
        vary: 'A2A-Version',
      });
      expect(Date.parse(headers['last-modified'] ?? '')).toBeLessThanOrEqual(Date.now());
    },
  );

  test(verifies('D-10', 'the ETag changes with the content of the card, and only with it'), async () => {
    const one = await startServer({ publicUrl: 'https://example.com' });
    const same = await startServer({ publicUrl: 'https://example.com' });
    const other = await startServer({ publicUrl: 'https://example.com', agent: { version: '2.0.0' } });
    const tag = async (server: TestServer, version: string): Promise<string | undefined> =>
      (await card(server, version)).headers['etag'];

    expect(await tag(same, '1.0')).toBe(await tag(one, '1.0'));
    expect(await tag(other, '1.0')).not.toBe(await tag(one, '1.0'));
    expect(await tag(one, '0.3')).not.toBe(await tag(one, '1.0'));
  });

  test(verifies(['D-10', 'D-11'], 'a conditional request for an unchanged card gets 304 without a body'), async () => {
    const server = await startServer();
    const { headers: known } = await card(server, '1.0');
    const { etag = '', 'last-modified': since = '' } = known;

    for (const condition of [
      { 'if-none-match': etag },
      { 'if-none-match': `W/${etag}` },
      { 'if-none-match': `"other", ${etag}` },
      { 'if-none-match': '*' },
      { 'if-modified-since': since },
    ]) {
      const { status, text, headers } = await card(server, '1.0', condition);
      expect({ condition, status, text }).toEqual({ condition, status: 304, text: '' });
      expect(headers).toMatchObject({ etag, 'cache-control': known['cache-control'], vary: 'A2A-Version' });
      expect(headers['content-type']).toBeUndefined();
    }
  });

  test('a conditional request with another ETag or date gets 200 with the card', async () => {
    const server = await startServer();
    const { headers: known } = await card(server, '1.0');
    const { etag = '', 'last-modified': since = '' } = known;

    const statuses = [
      await card(server, '1.0', { 'if-none-match': '"other"' }),
      await card(server, '0.3', { 'if-none-match': etag }),
      await card(server, '1.0', { 'if-modified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
      await card(server, '1.0', { 'if-modified-since': 'yesterday' }),
      // If-None-Match has precedence over If-Modified-Since.
      await card(server, '1.0', { 'if-none-match': '"other"', 'if-modified-since': since }),
    ].map(({ status }) => status);

    expect(statuses).toEqual([200, 200, 200, 200, 200]);
  });

  test('HEAD returns the headers of GET, OPTIONS the CORS headers, and other methods get 405', async () => {
    const server = await startServer({ publicUrl: 'https://example.com' });

    const get = await server.ask({ method: 'GET', path: PATH });
    const head = await server.ask({ method: 'HEAD', path: PATH });
    const options = await server.ask({ method: 'OPTIONS', path: PATH });
    const post = await server.ask({ method: 'POST', path: PATH, body: {} });

    const { date: _, ...headers } = get.headers;
    expect(head).toMatchObject({ status: 200, text: '', headers });
    expect(options).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-methods': 'GET, HEAD' },
    });
    expect(options.headers['access-control-allow-headers']).toContain('A2A-Version');
    expect(post).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS' } });
  });
});
