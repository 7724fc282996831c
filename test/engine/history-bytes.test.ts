import { describe, expect, test, vi } from 'vitest';
import { currentTask } from '../../src/engine/outbox/delivery.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { Task } from '../../src/model/task.ts';
import { ANN, harness, STORES, userMessage } from './harness.ts';

const MEBIBYTE = 2 ** 20;
const LARGE = 'x'.repeat(3 * MEBIBYTE);
const OMITTED = { 'urn:tandem-a2a:history': { omitted: 3 } };

function idsOf(task: Task | undefined): readonly string[] {
  return (task?.history ?? []).map(({ messageId }) => messageId);
}

/** The task that a subscription begins with. */
async function firstTask(items: AsyncIterable<readonly StreamItem[]>): Promise<Task | undefined> {
  for await (const [first] of items) return first?.kind === 'snapshot' ? first.task : undefined;
  return undefined;
}

describe.each(STORES)('$name', (variant) => {
  test('messages that come at once do not exceed historyBytesPerTask', async () => {
    const { store, task, send } = await harness(async ({ authorize }) => void (await authorize('Log in')), {
      variant,
      maxHistoryBytes: 50_000,
    });
    const { id } = await task('begin');
    const message = (): Parameters<typeof send>[1] => ({
      message: userMessage('x'.repeat(10_000), { taskId: id }),
      returnImmediately: true,
    });

    const sent = await Promise.allSettled(Array.from({ length: 12 }, () => send('', message())));

    const refused = sent.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(8);
    expect(refused[0]).toMatchObject({
      reason: { code: 'UNSUPPORTED_OPERATION', details: { limit: 'historyBytesPerTask' } },
    });
    expect((await store.read(ANN, id))?.record.historyBytes).toBeLessThanOrEqual(50_000);
  });

  test('sensitive parts count towards historyBytesPerTask although the history has them redacted', async () => {
    const { task, send } = await harness(async ({ authorize }) => void (await authorize('Log in')), {
      variant,
      maxHistoryBytes: 50_000,
    });
    const { id } = await task('begin');
    const parts = [{ text: 'hello' }, { raw: 'A'.repeat(20_000), metadata: { 'urn:tandem-a2a:sensitive:1': true } }];
    const more = (): Promise<unknown> =>
      send('', { message: { ...userMessage('', { taskId: id }), parts }, returnImmediately: true });

    await more();
    await more();

    await expect(more()).rejects.toMatchObject({ details: { limit: 'historyBytesPerTask' } });
  });

  test('get, list, subscribe, cancel and push leave out the messages that do not fit into a response', async () => {
    const { engine, store, task, send } = await harness(async ({ authorize }) => void (await authorize('Log in')), {
      variant,
    });
    const { id } = await task('begin');
    const messages = Array.from({ length: 4 }, () => userMessage(LARGE, { taskId: id }));
    for (const message of messages) await send('', { message, returnImmediately: true });
    const last = messages.slice(-2).map(({ messageId }) => messageId);

    const shown = await engine.get(ANN, id);
    const pushed = await currentTask(store, ANN, id);
    const { tasks } = await engine.list(ANN, { limit: 10, historyBytes: 8 * MEBIBYTE });
    const streamed = await firstTask(engine.subscribe(ANN, id));
    const canceled = await engine.cancel(ANN, id);

    for (const task of [shown, pushed, tasks[0], streamed, canceled]) {
      expect([idsOf(task).slice(0, 2), task?.metadata]).toEqual([last, OMITTED]);
    }
  });

  test('artifacts are never left out of a response, and reduce the room for its history', async () => {
    const { engine, task, send } = await harness(
      async function* run({ authorize }) {
        yield 'x'.repeat(6 * MEBIBYTE);
        await authorize('Log in');
      },
      { variant },
    );
    const { id } = await task('begin');
    for (let i = 0; i < 2; i++) {
      const message = userMessage('x'.repeat(1.5 * MEBIBYTE), { taskId: id });
      await send('', { message, returnImmediately: true });
    }

    const shown = await engine.get(ANN, id);

    expect(shown.artifacts?.[0]?.parts[0]).toEqual({ text: 'x'.repeat(6 * MEBIBYTE) });
    expect([shown.history?.length, shown.metadata]).toEqual([1, { 'urn:tandem-a2a:history': { omitted: 2 } }]);
  });
});

test('senders that wait for the same task share one read of its artifacts', async () => {
  const { store, task, send } = await harness(async function* run({ inbox }) {
    yield { status: 'working', text: 'Listening' };
    for await (const { text } of inbox) if (text === 'end') return;
  });
  const read = vi.spyOn(store, 'read');
  const { id } = await task('begin', { returnImmediately: true });

  const sent = ['one', 'two', 'three', 'end'].map((text) => send(text, { message: userMessage(text, { taskId: id }) }));
  const results = await Promise.all(sent);

  expect(results.map((result) => 'task' in result && result.task.status.state)).toEqual(
    sent.map(() => 'TASK_STATE_COMPLETED'),
  );
  expect(read.mock.calls.filter(([, , parts]) => parts?.artifacts === true)).toHaveLength(1);
});

test('the limit of messages per task is checked without loading the messages', async () => {
  const { store, task, send } = await harness(async ({ authorize }) => void (await authorize('Log in')), {
    maxMessages: 5,
  });
  const read = vi.spyOn(store, 'read');
  const { id } = await task('begin');
  const more = (): Promise<unknown> =>
    send('', { message: userMessage('more', { taskId: id }), returnImmediately: true });
  for (let i = 0; i < 4; i++) await more();

  await expect(more()).rejects.toMatchObject({ details: { limit: 'messagesPerTask' } });
  expect(read.mock.calls.map(([, , parts]) => parts)).toContainEqual({ history: 5, historyBytes: 0 });
});
