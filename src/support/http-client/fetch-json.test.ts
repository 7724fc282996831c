import { expect, test } from 'vitest';
import { startReceiver } from '../../../test/e2e/push/receiver.ts';
import { BodyTooLarge } from '../bytes.ts';
import { fetchJson } from './fetch-json.ts';
import { TimeLimitPassed } from './time-limit.ts';

const LIMIT_MS = 10_000;

test('fetchJson returns the document', async () => {
  const server = await startReceiver((response) => void response.end('{"keys":[]}'));
  expect(await fetchJson(server.url, LIMIT_MS)).toEqual({ keys: [] });
  expect(server.received).toMatchObject([{ method: 'GET', headers: { accept: 'application/json' } }]);
});

test('fetchJson does not follow a redirect', async () => {
  const target = await startReceiver();
  const server = await startReceiver((response) => void response.writeHead(302, { location: target.url }).end());
  await expect(fetchJson(server.url, LIMIT_MS)).rejects.toThrow(`${server.url} responded with status 302`);
  expect(target.connections()).toBe(0);
});

test('fetchJson rejects a document of more than 1 MiB', async () => {
  const server = await startReceiver((response) => void response.end(`"${'x'.repeat(2 ** 20)}"`));
  await expect(fetchJson(server.url, LIMIT_MS)).rejects.toThrow(BodyTooLarge);
});

test('fetchJson stops at its time limit', async () => {
  const server = await startReceiver(() => {});
  await expect(fetchJson(server.url, 1)).rejects.toThrow(TimeLimitPassed);
});
