import { describe, expect, test } from 'vitest';
import { textOfParts } from '../../../src/model/part-text.ts';
import type { PeerOptions } from '../../../src/peers/peer-options.ts';
import type { Deferred } from '../../../src/support/deferred.ts';
import { serveSdk02 } from '../../fixtures/peers/sdk-02.ts';
import { serveSdk03 } from '../../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../../fixtures/peers/sdk-1.ts';
import { silenceConsole } from '../../fixtures/peers/silence-console.ts';
import { serveTestAgent } from '../test-agent.ts';
import {
  all,
  answered,
  artifactsOf,
  artifactTexts,
  callOf,
  failureOf,
  followed,
  NEVER,
  peerAt,
  settledTask,
  taskOf,
} from './kit.ts';

silenceConsole();

interface Served {
  readonly url: string;
  readonly gate: Deferred<void>;
}

type Format = Pick<PeerOptions, 'version' | 'binding'>;

const tandem = (): Promise<Served> => serveTestAgent();

const SUBJECTS: readonly (readonly [string, () => Promise<Served>, Format])[] = [
  ['Tandem, 1.0 over JSON-RPC', tandem, { version: '1.0', binding: 'JSONRPC' }],
  ['Tandem, 1.0 over REST', tandem, { version: '1.0', binding: 'HTTP+JSON' }],
  ['Tandem, 0.3 over JSON-RPC', tandem, { version: '0.3', binding: 'JSONRPC' }],
  ['Tandem, 0.3 over REST', tandem, { version: '0.3', binding: 'HTTP+JSON' }],
  ['Tandem, 0.2', tandem, { version: '0.2' }],
  ['Tandem, 0.1', tandem, { version: '0.1' }],
  ['SDK 1.x over JSON-RPC', () => serveSdk1({ preferred: 'JSONRPC' }), {}],
  ['SDK 1.x over REST', () => serveSdk1({ preferred: 'HTTP+JSON' }), {}],
  ['SDK 0.3 over JSON-RPC', () => serveSdk03('JSONRPC'), {}],
  ['SDK 0.3 over REST', () => serveSdk03('HTTP+JSON'), {}],
  ['SDK 0.2', serveSdk02, { version: '0.2' }],
];

// Tandem creates a task for each message that returns at once.
test.each(SUBJECTS.filter(([name]) => name.startsWith('SDK')))(
  'a peer (%s) may reply with a message and create no task',
  async (_, serve, format) => {
    const { url } = await serve();
    const state = await peerAt({ url, ...format }).start(callOf('greet Ann'), NEVER);
    expect(state.kind === 'message' && textOfParts(state.message.parts)).toBe('Hello, Ann!');
  },
);

describe.each(SUBJECTS)('a peer (%s)', (_, serve, format) => {
  test('starts a task without waiting for its end, and is followed to it', async () => {
    const { url, gate } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('wait');
    const { id, contextId, status } = taskOf(await peer.start(call, NEVER));
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(status.state);
    // In 0.1 a task has no context.
    if (format.version !== '0.1') expect(contextId).toBe(call.message.contextId);

    const updates = (await followed(peer, call, id))[Symbol.asyncIterator]();
    gate.resolve();
    const rest = await all({ [Symbol.asyncIterator]: () => updates });
    expect(rest.at(-1)).toMatchObject({
      kind: 'settled',
      state: { kind: 'task', task: { id, status: { state: 'TASK_STATE_COMPLETED' } } },
    });
    expect(Object.values(artifactsOf(rest))).toEqual(['Waited. Went on.']);
    const last = rest.at(-1);
    if (last?.kind === 'settled')
      expect(artifactTexts(taskOf(last.state))).toEqual(artifactTexts(await settledTask(peer, call, id)));
  });

  test('asks a question, and continues with the answer', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('book');
    const { id } = taskOf(await peer.start(call, NEVER));
    const asked = await settledTask(peer, call, id);
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const questionId = asked.status.message?.messageId;
    const message = { messageId: 'answer-1', role: 'ROLE_USER', parts: [{ text: 'Rome' }] } as const;
    expect((await answered(peer, call, id, { questionId, message })).id).toBe(id);
    const ended = await settledTask(peer, call, id, questionId);
    expect(Object.values(artifactTexts(ended))).toEqual(['Booked a train to Rome.']);
  });

  test('ends the updates at a question', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('book');
    const { id } = taskOf(await peer.start(call, NEVER));
    const updates = await all(await followed(peer, call, id));
    expect(updates.at(-1)).toMatchObject({
      kind: 'settled',
      state: {
        task: { status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Which city?' }] } } },
      },
    });
  });

  test('cancels a task', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('wait');
    const { id } = taskOf(await peer.start(call, NEVER));
    await peer.cancel(call, id, NEVER);
    expect((await settledTask(peer, call, id)).status.state).toBe('TASK_STATE_CANCELED');
  });

  test('returns a task that has ended when it is canceled too late', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('hi');
    const { id } = taskOf(await peer.start(call, NEVER));
    await settledTask(peer, call, id);
    expect(taskOf(await peer.cancel(call, id, NEVER)).status.state).toBe('TASK_STATE_COMPLETED');
  });

  test('does not know a task of another agent', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const error = await failureOf(peer.get(callOf('hi'), 'unknown', NEVER));
    expect(error).toMatchObject({ name: 'PeerError', kind: 'not-found' });
  });

  test('is followed to the end of a task that has ended', async () => {
    const { url } = await serve();
    const peer = peerAt({ url, ...format });
    const call = callOf('report');
    const { id } = taskOf(await peer.start(call, NEVER));
    await settledTask(peer, call, id);
    const updates = await all(await followed(peer, call, id));
    expect(updates.at(-1)).toMatchObject({ kind: 'settled', state: { task: { id } } });
  });
});
