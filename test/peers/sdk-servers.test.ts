import { describe, expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { silenceConsole } from '../fixtures/peers/silence-console.ts';
import { serveSdk02 } from '../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../fixtures/peers/sdk-1.ts';
import { summarize } from './summarize.ts';
import { kindRpc, type RawRequests, rest03, rest1, rpc1 } from './raw-requests.ts';

silenceConsole();

interface Subject {
  readonly requests: RawRequests;
  serve(): ReturnType<typeof serveSdk02>;
  /** The path of the card, and a path without a card. */
  readonly card: string;
  readonly noCard: string;
  /** The name of the canceled state, and the summary of the response to a cancellation. */
  readonly canceled: string;
  readonly cancelResponse: string;
  /** The events of a stream whose agent throws. */
  readonly thrown: readonly string[];
  readonly extended: string;
  readonly unknownSubscription: string;
}

const AGENT_CARD = '/.well-known/agent-card.json';
const AGENT = '/.well-known/agent.json';
const THROWN = 'status failed "Agent execution error: The pen broke"';
const SDK_02: Subject = {
  requests: kindRpc,
  serve: serveSdk02,
  card: AGENT,
  noCard: AGENT_CARD,
  canceled: 'canceled',
  cancelResponse: 'task working "Waiting…" [Waited. ]',
  thrown: [THROWN],
  extended: 'error -32601',
  unknownSubscription: 'error -32001',
};
const SDK_03: Subject = {
  ...SDK_02,
  serve: () => serveSdk03('JSONRPC'),
  card: AGENT_CARD,
  noCard: AGENT,
  cancelResponse: 'task canceled [Waited. ]',
  extended: 'Scripted 0.3, extended',
};
const SDK_1: Subject = {
  ...SDK_03,
  requests: rpc1,
  serve: () => serveSdk1({ preferred: 'JSONRPC' }),
  thrown: [THROWN.replace('status', 'task'), THROWN],
  extended: 'Scripted 1, extended',
};

describe.each<[string, Subject]>([
  ['0.2 over JSON-RPC', SDK_02],
  ['0.3 over JSON-RPC', SDK_03],
  [
    '0.3 over REST',
    {
      ...SDK_03,
      requests: rest03,
      serve: () => serveSdk03('HTTP+JSON'),
      canceled: 'cancelled',
      cancelResponse: 'task cancelled [Waited. ]',
      unknownSubscription: 'error -32603',
    },
  ],
  ['1.0 over JSON-RPC', SDK_1],
  ['1.0 over REST', { ...SDK_1, requests: rest1, unknownSubscription: 'error 404' }],
])('a server of the official SDK, %s', (_, { serve, requests, ...subject }) => {
  test.each([
    ['greet Ann', 'message "Hello, Ann!"', ['message "Hello, Ann!"']],
    [
      'report',
      'task completed [One, two, three.] [Three numbers.]',
      [
        'task submitted',
        'status working "Writing…"',
        'artifact One, ',
        'artifact + two, ',
        'artifact +. three.',
        'artifact . Three numbers.',
        'status completed',
      ],
    ],
    ['hi', 'task completed [hi]', ['task submitted', 'status working "Writing…"', 'artifact . hi', 'status completed']],
    [
      'fail',
      'task failed "Out of paper."',
      ['task submitted', 'status working "Writing…"', 'status failed "Out of paper."'],
    ],
    ['throw', 'task failed "Agent execution error: The pen broke"', subject.thrown],
  ])('responds to %s, and streams it', async (text, summary, events) => {
    const { url } = await serve();
    expect(summarize((await exchange(url, requests.send(text))).json)).toBe(summary);
    expect(await allOf(url, requests.stream(text))).toEqual(events);
  });

  test('asks a question, and continues with the answer', async () => {
    const { url } = await serve();
    const asked = await exchange(url, requests.send('book'));
    expect(summarize(asked.json)).toBe('task input-required "Which city?"');
    const id = idIn(asked.json);
    expect(summarize((await exchange(url, requests.send('Rome', id))).json)).toBe(
      'task completed [Booked a train to Rome.]',
    );
  });

  test('ends all streams of a task when it is canceled', async () => {
    const { url } = await serve();
    const live = await openStream(url, requests.stream('wait'));
    const id = idIn((await live.next())?.json);
    for (const _ of ['working', 'artifact', 'working']) await live.next();
    const again = await openStream(url, requests.subscribe(id));
    expect(summarize((await again.next())?.json)).toBe('task working "Waiting…" [Waited. ]');
    expect(summarize((await exchange(url, requests.cancel(id))).json)).toBe(subject.cancelResponse);
    for (const { rest } of [live, again]) {
      expect((await rest()).map(({ json }) => summarize(json))).toEqual([`status ${subject.canceled}`]);
    }
    expect(summarize((await exchange(url, requests.get(id))).json)).toBe(`task ${subject.canceled} [Waited. ]`);
  });

  test('continues a task when the gate opens', async () => {
    const { url, gate } = await serve();
    const live = await openStream(url, requests.stream('wait'));
    for (const _ of ['task', 'working', 'artifact', 'working']) await live.next();
    gate.resolve();
    expect((await live.rest()).map(({ json }) => summarize(json))).toEqual([
      'artifact +. Went on.',
      'status completed',
    ]);
  });

  test('responds with an error to a subscription to an unknown task', async () => {
    const { url } = await serve();
    const response = await exchange(url, requests.subscribe('unknown'));
    const [event] = response.json === undefined ? await eventsOf(url, requests.subscribe('unknown')) : [response.json];
    expect(summarize(event)).toBe(subject.unknownSubscription);
  });

  test('serves its card and its extended card at the paths of its version', async () => {
    const { url } = await serve();
    expect((await exchange(url, { method: 'GET', path: subject.card })).json).toMatchObject({
      name: expect.stringMatching(/^Scripted/),
    });
    expect((await exchange(url, { method: 'GET', path: subject.noCard })).status).toBe(404);
    const { json } = await exchange(url, requests.extendedCard());
    const { result = json } = json as { readonly result?: { readonly name: string } };
    expect((result as { readonly name?: string }).name ?? summarize(json)).toBe(subject.extended);
  });
});

test('a server of the official SDK 1.x that supports 0.3 too serves a card for each version', async () => {
  const { url } = await serveSdk1({ preferred: 'JSONRPC', with03: true });
  const cardFor = async (version: string) =>
    (await exchange(url, { method: 'GET', path: AGENT_CARD, headers: { 'A2A-Version': version } })).json;
  expect(await cardFor('0.3')).toMatchObject({ protocolVersion: expect.stringMatching(/^0\.3/), url: `${url}/` });
  expect(await cardFor('1.0')).toMatchObject({ supportedInterfaces: { length: 4 } });
  expect(summarize((await exchange(url, kindRpc.send('hi'))).json)).toBe('task completed [hi]');
});

async function eventsOf(url: string, ask: Ask): Promise<readonly unknown[]> {
  return (await (await openStream(url, ask)).rest()).map(({ json }) => json);
}

async function allOf(url: string, ask: Ask): Promise<readonly string[]> {
  return (await eventsOf(url, ask)).map(summarize);
}

/** The id of the task in a response or event, with or without a wrapper. */
function idIn(json: unknown): string {
  const { result = json } = json as { readonly result?: unknown };
  const { task = result } = result as { readonly task?: unknown };
  return (task as { readonly id: string }).id;
}
