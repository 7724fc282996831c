import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import type { Task } from '../../src/model/task.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  bodies,
  collect,
  harness,
  openStore,
  runnable,
  startHarness,
  type Variant,
  VARIANTS,
  withMethods,
} from './harness.ts';

type Program = readonly Output[] | ((ctx: TaskContext) => AsyncIterable<Output>);

interface Replayed {
  readonly done: Task;
  /** The events that the second attempt added. */
  readonly added: readonly StreamResponse[];
}

/** Runs one program up to a question, crashes, replays with another program in its place, and answers. */
async function replayed(variant: Variant, first: Program, second: Program): Promise<Replayed> {
  let attempt = 0;
  const node = await harness(
    async function* run(ctx) {
      const program = ++attempt === 1 ? first : second;
      yield* typeof program === 'function' ? program(ctx) : program;
      await ctx.ask('Go on?');
    },
    { variant },
  );
  const asked = await node.task('go');
  const { reply, engine, store } = await node.crash();
  const before = (await store.read(ANN, asked.id))?.record.lastEvent ?? 0;
  const done = await reply(asked, 'yes');
  const events = await collect(engine.subscribe(ANN, done.id, { after: before }));
  expect(attempt).toBe(2);
  const numbers = events.map((event) => ('number' in event ? event.number - before : 0));
  expect(numbers).toEqual(events.map((_, i) => i + 1));
  // The first event is for the answer, the last one for the end of the task.
  expect(bodies(events)[0]).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } });
  expect(bodies(events).at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  return { done, added: bodies(events).slice(1, -1) };
}

const chunk = (artifact: string, text: string, append = true): Output => ({ artifact, text, append });
const parts = (event: StreamResponse | undefined): unknown =>
  event !== undefined && 'artifactUpdate' in event ? event.artifactUpdate.artifact.parts : undefined;
const appends = (event: StreamResponse | undefined): unknown =>
  event !== undefined && 'artifactUpdate' in event ? event.artifactUpdate.append === true : undefined;

