/** Peers that are busy, reject, or break their streams. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { A2AError } from '../../../src/errors.ts';
import { SENSITIVE } from '../../../src/model/question.ts';
import { agent } from '../../../src/server/index.ts';
import { deferred } from '../../../src/support/deferred.ts';
import { fakePeer, type FakePeerOptions } from '../../../src/testing/index.ts';
import { connected } from '../../e2e/client/kit.ts';
import { serveOnSocket } from '../../e2e/kit/server.ts';
import { all, answered, artifactsOf, callOf, failureOf, followed, NEVER, peerAt, settledTask, taskOf } from './kit.ts';

async function startPeer(options: FakePeerOptions = {}) {
  const peer = await fakePeer(options);
  onTestFinished(() => peer.close());
  return peer;
}

test.each([
  [429, 7, true, 7000],
  [429, undefined, true, undefined],
  [503, 7, true, 7000],
  [503, undefined, false, undefined],
  [502, undefined, false, undefined],
  [500, undefined, false, undefined],
])(
  'a peer that responds with %i and Retry-After %s is tried again later',
  async (status, retryAfterS, isUnsent, retryAfterMs) => {
    const peer = await startPeer({
      faults: [{ fault: 'status', status, ...(retryAfterS !== undefined && { retryAfterS }), on: 'SendMessage' }],
    });
    const error = await failureOf(peerAt(peer.url).start(callOf('hi'), NEVER));
    expect(error).toMatchObject({ name: 'PeerError', kind: 'unreachable', isUnsent, retryAfterMs });
    // The engine decides when to try again.
    expect(peer.requests.filter(({ operation }) => operation === 'SendMessage')).toHaveLength(1);
  },
);

test('a card that cannot be read at the moment leaves the message unsent', async () => {
  const peer = await startPeer({ faults: [{ fault: 'status', status: 503, retryAfterS: 3, on: 'card' }] });
  const crm = peerAt(peer.url);
  const call = callOf('hi');
  expect(await failureOf(crm.start(call, NEVER))).toMatchObject({ kind: 'unreachable', isUnsent: true });
  expect((await crm.start(call, NEVER)).kind).toBe('task');
});

test.each([
  ['INVALID_PARAMS', 'rejected'],
  ['PERMISSION_DENIED', 'rejected'],
  ['UNSUPPORTED_OPERATION', 'rejected'],
  ['TASK_NOT_CANCELABLE', 'not-cancelable'],
  ['INTERNAL_ERROR', 'unreachable'],
] as const)('an error %s of a peer means that it is %s', async (code, kind) => {
  const peer = await startPeer({ script: [new A2AError(code, 'Not today')] });
  const error = await failureOf(peerAt(peer.url).start(callOf('hi'), NEVER));
  expect(error).toMatchObject({ name: 'PeerError', kind });
  expect(error.message).toContain('Not today');
});

test('a long text of a peer is shortened in messages', async () => {
  const peer = await startPeer({ script: [new A2AError('INVALID_PARAMS', 'a'.repeat(5000))] });
  const { message } = await failureOf(peerAt(peer.url).start(callOf('hi'), NEVER));
  expect(message.length).toBeLessThan(600);
});

test('an attempt ends with the reason of its signal', async () => {
  const peer = await startPeer({ faults: [{ fault: 'silence', on: 'SendMessage' }] });
  const stop = new AbortController();
  const starting = failureOf(peerAt(peer.url).start(callOf('hi'), stop.signal));
  await expect.poll(() => peer.requests.some(({ operation }) => operation === 'SendMessage')).toBe(true);
  const reason = new Error('The node stops');
  stop.abort(reason);
  expect(await starting).toBe(reason);
});

test('an attempt that is stopped before it began sends nothing', async () => {
  const peer = await startPeer();
  const reason = new Error('The node stops');
  expect(await failureOf(peerAt(peer.url).start(callOf('hi'), AbortSignal.abort(reason)))).toBe(reason);
  expect(peer.requests.filter(({ operation }) => operation === 'SendMessage')).toEqual([]);
});

const STORY = [
  { status: 'working', text: 'One' },
  { artifact: 'poem', text: 'Roses ' },
  { artifact: 'notes', text: 'Mind the thorns' },
  { status: 'working', text: 'Two' },
  { artifact: 'poem', text: 'are red', append: true },
] as const;
const WHOLE = { poem: 'Roses are red', notes: 'Mind the thorns' };

describe.each([['1.0'], ['0.3'], ['0.2'], ['0.1']] as const)('a stream of a peer of %s', (version) => {
  test.each([
    ['that breaks', { fault: 'cut-stream', afterEvents: 3 }],
    ['that ends early', { fault: 'cut-stream', afterEvents: 2, how: 'clean' }],
    ['that misses events while it is broken', { fault: 'cut-stream', afterEvents: 2, missed: 2 }],
  ] as const)('%s yields the whole artifacts', async (_, fault) => {
    const peer = await startPeer({ version, script: [STORY], answersAtOnce: true, numbersEvents: version !== '0.1' });
    const crm = peerAt({ url: peer.url, version });
    const call = callOf('story');
    const { id } = taskOf(await crm.start(call, NEVER));
    peer.fault({ ...fault, on: 'SubscribeToTask' });
    const updates = await all(await followed(crm, call, id));
    expect(artifactsOf(updates)).toEqual(WHOLE);
    expect(updates.at(-1)).toMatchObject({
      kind: 'settled',
      state: { task: { status: { state: 'TASK_STATE_COMPLETED' } } },
    });
  });
});

test('statuses are progress, chunks are chunks, and both have their event numbers', async () => {
  const peer = await startPeer({
    script: [STORY],
    answersAtOnce: true,
    numbersEvents: true,
  });
  const crm = peerAt(peer.url);
  const call = callOf('story');
  const { id } = taskOf(await crm.start(call, NEVER));
  const updates = await all(await followed(crm, call, id));
  const shown = updates.map((update) => (update.kind === 'progress' ? `${update.event} ${update.text}` : update.kind));
  expect(shown.filter((each) => each !== 'artifact')).toEqual([
    // The first status came with the task.
    expect.stringMatching(/^\d+ Two$/),
    'settled',
  ]);
  for (const update of updates) if (update.kind === 'artifact') expect(update.event).toBeGreaterThan(0);
});

test('another node continues after the last event number, without gaps or duplicates', async () => {
  const go = deferred<void>();
  const { url } = await serveOnSocket(
    agent({
      name: 'Poet',
      description: 'Writes.',
      async *run() {
        yield { artifact: 'poem', text: 'Roses ' };
        yield { artifact: 'poem', text: 'are ', append: true };
        await go.promise;
        yield { artifact: 'poem', text: 'red', append: true };
      },
    }),
  );
  const call = callOf('poem');
  const first = peerAt(url);
  const { id } = taskOf(await first.start(call, NEVER));
  const seen: string[] = [];
  let last = 0;
  for await (const update of await followed(first, call, id)) {
    if (update.kind !== 'artifact') continue;
    for (const part of update.parts) if ('text' in part) seen.push(part.text);
    last = update.event ?? last;
    if (seen.join('') === 'Roses are ') break;
  }
  // Chunks that came with the first state have no number.
  if (last === 0) last = await numberOfLastEvent(url, id);
  go.resolve();
  const updates = await all(await followed(peerAt(url), call, id, last));
  expect(artifactsOf(updates)).toEqual({ poem: 'red' });
  expect(updates.at(-1)?.kind).toBe('settled');
});

async function numberOfLastEvent(url: string, id: string): Promise<number> {
  for await (const { number } of (await connected(url)).task(id).subscribe()) return number ?? 0;
  return 0;
}

test('an event that a peer sends twice is one update', async () => {
  const peer = await startPeer({
    script: [STORY],
    answersAtOnce: true,
    numbersEvents: true,
  });
  const crm = peerAt(peer.url);
  const call = callOf('story');
  const { id } = taskOf(await crm.start(call, NEVER));
  for (const event of [2, 3]) peer.fault({ fault: 'duplicate-event', event, on: 'SubscribeToTask' });
  expect(artifactsOf(await all(await followed(crm, call, id)))).toEqual(WHOLE);
});

test('a peer whose card has no streams is not followed', async () => {
  const peer = await startPeer({ streaming: false, script: [[{ status: 'working' }]] });
  const crm = peerAt(peer.url);
  const call = callOf('hi');
  const { id } = taskOf(await crm.start(call, NEVER));
  expect(await crm.follow(call, id, undefined, NEVER)).toBeUndefined();
});

test('a peer whose card wrongly declares streams is followed once', async () => {
  const peer = await startPeer({
    streaming: false,
    card: { capabilities: { streaming: true } },
    script: [[{ status: 'working' }]],
  });
  const crm = peerAt(peer.url);
  const call = callOf('hi');
  const { id } = taskOf(await crm.start(call, NEVER));
  expect(await all(await followed(crm, call, id))).toEqual([]);
  expect(await crm.follow(call, id, undefined, NEVER)).toBeUndefined();
});

test('a stream ends with the reason of its signal', async () => {
  const peer = await startPeer({ script: [[{ until: new Promise(() => {}) }]], answersAtOnce: true });
  const crm = peerAt(peer.url);
  const call = callOf('hi');
  const { id } = taskOf(await crm.start(call, NEVER));
  const stop = new AbortController();
  const reading = failureOf(all(await followed(crm, call, id, undefined, stop.signal)));
  await expect.poll(() => peer.requests.some(({ operation }) => operation === 'SubscribeToTask')).toBe(true);
  const reason = new Error('The node stops');
  stop.abort(reason);
  expect(await reading).toBe(reason);
});

test('a sensitive question is marked, and its answer reaches the handler but not the history', async () => {
  const told: string[] = [];
  const { url } = await serveOnSocket(
    agent({
      name: 'Vault',
      description: 'Asks for a secret.',
      async run({ ask }) {
        told.push(await ask('The PIN?', { sensitive: true }));
        return 'Thank you';
      },
    }),
  );
  const crm = peerAt(url);
  const call = callOf('open');
  const { id } = taskOf(await crm.start(call, NEVER));
  const asked = (await settledTask(crm, call, id)).status.message;
  expect(asked?.metadata?.[SENSITIVE]).toBe(true);
  const parts = [{ text: '4711', metadata: { [SENSITIVE]: true } }];
  const message = { messageId: 'answer-1', role: 'ROLE_USER', parts } as const;
  await answered(crm, call, id, { questionId: asked?.messageId, message });
  const ended = await settledTask(crm, call, id, asked?.messageId);
  expect(told).toEqual(['4711']);
  expect(ended.status.state).toBe('TASK_STATE_COMPLETED');
  expect(JSON.stringify(ended)).not.toContain('4711');
});
