import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import { ANN, artifactText, BOB, harness, userMessage, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('$name', (variant) => {
  test('the context has the message, caller, tenant, metadata, extensions and output modes of the request', async () => {
    const seen: Partial<TaskContext>[] = [];
    const { task } = await harness(async (ctx) => void seen.push({ ...ctx }), { variant });
    const parts = [{ text: 'one' }, { data: { two: 2 } }, { raw: 'AQID', filename: 'a.bin' }, { text: 'three' }];
    const caller = { id: 'ann', isVerified: true, scopes: ['read'], claims: { sub: 'a' } };
    const message = userMessage('', { parts, contextId: 'c1', metadata: { m: 1 } });
    const done = await task('', {
      message,
      caller,
      tenant: 't',
      metadata: { r: 1 },
      extensions: ['x:y'],
      acceptedOutputModes: ['text/plain'],
    });
    expect(seen).toMatchObject([
      {
        message: { ...message, taskId: done.id, text: 'one\n{"two":2}\nthree' },
        text: 'one\n{"two":2}\nthree',
        parts,
        taskId: done.id,
        contextId: 'c1',
        caller,
        tenant: 't',
        metadata: { r: 1 },
        extensions: ['x:y'],
        acceptedOutputModes: ['text/plain'],
      },
    ]);
  });

  test.each([
    ['no parts', [], ''],
    ['a blank text', [{ text: '  ' }], '  '],
    ['a file only', [{ url: 'https://a.example' }], ''],
    ['data only', [{ data: null }], 'null'],
  ])('a message with %s reaches the handler', async (_, parts, text) => {
    const { task } = await harness(async (ctx) => `[${ctx.text}]`, { variant });
    expect(artifactText(await task('', { message: userMessage('', { parts }) }))).toBe(`[${text}]`);
  });

  test('the bytes of a file come from the message, or from fetchFile for a file with a URL', async () => {
    const fetched: unknown[] = [];
    const { task } = await harness(
      async ({ files }) => {
        const all = await Promise.all(files.map(async (file) => [file.filename, ...(await file.bytes())].join()));
        return all.join(' ');
      },
      {
        variant,
        fetchFile: async (url, { maxBytes, signal }) => {
          fetched.push([url, maxBytes > 0, signal.aborted]);
          return new Uint8Array([9]);
        },
      },
    );
    const parts = [
      { text: 'x' },
      { raw: 'AQID', filename: 'a' },
      { url: 'https://a.example/b', filename: 'b', mediaType: 'image/png' },
    ];
    const done = await task('', { message: userMessage('', { parts }) });
    expect(artifactText(done)).toBe('a,1,2,3 b,9');
    expect(fetched).toEqual([['https://a.example/b', true, false]]);
  });

  test('without fetchFile a handler gets the URL of a file and an error for its bytes', async () => {
    const { task } = await harness(
      async ({ files: [file] }) => {
        const failure = await file?.bytes().then(String, (error: Error) => error.message);
        return `${file?.url} ${failure}`;
      },
      { variant },
    );
    const done = await task('', { message: userMessage('', { parts: [{ url: 'https://a.example/b' }] }) });
    expect(artifactText(done)).toMatch(/^https:\/\/a\.example\/b .*fetchFile/);
  });

  test('history returns the earlier tasks of the context, the latest first, and none of other callers or contexts', async () => {
    const { task, clock } = await harness(
      async ({ history, text }) => {
        const all = await history();
        const some = await history({ limit: 1 });
        return `${text}: ${all.map((other) => artifactText(other)).join('|')} (${some.length})`;
      },
      { variant },
    );
    const inContext = async (text: string, more = {}): Promise<string | undefined> => {
      clock.advance(1000);
      return artifactText(await task('', { message: userMessage(text, { contextId: 'c' }), ...more }));
    };
    expect(await inContext('a')).toBe('a:  (0)');
    expect(await inContext('b')).toBe('b: a:  (0) (1)');
    expect(await inContext('c')).toBe('c: b: a:  (0) (1)|a:  (0) (1)');
    expect(await inContext('d', { ...BOB, caller: { id: 'bob', isVerified: true } })).toBe('d:  (0)');
    expect(artifactText(await task('e'))).toBe('e:  (0)');
  });

  test('ctx.task has statuses, questions and answers in the order in which they happened', async () => {
    const seen: (string[] | undefined)[] = [];
    const { task, reply } = await harness(
      async (ctx) => {
        const look = (): void => {
          const texts = ctx.task.history?.map(({ parts: [part] }) => (part && 'text' in part ? part.text : ''));
          seen.push(texts);
        };
        await ctx.status('one');
        await ctx.ask('Who?');
        look();
        await ctx.status('two');
        await ctx.step('s', () => 1);
        await ctx.status('three');
        look();
      },
      { variant },
    );
    const done = await reply(await task('go'), 'Ann');
    const last = ['go', 'one', 'Who?', 'Ann', 'two'];
    expect(seen).toEqual([['go', 'one', 'Who?', 'Ann'], last]);
    expect(done.history).toHaveLength(last.length + 1);
  });

  test('every function of the context works when it is destructured', async () => {
    const { task, reply } = await harness(
      async ({ step, ask, status, artifact, history, inbox, sleep, task: { id } }) => {
        await status('busy');
        await artifact('a').append(`${await step('s', () => 1)}`);
        await sleep(0);
        const { length } = await history();
        const unread = await inbox.take();
        return `${id.length > 0} ${length} ${unread.length} ${await ask('Who?')}`;
      },
      { variant },
    );
    const asked = await task('go', { maxWaitMs: 60_000 });
    expect(artifactText(await reply(asked, 'Ann'))).toBe('true 0 0 Ann');
  });

  test('the signal is not aborted while the task runs and pauses', async () => {
    const aborted: boolean[] = [];
    const { task, reply, engine } = await harness(
      async (ctx) => {
        aborted.push(ctx.signal.aborted);
        await ctx.ask('Who?');
        aborted.push(ctx.signal.aborted);
      },
      { variant },
    );
    const done = await reply(await task('go'), 'Ann');
    expect((await engine.get(ANN, done.id)).status.state).toBe('TASK_STATE_COMPLETED');
    expect(new Set(aborted)).toEqual(new Set([false]));
  });
});
