/** Credentials: the handler of a task reads them, and nobody else sees them. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { Message } from '../../src/model/message.ts';
import type { Task } from '../../src/model/task.ts';
import { ANN, artifactText, BOB, collect, harness, statusText, until, userMessage, VARIANTS } from './harness.ts';

const SECRET = 'hunter2';
const MARK = { 'urn:tandem-a2a:sensitive:1': true };

/** Returns how long the credential is, and how many messages arrived meanwhile. */
const LOGIN: Handler = async function* login({ authorize, inbox }) {
  const request = { text: 'Please sign in', url: 'https://a.example/login', scopes: ['read', 'write'] };
  const credential = await authorize(request);
  const said = (await inbox.take()).map(({ text }) => text);
  yield `${credential.length} letters, ${said.length} messages`;
};

function marked(task: Task, more: Partial<Message> = {}): Message {
  const parts = [{ text: 'here it is' }, { text: SECRET, metadata: MARK }];
  return userMessage('', { taskId: task.id, parts, ...more });
}

describe.each(VARIANTS)('$name', (variant) => {
  test('authorize pauses the task as auth-required and resumes it when the credential arrives', async () => {
    const { task, engine, store } = await harness(LOGIN, { variant });
    const asked = await task('go');
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    expect(statusText(asked)).toBe('Please sign in\nhttps://a.example/login\nScopes: read, write');
    const heard = collect(engine.subscribe(ANN, asked.id));

    await engine.authorize(ANN, asked.id, SECRET);

    const events = await heard;
    const done = await engine.get(ANN, asked.id);
    expect(artifactText(done)).toBe('7 letters, 0 messages');
    for (const seen of [events, done, await store.events(asked.id, 0, 100)])
      expect(JSON.stringify(seen)).not.toContain(SECRET);
    expect((await store.journal(asked.id)).map(({ kind, body }) => [kind, body])).toContainEqual(['answer', null]);
    expect(done.history?.map(({ parts }) => parts[0])).toEqual([{ text: 'go' }, { text: statusText(asked) }]);
  });

  test('a message with a sensitive part delivers the credential', async () => {
    const { task, engine, log } = await harness(LOGIN, { variant });
    const asked = await task('go');
    const done = await task('', { message: marked(asked) });
    expect(artifactText(done)).toBe('7 letters, 0 messages');
    const listed = await engine.list(ANN, { limit: 10, artifacts: true });
    const events = await collect(engine.subscribe(ANN, done.id, { after: 0 }));
    expect(JSON.stringify([done, listed, events, log])).not.toContain(SECRET);
  });

  test('a message without a sensitive part goes to the inbox and does not authorize the task', async () => {
    const { task, reply, engine } = await harness(LOGIN, { variant });
    const asked = await task('go');
    for (const text of ['', 'I am Ann', 'yes, go on']) {
      const after = await reply(asked, text);
      expect(after.status).toEqual(asked.status);
    }
    const silent = userMessage('', { taskId: asked.id, parts: [{ text: '', metadata: MARK }] });
    expect((await task('', { message: silent })).status).toEqual(asked.status);
    await engine.authorize(ANN, asked.id, SECRET);
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED');
    const done = await engine.get(ANN, asked.id);
    expect(artifactText(done)).toBe('7 letters, 4 messages');
    expect(done.history?.map(({ parts }) => parts[0])).toContainEqual({ text: 'I am Ann' });
  });

  test('a handler can read its inbox and reject the task while it waits for a credential', async () => {
    const { task, reply, engine } = await harness(
      async function* run({ authorize, inbox, reject }) {
        const refused = (async () => {
          for await (const { text } of inbox) if (text === 'never') return true;
          return false;
        })();
        const isRefused = await Promise.race([authorize('Sign in').then(() => false), refused]);
        if (isRefused) reject('Then not');
        else yield 'signed in';
      },
      { variant },
    );
    const asked = await task('go');
    await reply(asked, 'why?');
    await reply(asked, 'never');
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_REJECTED');
    expect(statusText(await engine.get(ANN, asked.id))).toBe('Then not');
  });

  test('with inBand a plain text message delivers the credential', async () => {
    const { task, reply } = await harness(
      async ({ authorize }) => `${(await authorize('Your PIN?', { inBand: true })).length} letters`,
      { variant },
    );
    const done = await reply(await task('go'), SECRET);
    expect(artifactText(done)).toBe('7 letters');
    expect(JSON.stringify(done)).not.toContain(SECRET);
  });

  test('a sensitive part of an answer or of the next turn is read by the handler and redacted in the history', async () => {
    const { task, store } = await harness(
      async function* run({ ask, text }) {
        if (text === 'turn') return yield { status: 'input-required', text: 'And?' };
        const message = await ask('Anything else?', { as: 'message' });
        yield `${message.text.length} letters`;
      },
      { variant },
    );
    const asked = await task('go');
    const done = await task('', { message: marked(asked) });
    expect(artifactText(done)).toBe('18 letters');
    expect(done.history?.at(-1)?.parts).toEqual([{ text: 'here it is' }, { text: '[redacted]' }]);
    const turn = await task('turn');
    const next = await task('', { message: marked(turn) });
    expect(next.history?.at(-1)?.parts).toEqual([{ text: 'here it is' }, { text: '[redacted]' }]);
    expect(JSON.stringify([done, next, await store.journal(done.id)])).not.toContain(SECRET);
  });

  test('only the owner can authorize a task, and only while it waits for a credential', async () => {
    const { task, engine, reply } = await harness(
      async ({ text, ask, authorize }) => (text === 'ask' ? ask('Who?') : authorize('Sign in')),
      { variant },
    );
    const asked = await task('go');
    await expect(engine.authorize(BOB, asked.id, SECRET)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    await expect(engine.authorize({ ...ANN, tenant: 'x' }, asked.id, SECRET)).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    expect(await engine.get(ANN, asked.id)).toEqual(asked);
    const other = await task('ask');
    const refusal = { code: 'UNSUPPORTED_OPERATION', details: { state: 'TASK_STATE_INPUT_REQUIRED' } };
    await expect(engine.authorize(ANN, other.id, SECRET)).rejects.toMatchObject(refusal);
    const done = await reply(other, 'Ann');
    await expect(engine.authorize(ANN, done.id, SECRET)).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
    expect(JSON.stringify(await engine.get(ANN, done.id))).not.toContain(SECRET);
  });

  test('of two credentials at once the first is taken and the second is rejected', async () => {
    const { task, engine } = await harness(LOGIN, { variant });
    const asked = await task('go');
    const outcomes = await Promise.allSettled([
      engine.authorize(ANN, asked.id, SECRET),
      engine.authorize(ANN, asked.id, 'another one'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    await until(async () => (await engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, asked.id))).toBe('7 letters, 0 messages');
  });

  test('a task that waits for a credential before a restart takes one after it', async () => {
    const first = await harness(LOGIN, { variant });
    const asked = await first.task('go');
    await first.reply(asked, 'a moment, please');
    const second = await first.restart();
    await second.engine.authorize(ANN, asked.id, SECRET);
    await until(async () => (await second.engine.get(ANN, asked.id)).status.state === 'TASK_STATE_COMPLETED');
    expect(artifactText(await second.engine.get(ANN, asked.id))).toBe('7 letters, 1 messages');
  });
});

test('a sensitive part in the first message of a task is rejected', async () => {
  const { task, engine } = await harness(LOGIN);
  const message = userMessage('', { parts: [{ text: 'go' }, { text: SECRET, metadata: MARK }] });
  await expect(task('', { message })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    violations: [{ field: 'message.parts[1]' }],
  });
  expect(await engine.list(ANN, { limit: 10 })).toMatchObject({ total: 0 });
});
