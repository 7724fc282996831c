/**
 * Requests of any kind, over real connections: mutated bodies of every operation, version and binding, odd paths, verbs and
 * headers. Each gets a response below 500 without internals, and the memory of the server stays flat.
 * `TANDEM_FUZZ` sets the number of requests, `TANDEM_SEED` repeats a run.
 */
import fc from 'fast-check';
import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../src/model/json.ts';
import { arbitraryMutation } from '../helpers/hostile-json.ts';
import { grows, thirds } from '../helpers/memory-growth.ts';
import type { RawRequest } from '../e2e/malformed/exchange.ts';
import { BODYLESS, damaged, damages, filledIn, VALID_REQUESTS } from '../e2e/malformed/valid-requests.ts';
import {
  LEAKS,
  PATHS,
  pathSafe,
  arbitraryBody,
  arbitraryHeaders,
  arbitraryText,
  VERBS,
} from '../e2e/malformed/arbitrary-requests.ts';
import { call, sendOf, taskOf } from './calls.ts';
import { TIMEOUT_MS, victims } from './victim.ts';
import type { Condition } from './victim-server.ts';

const REQUESTS = Number(process.env['TANDEM_FUZZ'] ?? 3000);
const SEED = Number(process.env['TANDEM_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
const LANES = 16;
const BATCH = 500;
const SAMPLES = 30;
/** A response that takes longer counts as a hang, even on a busy machine. */
const HANG_MS = 30_000;

const start = victims();

/** A valid request whose JSON is changed in up to three places. */
const mutated = fc
  .tuple(fc.constantFrom(...VALID_REQUESTS), fc.array(arbitraryMutation, { minLength: 1, maxLength: 3 }))
  .map(([valid, mutations]): RawRequest => {
    const json = JSON.parse(String(valid.body)) as JsonValue;
    return { ...valid, body: JSON.stringify(mutations.reduce((now, mutate) => mutate(now), json)) };
  });

/** A valid request whose body is changed as text, so that it is often no longer JSON. */
const garbled = fc.tuple(fc.constantFrom(...VALID_REQUESTS), damages).map(([valid, all]): RawRequest => {
  return { ...valid, body: all.reduce(damaged, Buffer.from(String(valid.body))) };
});

/** A valid request with headers that it should not have. */
const odd = fc
  .tuple(fc.constantFrom(...VALID_REQUESTS, ...BODYLESS), arbitraryHeaders)
  .map(([valid, headers]): RawRequest => ({ ...valid, headers: [...(valid.headers ?? []), ...headers] }));

/** Any verb, path, headers and body. */
const strange = fc
  .tuple(
    fc.constantFrom(...VERBS),
    fc.constantFrom('', '/v1', '/tenant', '//', '/%2e'),
    fc.constantFrom(...PATHS),
    fc.oneof(fc.constant('$TASK'), arbitraryText.map(pathSafe)),
    fc.oneof(
      fc.constant(''),
      arbitraryText.map((text) => `?historyLength=${pathSafe(text)}&pageToken=$TOKEN`),
    ),
    arbitraryHeaders,
    arbitraryBody,
  )
  .map(([method, prefix, path, id, query, headers, body]): RawRequest => {
    const place = `${prefix}${path.replaceAll('$ID', () => id)}${query}`;
    return { method, path: place, headers, ...(body !== undefined && { body }) };
  });

const requests = fc.oneof(
  { weight: 5, arbitrary: mutated },
  { weight: 2, arbitrary: garbled },
  { weight: 2, arbitrary: odd },
  { weight: 2, arbitrary: strange },
);

interface Place {
  readonly port: number;
  readonly agent: Agent;
  readonly task: string;
  readonly token: string;
  /** How many responses had each status. */
  readonly statuses: Map<number, number>;
}

/** The problem with the response to a request; undefined if there is none. */
async function problemOf(place: Place, given: RawRequest): Promise<string | undefined> {
  const { method = 'POST', path = '/a2a', headers = [], body } = filled(given, place);
  const { status, type, text } = await responseTo(place, {
    method,
    path,
    headers,
    ...(body !== undefined && { body }),
  });
  place.statuses.set(status, (place.statuses.get(status) ?? 0) + 1);
  if (status >= 500 || status < 200) return `status ${status}`;
  if (text.includes('-32603')) return 'an internal error';
  if (LEAKS.test(text)) return 'internals in the body';
  if (text === '' || type.startsWith('text/')) return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return `a body that is not JSON (${type})`;
  }
}

/** Leaves bodies alone that are bytes. */
function filled(request: RawRequest, place: Place): RawRequest {
  const { body, ...others } = request;
  if (typeof body === 'string') return filledIn(request, place);
  return { ...filledIn(others, place), ...(body !== undefined && { body }) };
}

interface Response {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

function responseTo({ port, agent }: Place, { method, path = '/', headers = [], body }: RawRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, agent, method, path: sendable(path), timeout: HANG_MS };
    const call = httpRequest(options, (response) => void textOf(response).then(resolve, reject));
    call.setHeader('authorization', 'Bearer token-of-alice');
    for (const [name, value] of headers) {
      if (name !== 'Authorization') call.setHeader(name, value.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''));
    }
    call.on('timeout', () => call.destroy(new Error('No response')));
    call.on('error', reject);
    call.end(body);
  });
}

