/** `serve()`, and `fetch` of a handler with and without a server, send the same responses: status, headers and every byte of the body. */
import { expect, onTestFinished, test } from 'vitest';

import { silentLog } from '../../src/observe/log.ts';
import { type AgentHandler, createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { type Item, type Captured, REQUESTS } from './serving-parity/requests.ts';
import { bridge } from './kit/bridge.ts';
import { type Answer, answerOf, type Ask, exchange } from './kit/exchange.ts';
import { Mask } from './kit/mask.ts';
import { scripted } from './kit/script.ts';
import { serveOnSocket } from './kit/server.ts';

interface ServedAgent {
  ask(ask: Ask): Promise<Answer>;
  release(): void;
}

const OPTIONS = { publicUrl: 'https://localhost', pushNotifications: true, maxBodyBytes: 4000 };
const AGENT = { extensions: [{ uri: 'urn:stamps' }] };

async function socket(): Promise<ServedAgent> {
  const { agent, release } = scripted(AGENT);
  const { ask } = await serveOnSocket(agent, OPTIONS);
  return { ask, release };
}

function handlerOf(): { readonly handler: AgentHandler; readonly release: () => void } {
  const { agent, release } = scripted(AGENT);
  const handler = createHandler(agent, { ...OPTIONS, store: memoryStore(), log: silentLog });
  onTestFinished(() => handler.close({ finishMs: 0 }));
  return { handler, release };
}

async function inProcess(): Promise<ServedAgent> {
  const { handler, release } = handlerOf();
  return { release, ask: (ask) => fetched(handler, ask) };
}

async function fetched({ fetch }: AgentHandler, { method, path, headers = {}, body }: Ask): Promise<Answer> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  const init = { method, headers: { ...type, ...headers }, ...(text !== undefined && { body: text }) };
  const response = await fetch(new Request(`http://127.0.0.1${path}`, init));
  return answerOf(response.status, Object.fromEntries(response.headers), await response.text());
}

async function bridged(): Promise<ServedAgent> {
  const { handler, release } = handlerOf();
  const url = await bridge(handler.fetch);
  return { release, ask: (ask) => exchange(url, ask) };
}

/** Headers that depend on the HTTP server or on the time. */
const VARYING_HEADERS = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'last-modified'];

interface Outcome {
  readonly name: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function run({ ask, release }: ServedAgent, items: readonly Item[]): Promise<readonly Outcome[]> {
  const captured: Captured = {};
  const outcomes: Outcome[] = [];
  for (const item of items) {
    if (item.release) release();
    const { status, headers, text } = await ask(item.ask(captured));
    if (item.capture !== undefined)
      [captured[item.capture] = ''] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text) ?? [];
    if (headers['etag'] !== undefined) captured['etag'] ??= headers['etag'];
    const ours = Object.entries(headers).filter(([name]) => !VARYING_HEADERS.includes(name));
    // Each response has its own mask, so that a wrong id cannot hide a wrong id in a later one.
    outcomes.push({ name: item.name, status, headers: Object.fromEntries(ours), text: new Mask().text(text) });
  }
  return outcomes;
}

test.each([
  { name: 'fetch in process', open: inProcess },
  { name: 'fetch behind another server', open: bridged },
])('$name sends the same responses as serve()', async ({ open }) => {
  const expected = await run(await socket(), REQUESTS);
  const outcomes = await run(await open(), REQUESTS);

  for (const [i, outcome] of outcomes.entries()) expect(outcome).toEqual(expected[i]);
  expect(outcomes).toHaveLength(REQUESTS.length);
});

test('the list of requests covers every operation, status and media type, without an internal error', async () => {
  const outcomes = await run(await socket(), REQUESTS);

  const statuses = new Set(outcomes.map(({ status }) => status));
  const types = new Set(outcomes.map(({ headers }) => headers['content-type']));
  const named = (pattern: RegExp): readonly Outcome[] => outcomes.filter(({ name }) => pattern.test(name));
  expect(REQUESTS.length).toBeGreaterThanOrEqual(40);
  expect(new Set(REQUESTS.map(({ name }) => name)).size).toBe(REQUESTS.length);
  expect(statuses).toEqual(new Set([200, 204, 304, 400, 404, 405, 409, 413, 415]));
  expect(types).toEqual(new Set(['application/a2a+json', 'application/json', 'text/event-stream', undefined]));
  // The operations on tasks succeeded, so the ids of earlier responses were found.
  const good = named(/^\d.*: (?:send|get|continue|cancel|stream|subscribe with Last-Event-ID)$/);
  expect(good).toHaveLength(7 * 6);
  expect(good.filter(({ text }) => text.includes('"error"'))).toEqual([]);
  expect(outcomes.filter(({ text }) => text.includes('INTERNAL_ERROR'))).toEqual([]);
});
