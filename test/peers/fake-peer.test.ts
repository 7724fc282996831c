/** The official clients work with a fake peer, and with a replay of a recording of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fakePeer, record, replay } from '../../src/testing/index.ts';
import { all, fold, type Peer, stateOf, taskOf, textOf, textsOf } from './peer.ts';
import { connect as connect02 } from './sdk-02.ts';
import { connectRest, connectRpc } from './sdk-03.ts';
import { connect as connect1, connectTo03 } from './sdk-1.ts';

const CLIENTS = [
  { client: '1.x', version: '1.0', binding: 'JSONRPC', connect: (url: string) => connect1(url, 'JSONRPC') },
  { client: '1.x', version: '1.0', binding: 'HTTP+JSON', connect: (url: string) => connect1(url, 'HTTP+JSON') },
  { client: '1.x', version: '0.3', binding: 'JSONRPC', connect: (url: string) => connectTo03(url, 'JSONRPC') },
  { client: '1.x', version: '0.3', binding: 'HTTP+JSON', connect: (url: string) => connectTo03(url, 'HTTP+JSON') },
  { client: '0.3', version: '0.3', binding: 'JSONRPC', connect: connectRpc },
  { client: '0.3', version: '0.3', binding: 'HTTP+JSON', connect: connectRest },
  { client: '0.2', version: '0.2', binding: 'JSONRPC', connect: connect02 },
] as const;

const SCRIPT = [
  [{ status: 'working' as const, text: 'Hm' }, 'Hel', 'lo'],
  [{ status: 'input-required' as const, text: 'Where to?' }],
  ({ text }: { readonly text: string }) => `${text}!`,
];

/** Streams a task, gets a question and answers it. Resolves to all results. */
async function converse(peer: Peer): Promise<readonly unknown[]> {
  const streamed = fold(await all(peer.stream({ text: 'hi' })));
  const asked = taskOf(await peer.send({ text: 'book' }));
  const answered = taskOf(await peer.send({ text: 'Rome', taskId: asked.id, contextId: asked.contextId }));
  const got = await peer.get(asked.id);
  return [
    peer.agentName,
    [stateOf(streamed), textsOf(streamed)],
    [stateOf(asked), textOf(asked.status.message?.parts)],
    [stateOf(answered), textsOf(answered)],
    [stateOf(got), textsOf(got)],
  ];
}

const RESULTS = [
  'Fake peer',
  ['completed', { response: 'Hello' }],
  ['input-required', 'Where to?'],
  ['completed', { response: 'Rome!' }],
  ['completed', { response: 'Rome!' }],
];

test.each(CLIENTS)(
  'JavaScript SDK $client, $version over $binding, gets the same results from a fake peer and from its replay',
  async ({ version, binding, connect }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tandem-recording-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'conversation.json');
    const peer = await fakePeer({ version, binding, script: SCRIPT });
    onTestFinished(() => peer.close());
    const recorder = await record(peer.url, file);
    onTestFinished(() => recorder.close());

    expect(await converse(await connect(recorder.url))).toEqual(RESULTS);
    await recorder.close();

    const replayed = await replay(file);
    onTestFinished(() => replayed.close());
    expect(await converse(await connect(replayed.url))).toEqual(RESULTS);
    expect([replayed.misses, replayed.unused]).toEqual([[], []]);
  },
);
