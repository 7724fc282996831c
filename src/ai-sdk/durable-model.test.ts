import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import type { Step } from '../server/index.ts';
import { deferred } from '../support/deferred.ts';
import { durable } from './index.ts';

type Chunk = Readonly<Record<string, unknown>> & { readonly type: string };

interface Opened {
  readonly stream: ReadableStream<Chunk>;
}

const CHUNKS: readonly Chunk[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'r', timestamp: new Date(1000) },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Let ' },
  { type: 'text-delta', id: '1', delta: 'me ' },
  { type: 'text-end', id: '1' },
  { type: 'file', mediaType: 'image/png', data: new Uint8Array([1, 2, 3]) },
  { type: 'raw', rawValue: 'left out' },
  { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}' },
  { type: 'finish', finishReason: { unified: 'tool-calls' }, usage: { total: 5 } },
];

function modelOf(chunks: readonly Chunk[] = CHUNKS): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({ chunks: [...chunks], initialDelayInMs: null, chunkDelayInMs: null }) as never,
    }),
  });
}

/** Steps that record as the engine does, in JSON, and that can hold a record back. */
function journal(stored: Promise<void> = Promise.resolve()): {
  readonly records: Map<string, string>;
  readonly step: Step;
} {
  const records = new Map<string, string>();
  const step = async (name: string, run: (context: never) => unknown): Promise<unknown> => {
    const known = records.get(name);
    if (known !== undefined) return JSON.parse(known) as unknown;
    const result = await run({ signal: new AbortController().signal } as never);
    await stored;
    records.set(name, JSON.stringify(result));
    return JSON.parse(JSON.stringify(result)) as unknown;
  };
  return { records, step };
}

async function open(model: MockLanguageModelV3, step: Step): Promise<ReadableStreamDefaultReader<Chunk>> {
  const wrapped = durable(model, { step }) as unknown as { doStream(options: object): Promise<Opened> };
  return (await wrapped.doStream({ prompt: [] })).stream.getReader();
}

async function all(reader: ReadableStreamDefaultReader<Chunk>): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks;
    chunks.push(value);
  }
}

test('a recorded stream has the same parts as the first one, without raw parts', async () => {
  const model = modelOf();
  const { step } = journal();
  const live = await all(await open(model, step));
  const again = await all(await open(model, step));
  expect(live).toEqual(CHUNKS);
  expect(again).toEqual(CHUNKS.filter(({ type }) => type !== 'raw'));
  expect(model.doStreamCalls).toHaveLength(1);
});

test('text is passed on at once, and a tool call once the model call is recorded', async () => {
  const stored = deferred<void>();
  const reader = await open(modelOf(), journal(stored.promise).step);
  const before: string[] = [];
  for (let i = 0; i < 8; i++) before.push((await reader.read()).value?.type ?? '');
  expect(before.at(-1)).toBe('raw');
  let isPassedOn = false;
  const next = reader.read().then((one) => {
    isPassedOn = true;
    return one;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isPassedOn).toBe(false);
  stored.resolve();
  expect((await next).value?.type).toBe('tool-call');
});

test('deltas of one block are recorded together', async () => {
  const { records, step } = journal();
  await all(await open(modelOf(), step));
  expect(records.get('model')).toContain('"deltas":["Let ","me "]');
});

test('an error of a stopped run is not recorded', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'));
  const model = new MockLanguageModelV3({
    doStream: async ({ abortSignal }) => {
      abortSignal?.throwIfAborted();
      throw new Error('not reached');
    },
  });
  const outcomes: unknown[] = [];
  const step = (async (_name: string, run: (context: never) => Promise<unknown>) => {
    const recorded = run({ signal: stopped } as never);
    outcomes.push(...(await Promise.allSettled([recorded])).map(({ status }) => status));
    return recorded;
  }) as Step;
  await expect(open(model, step)).rejects.toThrow('stopped');
  // A value of the step would be recorded as the outcome of the call.
  expect(outcomes).toEqual(['rejected']);
});
