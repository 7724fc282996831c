import { expect, onTestFinished, test } from 'vitest';
import { type Fetch, rawCall, type WireFormat, WIRE_FORMATS } from '../../test/helpers/raw-call.ts';
import type { Input } from '../model/operation.ts';
import { deferred } from '../support/deferred.ts';
import { readSse } from '../../test/helpers/read-sse.ts';
import { fakeClock } from './fake-clock.ts';
import type { Fault } from './fake-peer/faults.ts';
import { type FakePeer, fakePeer } from './fake-peer.ts';
import type { FakePeerOptions } from './fake-peer/peer.ts';

const HI: Input<'SendMessage'> = { message: { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };

/** Over a socket, and without one. */
const EDGES = ['socket', 'process'] as const;
type Edge = (typeof EDGES)[number];

const CASES = WIRE_FORMATS.flatMap((format) => EDGES.map((edge) => ({ ...format, edge })));
type Case = WireFormat & { readonly edge: Edge };

async function open(format: WireFormat, faults: readonly Fault[], more: FakePeerOptions = {}): Promise<FakePeer> {
  const { version, binding } = format;
  const peer = await fakePeer({ version, binding, script: [['a', 'b', 'c']], faults, ...more });
  onTestFinished(() => peer.close());
  return peer;
}

function fetchOf(peer: FakePeer, edge: Edge): Fetch {
  return edge === 'socket' ? fetch : (input, init) => peer.fetch(input, init);
}

function ask(peer: FakePeer, format: Case, operation: 'SendMessage' | 'SendStreamingMessage'): Promise<Response> {
  return rawCall(format, `${peer.url}/a2a`, operation, HI, { send: fetchOf(peer, format.edge) });
}

/** The texts of the events that arrive, and how the stream ends. */
async function read(response: Response): Promise<string[]> {
  const seen: string[] = [];
  try {
    for await (const { data } of readSse(response.body as ReadableStream<Uint8Array>)) seen.push(nameOf(data));
    seen.push('end');
  } catch (error) {
    seen.push((error as Error).message);
  }
  return seen;
}

function nameOf(data: string): string {
  return /"text":"([abc])"/.exec(data)?.[1] ?? /(submitted|completed)"/i.exec(data)?.[1]?.toLowerCase() ?? data;
}

const WHOLE = ['submitted', 'a', 'b', 'c', 'completed', 'end'];

test.each(CASES)('$version, $binding, $edge: a dropped send is processed, or not', async (format) => {
  const peer = await open(format, [
    { fault: 'drop', when: 'before-acting' },
    { fault: 'drop' },
    { fault: 'drop', when: 'while-answering' },
  ]);

  await expect(ask(peer, format, 'SendMessage')).rejects.toThrow('fetch failed');
  expect(peer.tasks).toHaveLength(0);
  await expect(ask(peer, format, 'SendMessage')).rejects.toThrow('fetch failed');
  expect(peer.requests.map(({ acted }) => acted)).toEqual([false, true]);
  if (format.version === '0.1') return;

  const half = await ask(peer, format, 'SendMessage');
  await expect(half.text()).rejects.toThrow('terminated');
  expect(peer.tasks).toHaveLength(2);
  expect(peer.doubleSends).toEqual(['m1']);
});

test.each(CASES)(
  '$version, $binding, $edge: events of streams are cut off, duplicated and reordered',
  async (format) => {
    const faults: [Fault, string[]][] = [
      [{ fault: 'cut-stream', afterEvents: 0 }, ['terminated']],
      [{ fault: 'cut-stream', afterEvents: 2 }, ['submitted', 'a', 'terminated']],
      [{ fault: 'cut-stream', afterEvents: 2, how: 'inside-event' }, ['submitted', 'a', 'terminated']],
      [{ fault: 'cut-stream', afterEvents: 2, how: 'clean' }, ['submitted', 'a', 'end']],
      [{ fault: 'cut-stream', afterEvents: 9 }, WHOLE],
      [{ fault: 'drop', when: 'while-answering' }, ['terminated']],
      [{ fault: 'duplicate-event', event: 2 }, ['submitted', 'a', 'a', 'b', 'c', 'completed', 'end']],
      [{ fault: 'reorder-events', event: 2 }, ['submitted', 'b', 'a', 'c', 'completed', 'end']],
      [{ fault: 'reorder-events', event: 5 }, WHOLE],
    ];
    for (const [fault, expected] of faults) {
      const peer = await open(format, [fault]);
      const seen = await read(await ask(peer, format, 'SendStreamingMessage'));
      expect({ fault, seen }).toEqual({ fault, seen: expected });
    }
  },
);

test.each(CASES)(
  '$version, $binding, $edge: responses are malformed, oversized or have another content type',
  async (format) => {
    const peer = await open(
      format,
      [
        { fault: 'content-type', contentType: 'text/html', on: 'SendMessage' },
        { fault: 'malformed-json', on: 'SendMessage' },
        { fault: 'oversized', bytes: 100_000, on: 'SendMessage' },
        { fault: 'malformed-json', on: 'SendStreamingMessage' },
        { fault: 'oversized', bytes: 100_000, on: 'SendStreamingMessage' },
      ],
      { recognisesRepeats: true },
    );

    expect((await ask(peer, format, 'SendMessage')).headers.get('content-type')).toBe('text/html');
    await expect((await ask(peer, format, 'SendMessage')).json()).rejects.toThrow(SyntaxError);
    const large = await ask(peer, format, 'SendMessage');
    expect(large.headers.has('content-length')).toBe(false);
    const text = await large.text();
    expect(text.length).toBeGreaterThanOrEqual(100_000);
    expect(JSON.parse(text)).toBeTypeOf('object');

    const [malformed = ''] = await firstData(await ask(peer, format, 'SendStreamingMessage'));
    expect(() => JSON.parse(malformed) as unknown).toThrow(SyntaxError);
    const [largeEvent = ''] = await firstData(await ask(peer, format, 'SendStreamingMessage'));
    expect(largeEvent.length).toBeGreaterThan(99_000);
    expect(JSON.parse(largeEvent)).toBeTypeOf('object');
  },
);

async function firstData(response: Response): Promise<string[]> {
  for await (const { data } of readSse(response.body as ReadableStream<Uint8Array>)) return [data];
  return [];
}

test.each(CASES)('$version, $binding, $edge: a busy peer accepts a later request', async (format) => {
  const peer = await open(format, [
    { fault: 'status', status: 503, retryAfterS: 2 },
    { fault: 'status', status: 503, times: 2, body: 'later' },
  ]);

  const statuses = [];
  for (let i = 0; i < 4; i++) {
    const response = await ask(peer, format, 'SendMessage');
    statuses.push([response.status, response.headers.get('retry-after')]);
    await response.text();
  }

  expect(statuses).toEqual([
    [503, '2'],
    [503, null],
    [503, null],
    [200, null],
  ]);
  expect(peer.tasks).toHaveLength(1);
  expect(peer.doubleSends).toEqual([]);
});

test.each(CASES)(
  '$version, $binding, $edge: a silent peer has processed the request, and callers can disconnect',
  async (format) => {
    const peer = await open(format, [{ fault: 'silence' }]);
    const leaving = new AbortController();
    const asked = rawCall(format, `${peer.url}/a2a`, 'SendMessage', HI, {
      send: (input, init) => fetchOf(peer, format.edge)(input, { ...init, signal: leaving.signal }),
    });
    await expect.poll(() => peer.requests[0]?.acted).toBe(true);

    leaving.abort();

    await expect(asked).rejects.toThrow('aborted');
  },
);

test.each(CASES)('$version, $binding, $edge: a silent stream ends when the peer closes', async (format) => {
  const peer = await open(format, [{ fault: 'silence', afterEvents: 2, on: 'SendStreamingMessage' }]);
  const response = await ask(peer, format, 'SendStreamingMessage');
  const events = readSse(response.body as ReadableStream<Uint8Array>);
  expect(nameOf(String((await events.next()).value?.data))).toBe('submitted');
  expect(nameOf(String((await events.next()).value?.data))).toBe('a');
  const third = events.next();

  await peer.close();

  await expect(third).rejects.toThrow('terminated');
});

test.each(EDGES)('%s: a delayed response arrives at its time, or when its promise resolves', async (edge) => {
  const clock = fakeClock();
  const { promise, resolve } = deferred<void>();
  const format: Case = { version: '1.0', binding: 'JSONRPC', edge };
  const peer = await open(
    format,
    [
      { fault: 'delay', ms: 5000 },
      { fault: 'delay', until: promise },
    ],
    { clock },
  );

  const late = ask(peer, format, 'SendMessage');
  await expect.poll(() => clock.pending).toBe(1);
  expect(peer.tasks).toHaveLength(1);
  clock.advance(5000);
  expect((await late).status).toBe(200);

  const held = ask(peer, format, 'SendMessage');
  await expect.poll(() => peer.tasks).toHaveLength(2);
  resolve();
  expect((await held).status).toBe(200);
  expect(clock.pending).toBe(0);
});

test('a fault applies only to the operation it names', async () => {
  const format: Case = { version: '1.0', binding: 'JSONRPC', edge: 'socket' };
  const peer = await open(format, [{ fault: 'status', status: 500, on: 'card', times: Infinity }]);
  peer.fault({ fault: 'cut-stream', afterEvents: 0 });

  expect((await ask(peer, format, 'SendMessage')).status).toBe(200);
  for (let i = 0; i < 3; i++) expect((await fetch(`${peer.url}/.well-known/agent-card.json`)).status).toBe(500);
  expect(await read(await ask(peer, format, 'SendStreamingMessage'))).toEqual(['terminated']);
  expect(await read(await ask(peer, format, 'SendStreamingMessage'))).toEqual(WHOLE);
  expect(() => peer.fault({ fault: 'cut-stream', afterEvents: 1, on: 'GetTask' })).toThrow(
    'on: expected SendStreamingMessage or SubscribeToTask',
  );
});
