import { describe, expect, test } from 'vitest';
import type { Output } from '../../src/engine/output/output.ts';
import { ANN, artifactText, bodies, collect, harness, statusText, until, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test.each<[string, Output, unknown]>([
    ['text', { text: 'hi', mediaType: 'text/markdown' }, { text: 'hi', mediaType: 'text/markdown' }],
    ['an empty text', { text: '' }, { text: '' }],
    ['data', { data: { a: [1, null] } }, { data: { a: [1, null] } }],
    ['data that is null', { data: null }, { data: null }],
    ['bytes', { bytes: new Uint8Array([1, 2, 255]), filename: 'x.bin' }, { raw: 'AQL/', filename: 'x.bin' }],
    ['base64', { bytes: 'AQL_' }, { raw: 'AQL/' }],
    ['an address', { url: 'https://a.example/b' }, { url: 'https://a.example/b' }],
    ['parts', { parts: [{ text: 'a', metadata: { b: 1 } }] }, { text: 'a', metadata: { b: 1 } }],
  ])('%s becomes one artifact, yielded or returned', async (_, output, part) => {
    const yielding = await harness(
      async function* run() {
        yield output;
      },
      { variant },
    );
    const returning = await harness(async () => output, { variant });
    for (const done of [await yielding.task('go'), await returning.task('go')]) {
      expect(done.status.state).toBe('TASK_STATE_COMPLETED');
      expect(done.artifacts).toEqual([{ artifactId: 'response', name: 'response', parts: [part] }]);
    }
  });

  test('the return value of a generator is appended to what it yields', async () => {
    const { task } = await harness(
      async function* run() {
        yield 'one ';
        return 'two';
      },
      { variant },
    );
    expect(artifactText(await task('go'))).toBe('one two');
  });

  test('a handler without output completes its task without an artifact', async () => {
    const { task, stream } = await harness(async () => {}, { variant });
    const done = await task('go');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(done).not.toHaveProperty('artifacts');
    expect(bodies(await stream('go'))).toMatchObject([
      { task: { status: { state: 'TASK_STATE_SUBMITTED' } } },
      { statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } },
    ]);
  });

  test('the first chunk of an artifact has no append flag, and later chunks have it', async () => {
    const { task, reply, engine } = await harness(
      async function* run({ artifact, text }) {
        await artifact('notes').append(text);
        await artifact('notes').append('!');
        yield text;
        yield { status: 'input-required', text: 'More?' };
      },
      { variant },
    );
    const asking = await task('one');
    await reply(asking, 'two');
    const { id } = asking;
    await engine.cancel(ANN, id);
    const events = await collect(engine.subscribe(ANN, id, { after: 0 }));
    const updates = bodies(events).flatMap((event) => ('artifactUpdate' in event ? event.artifactUpdate : []));
    const pieces = updates.map(({ artifact: { name, parts }, append }) => [name, parts[0], append]);
    expect(pieces).toEqual([
      ['notes', { text: 'one' }, undefined],
      ['notes', { text: '!' }, true],
      ['response', { text: 'one' }, undefined],
      ['notes', { text: 'two' }, true],
      ['notes', { text: '!' }, true],
      ['response', { text: 'two' }, true],
    ]);
  });

  test('a handler can create, extend, replace and close an artifact', async () => {
    const { stream, engine } = await harness(
      async function* run({ artifact }) {
        yield { artifact: 'a.txt', text: '1', description: 'A file' };
        yield { artifact: 'a.txt', text: '2', append: true, metadata: { n: 2 } };
        await artifact('a.txt').append('3');
        await artifact('a.txt').replace('new', { description: 'Another' });
        await artifact('a.txt').append({ data: 4 }, { lastChunk: true, metadata: { n: 4 } });
      },
      { variant },
    );
    const events = bodies(await stream('go'));
    const updates = events.flatMap((event) => ('artifactUpdate' in event ? event.artifactUpdate : []));
    expect(updates.map(({ append = false, lastChunk = false }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [false, false],
      [true, true],
    ]);
    const { tasks } = await engine.list(ANN, { limit: 1, artifacts: true });
    expect(tasks[0]?.artifacts).toEqual([
      {
        artifactId: 'a.txt',
        name: 'a.txt',
        description: 'Another',
        parts: [{ text: 'new' }, { data: 4 }],
        metadata: { n: 4 },
      },
    ]);
  });

  test('artifacts that are written concurrently each keep the order of their chunks', async () => {
    const { task } = await harness(
      async ({ artifact, step }) => {
        const write = async (name: string): Promise<void> => {
          for (let i = 0; i < 20; i++) {
            await artifact(name).append(`${i} `);
            if (i % 7 === 0) await step(`${name} ${i}`, () => i);
          }
        };
        await Promise.all(['a', 'b', 'c'].map(write));
      },
      { variant },
    );
    const done = await task('go');
    const expected = Array.from({ length: 20 }, (_, i) => `${i} `).join('');
    expect(done.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'b', 'c']) expect(artifactText(done, name)).toBe(expected);
  });

  test.each<[string, Output, string, string | undefined]>([
    ['completed', { status: 'completed', text: 'All done' }, 'TASK_STATE_COMPLETED', 'All done'],
    ['failed', { status: 'failed', text: 'No paper' }, 'TASK_STATE_FAILED', 'No paper'],
    ['rejected', { status: 'rejected' }, 'TASK_STATE_REJECTED', undefined],
  ])('a handler that yields the status %s ends its task', async (_, output, state, text) => {
    const { task } = await harness(
      async function* run() {
        yield 'before';
        yield output;
        yield 'after';
      },
      { variant },
    );
    const done = await task('go');
    expect(done.status.state).toBe(state);
    expect(statusText(done)).toBe(text);
    expect(artifactText(done)).toBe('before');
  });

  test.each([
    ['a reason', 'Not today', 'Not today'],
    ['no reason', undefined, undefined],
  ])('reject with %s ends the task as rejected', async (_, reason, text) => {
    const { task } = await harness(async ({ reject }) => reject(reason), { variant });
    const done = await task('go');
    expect(done.status.state).toBe('TASK_STATE_REJECTED');
    expect(statusText(done)).toBe(text);
  });

  test('each status message replaces the one before it, which enters the history once', async () => {
    const { task, engine } = await harness(
      async function* run({ status, step }) {
        yield { status: 'working', text: 'one' };
        yield { status: 'working' };
        await step('pause', () => 0);
        await status('two');
        await status({ status: 'working', data: { percent: 50 }, metadata: { n: 3 } });
        yield { status: 'completed', text: 'four' };
      },
      { variant },
    );
    const done = await task('go');
    const messages = done.history?.map(({ role, parts }) => [role, parts]);
    expect(messages).toEqual([
      ['ROLE_USER', [{ text: 'go' }]],
      ['ROLE_AGENT', [{ text: 'one' }]],
      ['ROLE_AGENT', [{ text: 'two' }]],
      ['ROLE_AGENT', [{ data: { percent: 50 } }]],
    ]);
    expect(statusText(done)).toBe('four');
    expect((await engine.get(ANN, done.id)).history).toEqual(done.history);
  });

  test('a working status without a message is published once', async () => {
    const { stream } = await harness(
      async function* run() {
        yield { status: 'working' };
        yield { status: 'working' };
        yield 'a';
      },
      { variant },
    );
    const events = bodies(await stream('go'));
    expect(events.map((event) => Object.keys(event)[0])).toEqual([
      'task',
      'statusUpdate',
      'artifactUpdate',
      'statusUpdate',
    ]);
    expect(events[1]).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_WORKING' } } });
  });

  test('ctx.task has the outputs that the handler has published so far', async () => {
    const seen: unknown[] = [];
    const { task } = await harness(
      async function* run(ctx) {
        seen.push(ctx.task);
        yield 'a';
        yield { status: 'working', text: 'busy' };
        seen.push(ctx.task);
      },
      { variant },
    );
    const { id, contextId } = await task('go');
    expect(seen).toMatchObject([
      { id, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, history: [{ parts: [{ text: 'go' }] }] },
      {
        status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'busy' }] } },
        artifacts: [{ artifactId: 'response', parts: [{ text: 'a' }] }],
      },
    ]);
  });

  test('get shows an output while the handler still runs', async () => {
    const { engine, task } = await harness(
      async function* run({ signal }) {
        yield 'so far';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
      { variant },
    );
    const { id } = await task('go', { returnImmediately: true });
    await until(async () => artifactText(await engine.get(ANN, id)) === 'so far');
    const { status } = await engine.get(ANN, id);
    expect(status.state).toBe('TASK_STATE_WORKING');
  });
});
