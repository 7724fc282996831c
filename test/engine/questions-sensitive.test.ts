import { describe, expect, test } from 'vitest';
import { QuestionExpiredError } from '../../src/engine/handler.ts';
import { SENSITIVE } from '../../src/model/question.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  collect,
  harness,
  openStore,
  runnable,
  startHarness,
  statusText,
  until,
  userMessage,
  VARIANTS,
  withMethods,
} from './harness.ts';

const SECRET = 'hunter2';

describe.each(VARIANTS)('$name', (variant) => {
  test('a sensitive answer is in no history, event or list, before and after the end', async () => {
    const { task, reply, engine } = await harness(
      async ({ ask }) => {
        const password = await ask('Password?', { sensitive: true });
        await ask('Sure?');
        return `${password.length} letters`;
      },
      { variant },
    );
    const sure = await reply(await task('go'), SECRET);
    expect(statusText(sure)).toBe('Sure?');
    const done = await reply(sure, 'yes');
    expect(artifactText(done)).toBe('7 letters');
    const listed = await engine.list(ANN, { limit: 10, artifacts: true });
    const events = await collect(engine.subscribe(ANN, done.id, { after: 0 }));
    for (const shown of [sure, done, listed, events]) expect(JSON.stringify(shown)).not.toContain(SECRET);
    expect(done.history?.map(({ parts }) => parts)).toEqual([
      [{ text: 'go' }],
      [{ text: 'Password?' }],
      [{ text: '[redacted]' }],
      [{ text: 'Sure?' }],
      [{ text: 'yes' }],
    ]);
  });

  test('a sensitive answer with metadata and files is redacted as a whole', async () => {
    const { task, store } = await harness(
      async ({ ask }) => {
        const { parts } = await ask('Key file?', { sensitive: true, as: 'message' });
        return `${parts.length} parts`;
      },
      { variant },
    );
    const asked = await task('go');
    const parts = [{ text: SECRET }, { raw: 'AQID', filename: SECRET }];
    const done = await task('', { message: userMessage('', { taskId: asked.id, parts, metadata: { SECRET } }) });
    expect(artifactText(done)).toBe('2 parts');
    expect(JSON.stringify(done)).not.toContain(SECRET);
    expect(JSON.stringify(await store.journal(done.id))).not.toContain(SECRET);
  });

  test('unknown members of a sensitive answer are stored nowhere', async () => {
    const { task, store } = await harness(
      async ({ ask }) => {
        const answer = await ask('Password?', { sensitive: true, as: 'message' });
        await ask('Sure?');
        return JSON.stringify(answer);
      },
      { variant },
    );
    const asked = await task('go');
    const unknownMembers = { version: '1.0', members: { note: SECRET } } as const;
    const parts = [{ text: 'x', unknownMembers }];
    const sure = await task('', { message: userMessage('', { taskId: asked.id, parts, unknownMembers }) });
    expect(statusText(sure)).toBe('Sure?');
    const stored = [sure, await store.journal(sure.id), await store.events(sure.id, 0, 100)];
    expect(JSON.stringify(stored)).not.toMatch(/hunter2|unknownMembers/);
  });

  test('the history shows no unknown members of a message with a sensitive part', async () => {
    const { task } = await harness(
      async ({ authorize, ask }) => {
        await authorize('Token?', { inBand: true });
        return ask('Sure?');
      },
      { variant },
    );
    const asked = await task('go');
    const unknownMembers = { version: '1.0', members: { note: SECRET } } as const;
    const parts = [{ text: 'x', metadata: { [SENSITIVE]: true } }];
    const sure = await task('', { message: userMessage('', { taskId: asked.id, parts, unknownMembers }) });
    expect(JSON.stringify(sure)).not.toContain(SECRET);
  });

  test('the second of two sensitive answers is kept out of the history too', async () => {
    const { task, reply } = await harness(
      async function* run({ ask, inbox, step }) {
        await ask('Password?', { sensitive: true });
        let more: readonly { readonly text: string }[] = [];
        while (more.length === 0) {
          more = await inbox.take();
          await step('look again', () => 0);
        }
        yield `${more[0]?.text.length} letters`;
      },
      { variant },
    );
    const asked = await task('go');
    const [done] = await Promise.all([reply(asked, SECRET), reply(asked, SECRET)]);
    expect(artifactText(done)).toBe('7 letters');
    expect(JSON.stringify(done)).not.toContain(SECRET);
  });

  test('the second of two sensitive answers does not answer the next question', async () => {
    const clock = fakeClock();
    const inner = openStore(variant, clock);
    const isHeld = deferred<void>();
    const isFree = deferred<void>();
    let isFirst = true;
    const append: Store['append'] = async (write) => {
      if (isFirst && write.journal?.[0]?.kind === 'answer') {
        isFirst = false;
        isHeld.resolve();
        await isFree.promise;
      }
      return inner.append(write);
    };
    const agent = runnable(async ({ ask }) => {
      await ask('Password?', { sensitive: true });
      return `Your colour is ${await ask('Colour?')}`;
    });
    const store = withMethods(inner, { append });
    const { task, reply, engine } = await startHarness(
      { store, agents: [agent], clock, maxSuspended: variant.maxSuspended },
      clock,
    );

    const asked = await task('go');
    const unknownMembers = { version: '1.0', members: { note: SECRET } } as const;
    const second = task('', { message: userMessage(SECRET, { taskId: asked.id, unknownMembers }) });
    await isHeld.promise;
    expect(statusText(await reply(asked, SECRET))).toBe('Colour?');
    isFree.resolve();
    expect(statusText(await second)).toBe('Colour?');
    expect(JSON.stringify(await store.journal(asked.id))).not.toContain('unknownMembers');
    const done = await reply(asked, 'blue');

    expect(artifactText(done)).toBe('Your colour is blue');
    expect(JSON.stringify(await engine.get(ANN, done.id))).not.toContain(SECRET);
    expect(done.history?.map(({ parts }) => parts[0])).toEqual([
      { text: 'go' },
      { text: 'Password?' },
      { text: '[redacted]' },
      { text: '[redacted]' },
      { text: 'Colour?' },
      { text: 'blue' },
    ]);
  });

  test('a question without an answer fails the task after its timeoutMs', async () => {
    const { task, engine, clock } = await harness(async ({ ask }) => ask('Who?', { timeoutMs: 60_000 }), { variant });
    const asked = await task('go');
    clock.advance(59_000);
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    await until(async () => {
      clock.advance(500);
      return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_FAILED';
    });
    expect(statusText(await engine.get(ANN, asked.id))).toBe('The question was not answered in time');
  });

  test('a handler that catches the expiry of a question continues, and a late answer does not answer it', async () => {
    const { task, reply, engine, clock } = await harness(
      async ({ ask, sleep }) => {
        const name = await ask('Who?', { timeoutMs: 60_000 }).catch((error: unknown) => {
          if (error instanceof QuestionExpiredError) return 'nobody';
          throw error;
        });
        await sleep(60_000);
        return name;
      },
      { variant },
    );
    const asked = await task('go');
    await until(async () => {
      clock.advance(1000);
      return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_WORKING';
    });
    const late = reply(asked, 'Ann');
    await until(async () => {
      clock.advance(1000);
      return (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED';
    });
    expect(artifactText(await late)).toBe('nobody');
  });

  test('a handler can ask another question after one has expired', async () => {
    const { task, reply, engine, clock } = await harness(
      async ({ ask }) => {
        const first = await ask('Who?', { timeoutMs: 60_000 }).catch(() => 'nobody');
        return `${first}, ${await ask('Really?')}`;
      },
      { variant },
    );
    const asked = await task('go');
    await until(async () => {
      clock.advance(1000);
      return statusText(await engine.get(ANN, asked.id)) === 'Really?';
    });
    expect(artifactText(await reply(asked, 'yes'))).toBe('nobody, yes');
  });
});