/** The path without characters that an HTTP client rejects. */
function sendable(path: string): string {
  return path.replaceAll(/[^\x21-\xff]/g, '') || '/';
}

async function textOf(response: IncomingMessage): Promise<Response> {
  let text = '';
  response.setEncoding('utf8');
  for await (const piece of response) text += String(piece);
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text };
}

test(
  `${REQUESTS} requests of any kind get responses below 500, and the heap does not grow (seed ${SEED})`,
  async () => {
    // A store that is soon full, so that stored tasks do not look like a leak.
    const victim = await start({ heapMb: 256, isUnlimited: true, storeBytes: 2 ** 20 });
    const { port } = victim;
    const agent = new Agent({ keepAlive: true, maxSockets: LANES });
    onTestFinished(() => agent.destroy());
    const task = await taskOf(port, 'alice', sendOf('one'));
    await taskOf(port, 'alice', sendOf('two'));
    const { text } = await call(port, 'alice', { method: 'GET', path: '/tasks?pageSize=1' });
    const { nextPageToken } = JSON.parse(text) as { nextPageToken: string };
    const place: Place = { port, agent, task, token: nextPageToken, statuses: new Map() };
    const problems: unknown[] = [];
    const conditions: Condition[] = [];
    const batches = Math.ceil(REQUESTS / BATCH);
    for (let batch = 0; batch < batches && problems.length === 0; batch++) {
      const all = fc.sample(requests, { numRuns: Math.min(BATCH, REQUESTS - batch * BATCH), seed: SEED + batch });
      const lanes = Array.from({ length: LANES }, async () => {
        for (let next = all.pop(); next !== undefined; next = all.pop()) {
          const problem = await problemOf(place, next).catch((error: unknown) => String(error));
          if (problem !== undefined) problems.push([problem, next]);
        }
      });
      await Promise.all(lanes);
      if (conditions.length < ((batch + 1) * SAMPLES) / batches) conditions.push(await victim.condition());
    }

    expect(problems.slice(0, 3)).toEqual([]);
    expect((await victim.condition()).errors).toEqual([]);
    const heap = thirds(conditions.map((condition) => condition.heap));
    const seen = [...place.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    console.log(`${seen.join(', ')}; MiB of heap by thirds: ${heap.join(', ')}`);
    expect({ heap, grows: grows(heap, 8) }).toEqual({ heap, grows: false });
    expect((await call(port, 'bob', sendOf('still there'))).text).toContain('TASK_STATE_COMPLETED');
  },
  TIMEOUT_MS + REQUESTS * 10,
);
