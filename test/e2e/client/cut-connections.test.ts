/** Connections that break after any number of bytes: the client gets the same text, and the agent runs once. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { textOfChunks } from '../../../src/model/task-text.ts';
import type { BindingName } from '../../../src/client/options.ts';
import type { TaskStream } from '../../../src/client/task-stream.ts';
import { sqlite } from '../../../src/store/sqlite/store.ts';
import type { ProtocolVersion } from '../../../src/wire/version.ts';
import { startServer } from '../kit/server.ts';
import { connected, skippingClock, TRANSPORTS } from './kit.ts';

const WAYS: readonly (readonly [ProtocolVersion, BindingName])[] = [
  ['1.0', 'JSONRPC'],
  ['1.0', 'HTTP+JSON'],
  ['0.3', 'JSONRPC'],
  ['0.3', 'HTTP+JSON'],
  ['0.2', 'JSONRPC'],
  ['0.1', 'JSONRPC'],
];

interface CuttingProxy {
  readonly url: string;
  /** Cuts the next streams, each after the given number of bytes. */
  cut(after: readonly number[]): void;
}

/** A proxy in front of a server that cuts streams. */
async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  let cuts: number[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    const outgoing = dial(Number(new URL(target).port), '127.0.0.1');
    let left = Number.POSITIVE_INFINITY;
    for (const socket of [incoming, outgoing]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => [incoming, outgoing].forEach((each) => each.destroy()));
    }
    incoming.pipe(outgoing);
    outgoing.on('data', (chunk: Buffer) => {
      if (chunk.includes('text/event-stream')) left = cuts.shift() ?? left;
      incoming.write(chunk.subarray(0, Math.min(left, chunk.length)));
      left -= chunk.length;
      if (left <= 0) incoming.end(() => incoming.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, cut: (after) => void (cuts = [...after]) };
}

/** The texts of the artifacts that a client has assembled at the end of a stream. */
async function read(stream: TaskStream): Promise<readonly string[]> {
  const texts = new Map<string, string>();
  for await (const event of stream) {
    if (event.type === 'task') {
      for (const { artifactId, parts } of event.task.artifacts ?? []) texts.set(artifactId, textOfChunks(parts));
    } else if (event.type === 'artifact') {
      const { artifactId } = event.artifact;
      texts.set(artifactId, (event.append ? (texts.get(artifactId) ?? '') : '') + event.text);
    }
  }
  return [...texts.values()];
}

describe.each(TRANSPORTS)('over %s', (_name, options) => {
  test.each(WAYS)(
    'a stream of A2A %s over %s that is cut anywhere yields the whole text, and the agent runs once',
    async (version, binding) => {
      const server = await startServer();
      const proxy = await startCuttingProxy(server.url);
      const agent = await connected(proxy.url, {
        ...options,
        version,
        binding,
        recognisesRepeats: true,
        clock: skippingClock,
      });
      let calls = 0;
      for (let bytes = 150; bytes < 2300; bytes += 131) {
        proxy.cut([bytes, bytes % 700]);
        const stream = agent.stream('story');
        expect(await read(stream), `cut after ${bytes} bytes`).toEqual(['Roses are red', 'Mind the thorns']);
        expect(stream.task?.status.state).toBe('TASK_STATE_COMPLETED');
        expect(server.runs()).toBe(++calls);
      }
    },
  );

  test.each([
    ['sends it again', {}, ['completed']],
    [
      'does not send it again with recognisesRepeats: false',
      { recognisesRepeats: false },
      ['TRANSPORT_FAILED', 'completed'],
    ],
  ])(
    'after a cut in a message to an agent whose card declares that it recognises repeats the client %s',
    async (_what, more, expected) => {
      const folder = mkdtempSync(join(tmpdir(), 'tandem-'));
      const store = sqlite(join(folder, 'tasks.db'));
      onTestFinished(async () => {
        await store.close();
        rmSync(folder, { recursive: true });
      });
      const server = await startServer({ store });
      const proxy = await startCuttingProxy(server.url);
      const agent = await connected(proxy.url, { ...options, ...more, clock: skippingClock });
      const states: unknown[] = [];
      for (let bytes = 0; bytes < 900; bytes += 97) {
        proxy.cut([bytes]);
        const before = server.runs();
        const sent = agent.send('story');
        states.push(await sent.then(({ state }) => state).catch((error: { readonly code: string }) => error.code));
        expect(server.runs()).toBe(before + 1);
      }
      expect(new Set(states)).toEqual(new Set(expected));
      // An id that does not fit into a header is not sent as a key, so the agent could not recognise the repeat.
      proxy.cut([0]);
      await expect(agent.send({ text: 'story', messageId: 'ü' })).rejects.toMatchObject({ details: { sent: 'maybe' } });
    },
  );

  test('a message to an agent that does not declare that it recognises repeats is sent once, wherever it is cut', async () => {
    const server = await startServer();
    const proxy = await startCuttingProxy(server.url);
    const agent = await connected(proxy.url, { ...options, clock: skippingClock });
    const states: unknown[] = [];
    for (let bytes = 0; bytes < 900; bytes += 61) {
      proxy.cut([bytes]);
      const before = server.runs();
      states.push(
        await agent.send('story').then(
          ({ state }) => state,
          (error: { code: string }) => error.code,
        ),
      );
      expect(server.runs()).toBe(before + 1);
    }
    expect(new Set(states)).toEqual(new Set(['TRANSPORT_FAILED', 'completed']));
  });
});