describe.each(VARIANTS)('$name', (variant) => {
  test('a replay with the same outputs publishes nothing', async () => {
    const program: Program = [
      { status: 'working', text: 'one' },
      'a',
      chunk('file', '1', false),
      { status: 'working' },
      chunk('file', '2'),
      { status: 'working', data: { n: 2 }, metadata: { m: 1 } },
      chunk('file', 'new', false),
      { artifact: 'file', bytes: new Uint8Array([1]), append: true, lastChunk: true },
    ];
    const { done, added } = await replayed(variant, program, program);
    expect(added).toEqual([]);
    expect(artifactText(done)).toBe('a');
    expect(done.artifacts?.[1]?.parts).toEqual([{ text: 'new' }, { raw: 'AQ==' }]);
    // go, one, the data, the question, yes
    expect(done.history).toHaveLength(5);
  });

  test('a replay with more outputs publishes only the new ones', async () => {
    const { done, added } = await replayed(variant, ['a', 'b'], ['a', 'b', 'c', 'd']);
    expect(artifactText(done)).toBe('abcd');
    expect(added.map(parts)).toEqual([[{ text: 'c' }], [{ text: 'd' }]]);
    expect(added.map(appends)).toEqual([true, true]);
  });

  test('a replay that differs replaces the artifact once, and appends from there', async () => {
    const { done, added } = await replayed(variant, ['a', 'b', 'c'], ['a', 'X', 'c', 'd']);
    expect(artifactText(done)).toBe('aXcd');
    expect(added.map(parts)).toEqual([[{ text: 'aX' }], [{ text: 'c' }], [{ text: 'd' }]]);
    expect(added.map(appends)).toEqual([false, true, true]);
  });

  test('a replay that differs in the last chunk keeps the lastChunk flag', async () => {
    const last = (text: string): Output => ({ artifact: 'f', text, append: true, lastChunk: true });
    const { done, added } = await replayed(variant, [chunk('f', 'a'), last('b')], [chunk('f', 'a'), last('c')]);
    expect(artifactText(done, 'f')).toBe('ac');
    expect(added).toMatchObject([{ artifactUpdate: { lastChunk: true } }]);
  });

  test('a replay with fewer outputs replaces the artifact at its end', async () => {
    const { done, added } = await replayed(variant, ['a', 'b', 'c'], ['a']);
    expect(artifactText(done)).toBe('a');
    expect(added.map(parts)).toEqual([[{ text: 'a' }]]);
    expect(added.map(appends)).toEqual([false]);
  });

  test('a replay compares each artifact by itself', async () => {
    const first = [chunk('x', '1'), chunk('y', '1'), chunk('x', '2'), chunk('y', '2'), chunk('z', '1')];
    const second = [chunk('y', '1'), chunk('x', '1'), chunk('y', 'other'), chunk('x', '2'), chunk('new', '1')];
    const { done, added } = await replayed(variant, first, second);
    const texts = ['x', 'y', 'z', 'new'].map((name) => artifactText(done, name));
    expect(texts).toEqual(['12', '1other', '1', '1']);
    expect(added.map(parts)).toEqual([[{ text: '1other' }], [{ text: '1' }]]);
  });

  test('a replay with different status messages publishes them from the first difference on', async () => {
    const words = (...texts: string[]): Program => texts.map((text) => ({ status: 'working', text }));
    const { done, added } = await replayed(variant, words('one', 'two', 'three'), words('one', 'other', 'three'));
    expect(added).toMatchObject([
      { statusUpdate: { status: { message: { parts: [{ text: 'other' }] } } } },
      { statusUpdate: { status: { message: { parts: [{ text: 'three' }] } } } },
    ]);
    const said = done.history?.map(({ parts: [part] }) => (part !== undefined && 'text' in part ? part.text : ''));
    expect(said).toEqual(['go', 'one', 'two', 'three', 'Go on?', 'yes', 'other', 'three']);
  });

  test('after several replays the artifact has the outputs of the last one', async () => {
    let attempt = 0;
    let node = await harness(
      async function* run({ ask }) {
        const own = String.fromCharCode(96 + ++attempt);
        for (const text of ['same ', own, own]) yield text;
        for (const question of ['One?', 'Two?', 'Three?']) await ask(question);
      },
      { variant },
    );
    let current = await node.task('go');
    for (const [i, own] of ['b', 'c', 'd'].entries()) {
      node = await node.crash();
      current = await node.reply(current, 'yes');
      expect(attempt).toBe(i + 2);
      expect(artifactText(current)).toBe(`same ${own}${own}`);
    }
    expect(current.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

test.each(['memory', 'sqlite'])(
  'an artifact of 20,000 chunks is written and replayed at a cost that is linear in its size (%s)',
  async (kind) => {
    const variant = VARIANTS.find(({ store, maxSuspended }) => store === kind && maxSuspended === 0) ?? VARIANTS[0];
    const clock = fakeClock();
    const store = openStore(variant, clock);
    let written = 0;
    const append: Store['append'] = (write) => {
      written += JSON.stringify(write).length;
      return store.append(write);
    };
    const counting = withMethods(store, { append });
    const agents = [
      runnable(async function* run({ ask }) {
        for (let i = 0; i < 20_000; i++) yield 'a chunk of some words; ';
        yield await ask('Go on?');
      }),
    ];
    const node = await startHarness({ ...variant, clock, store: counting, agents }, clock);
    const asked = await node.task('go');
    expect(artifactText(asked)).toBe('a chunk of some words; '.repeat(20_000));
    const { record } = (await store.read(ANN, asked.id)) ?? {};
    const events = await store.events(asked.id, 0, record?.lastEvent ?? 0);
    expect(events.filter(({ kind }) => kind === 'artifact')).toHaveLength(20_000);
    // Every event once, and snapshots of at most the same size together.
    expect(written).toBeLessThan(2 * JSON.stringify(events).length);
    written = 0;
    const done = await node.reply(asked, 'yes');
    expect(done.artifacts?.[0]?.parts).toEqual([{ text: `${'a chunk of some words; '.repeat(20_000)}yes` }]);
    // The end writes the artifact once more, whole; but none of its chunks.
    expect(written).toBeLessThan(2 * JSON.stringify(done.artifacts).length);
  },
);
