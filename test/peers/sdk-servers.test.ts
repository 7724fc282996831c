import { describe, expect, test } from 'vitest';
import { type Ask, exchange, openStream } from '../e2e/kit/exchange.ts';
import { hushConsole } from '../fixtures/peers/hushed.ts';
import { serveSdk02 } from '../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../fixtures/peers/sdk-1.ts';
import { gist } from './gist.ts';
import { kindRpc, type RawVoice, rest03, rest1, rpc1 } from './raw-voices.ts';

hushConsole();

interface Subject {
  readonly voice: RawVoice;
  serve(): ReturnType<typeof serveSdk02>;
  /** Where the card is, and where it is not. */
  readonly card: string;
  readonly noCard: string;
  /** What it calls a canceled task, and what its answer to the cancellation says. */
  readonly canceled: string;
  readonly answerToCancel: string;
  /** What a stream says whose agent throws. */
  readonly thrown: readonly string[];
  readonly extended: string;
  readonly unknownSubscription: string;
}

const AGENT_CARD = '/.well-known/agent-card.json';
const AGENT = '/.well-known/agent.json';
const THROWN = 'status failed "Agent execution error: The pen broke"';
const OF_02: Subject = {
  voice: kindRpc,
  serve: serveSdk02,
  card: AGENT,
  noCard: AGENT_CARD,
  canceled: 'canceled',
  answerToCancel: 'task working "Waiting…" [Waited. ]',
  thrown: [THROWN],
  extended: 'error -32601',
  unknownSubscription: 'error -32001',
};
const OF_03: Subject = {
  ...OF_02,
  serve: () => serveSdk03('JSONRPC'),
  card: AGENT_CARD,
  noCard: AGENT,
  answerToCancel: 'task canceled [Waited. ]',
  extended: 'Scripted 0.3, extended',
};
const OF_1: Subject = {
  ...OF_03,
  voice: rpc1,
  serve: () => serveSdk1({ preferred: 'JSONRPC' }),
  thrown: [THROWN.replace('status', 'task'), THROWN],
  extended: 'Scripted 1, extended',
};

describe.each<[string, Subject]>([
  ['0.2 over JSON-RPC', OF_02],
  ['0.3 over JSON-RPC', OF_03],
  [
    '0.3 over REST',
    {
      ...OF_03,
      voice: rest03,
      serve: () => serveSdk03('HTTP+JSON'),
      canceled: 'cancelled',
      answerToCancel: 'task cancelled [Waited. ]',
      unknownSubscription: 'error -32603',
    },
  ],
  ['1.0 over JSON-RPC', OF_1],
  ['1.0 over REST', { ...OF_1, voice: rest1, unknownSubscription: 'error 404' }],
])('a server of the official SDK, %s', (_, { serve, voice, ...subject }) => {
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
  ])('does as told: %s', async (text, answer, events) => {
    const { url } = await serve();
    expect(gist((await exchange(url, voice.send(text))).json)).toBe(answer);
    expect(await allOf(url, voice.stream(text))).toEqual(events);
  });

  test('asks, and goes on with the answer', async () => {
    const { url } = await serve();
    const asked = await exchange(url, voice.send('book'));
    expect(gist(asked.json)).toBe('task input-required "Which city?"');
    const id = idIn(asked.json);
    expect(gist((await exchange(url, voice.send('Rome', id))).json)).toBe('task completed [Booked a train to Rome.]');
  });

  test('works until it is canceled, before all who listen', async () => {
    const { url } = await serve();
    const live = await openStream(url, voice.stream('wait'));
    const id = idIn((await live.next())?.json);
    for (const _ of ['working', 'artifact', 'working']) await live.next();
    const again = await openStream(url, voice.subscribe(id));
    expect(gist((await again.next())?.json)).toBe('task working "Waiting…" [Waited. ]');
    expect(gist((await exchange(url, voice.cancel(id))).json)).toBe(subject.answerToCancel);
    for (const { rest } of [live, again]) {
      expect((await rest()).map(({ json }) => gist(json))).toEqual([`status ${subject.canceled}`]);
    }
    expect(gist((await exchange(url, voice.get(id))).json)).toBe(`task ${subject.canceled} [Waited. ]`);
  });

  test('works until the gate opens', async () => {
    const { url, gate } = await serve();
    const live = await openStream(url, voice.stream('wait'));
    for (const _ of ['task', 'working', 'artifact', 'working']) await live.next();
    gate.resolve();
    expect((await live.rest()).map(({ json }) => gist(json))).toEqual(['artifact +. Went on.', 'status completed']);
  });

  test('says what a task is that nobody can subscribe to', async () => {
    const { url } = await serve();
    const answer = await exchange(url, voice.subscribe('unknown'));
    const [event] = answer.json === undefined ? await eventsOf(url, voice.subscribe('unknown')) : [answer.json];
    expect(gist(event)).toBe(subject.unknownSubscription);
  });

  test('has its cards where they belong', async () => {
    const { url } = await serve();
    expect((await exchange(url, { method: 'GET', path: subject.card })).json).toMatchObject({
      name: expect.stringMatching(/^Scripted/),
    });
    expect((await exchange(url, { method: 'GET', path: subject.noCard })).status).toBe(404);
    const { json } = await exchange(url, voice.extendedCard());
    const { result = json } = json as { readonly result?: { readonly name: string } };
    expect((result as { readonly name?: string }).name ?? gist(json)).toBe(subject.extended);
  });
});

test('a server of 1.0 that knows 0.3 too has a card for each', async () => {
  const { url } = await serveSdk1({ preferred: 'JSONRPC', with03: true });
  const cardFor = async (version: string) =>
    (await exchange(url, { method: 'GET', path: AGENT_CARD, headers: { 'A2A-Version': version } })).json;
  expect(await cardFor('0.3')).toMatchObject({ protocolVersion: expect.stringMatching(/^0\.3/), url: `${url}/` });
  expect(await cardFor('1.0')).toMatchObject({ supportedInterfaces: { length: 4 } });
  expect(gist((await exchange(url, kindRpc.send('hi'))).json)).toBe('task completed [hi]');
});

async function eventsOf(url: string, ask: Ask): Promise<readonly unknown[]> {
  return (await (await openStream(url, ask)).rest()).map(({ json }) => json);
}

async function allOf(url: string, ask: Ask): Promise<readonly string[]> {
  return (await eventsOf(url, ask)).map(gist);
}

/** The id of the task in an answer or event, whatever it is wrapped in. */
function idIn(json: unknown): string {
  const { result = json } = json as { readonly result?: unknown };
  const { task = result } = result as { readonly task?: unknown };
  return (task as { readonly id: string }).id;
}
