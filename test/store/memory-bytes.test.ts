/** The limit of bytes in the memory store, and how it makes room. */
import { describe, expect, test } from 'vitest';

import { memoryStore } from '../../src/store/memory/store.ts';
import {
  ALICE,
  end,
  entry,
  event,
  key,
  message,
  pushConfig,
  START,
  times,
} from '../../src/testing/store-contract/samples.ts';
import { Subject } from '../../src/testing/store-contract/subject.ts';

const KIBIBYTE = 2 ** 10;
const large = (id: string): ReturnType<typeof message> => message(id, 'x'.repeat(100 * KIBIBYTE));

/** Room for nine tasks with a large message, and not for ten. */
const MAX_BYTES = 1000 * KIBIBYTE;

function fullStore(): Subject {
  return new Subject(memoryStore({ maxBytes: MAX_BYTES }));
}

/** Tasks of three callers in turn, unless one is named, so that none of them reaches the share of one caller. */
async function createLarge(t: Subject, id: string, caller = `caller ${Number(id) % 3}`): Promise<void> {
  await t.create(id, { message: large(id), fairnessKey: caller });
}

test('the memory store removes the tasks that ended first when tasks take too many bytes', async () => {
  const t = fullStore();
  for (const i of times(9)) await createLarge(t, `${i}`);
  await t.append('4', end(START + 1));
  await t.append('2', end(START + 2));

  await createLarge(t, '9');
  expect((await t.listed()).ids).not.toContain('4');
  await createLarge(t, '10');

  expect((await t.listed()).ids).not.toContain('2');
  expect((await t.listed()).total).toBe(9);
});

describe('a memory store that is full of unfinished tasks', () => {
  async function filledStore(): Promise<Subject> {
    const t = fullStore();
    for (const i of times(9)) await createLarge(t, `${i}`);
    return t;
  }

  test('rejects new tasks and messages, with an error for the caller and a cause for the log', async () => {
    const t = await filledStore();
    const { store } = t;

    await expect(createLarge(t, '9')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'The agent has no room for new tasks and messages until some of its unfinished tasks end',
      retryAfterMs: 5000,
      cause: {
        message: expect.stringMatching(
          /^The memory store is full: 9 unfinished tasks take 9\d{5} bytes; the limits are /,
        ),
      },
    });
    const write = { taskId: '1', guard: {}, history: [large('m')], historyBytes: 100 * KIBIBYTE };
    await expect(store.append({ ...write, idempotency: key('k') })).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await t.append('0', end());
    expect((await store.append({ ...write, idempotency: key('k') })).kind).toBe('appended');
  });

  test('stores the outputs of runs', async () => {
    const t = await filledStore();
    const { store } = t;
    const { fence } = await t.lease('node', '1');
    const guard = { lease: { node: 'node', fence } };

    const body = JSON.stringify('x'.repeat(500 * KIBIBYTE));
    await t.append('1', { events: [{ kind: 'artifact', body }] }, guard);
    await t.append('1', end(), guard);

    expect((await store.read(ALICE, '1'))?.record.endedAt).toBe(START);
  });
});

test('the memory store accepts a task of any size if it is the only one', async () => {
  const t = new Subject(memoryStore({ maxBytes: 10 }));
  await createLarge(t, 'one', 'ann');
  await expect(createLarge(t, 'two', 'bob')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

describe('a caller whose unfinished tasks take half of the memory store', () => {
  async function halfFull(): Promise<Subject> {
    const t = fullStore();
    for (const i of times(4)) await createLarge(t, `${i}`, 'ann');
    return t;
  }

  test('gets no new task and adds no message until one of them ends, while other callers do', async () => {
    const t = await halfFull();
    const { store } = t;

    await expect(createLarge(t, '4', 'ann')).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message:
        "Your unfinished tasks take as much of the agent's memory as one caller may have. Nothing was stored. " +
        'Wait until some of them end, or cancel some, and send the message again.',
      retryAfterMs: 5000,
      cause: {
        message: expect.stringMatching(
          /^The unfinished tasks of one caller take 4\d{5} bytes of the memory store; the limit is 512000 \(half of maxBytes\)$/,
        ),
      },
    });
    const write = { taskId: '1', guard: {}, history: [large('m')], historyBytes: 100 * KIBIBYTE };
    await expect(store.append({ ...write, idempotency: key('k') })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const i of times(4)) await createLarge(t, `bob ${i}`, 'bob');

    await t.append('0', end());
    await createLarge(t, '4', 'ann');
    expect((await t.listed()).total).toBe(9);
  });

  test('does not reduce the room of other callers by the outputs of its runs', async () => {
    const t = await halfFull();
    const { fence } = await t.lease('node', '1');
    const body = JSON.stringify('x'.repeat(5 * MAX_BYTES));
    await t.append('1', { events: [{ kind: 'artifact', body }] }, { lease: { node: 'node', fence } });

    for (const i of times(4)) await createLarge(t, `bob ${i}`, 'bob');
    await expect(createLarge(t, '4', 'ann')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(createLarge(t, 'carol', 'carol')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await t.append('1', end());
    await createLarge(t, '4', 'ann');
    await createLarge(t, 'carol', 'carol');
  });

  test('is counted by owner if its tasks have no fairness key', async () => {
    const t = fullStore();
    for (const i of times(4)) await t.create(`${i}`, { message: large(`${i}`) });

    await expect(t.create('4', { message: large('4') })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await t.create('other', { message: large('other'), owner: 'bob' });
  });
});

test('the memory store does not count removed tasks, events, journals and push configurations', async () => {
  const t = fullStore();
  const { store } = t;
  for (const round of times(200)) {
    const id = `task-${round}`;
    await t.createProvisional(id, { node: 'node-a', message: large(id), pushConfig: pushConfig('a') });
    await t.append(id, {
      visible: true,
      events: [event('a'.repeat(5000), 'artifact')],
      journal: [{ ...entry('step'), body: 'x'.repeat(50_000) }],
      artifacts: JSON.stringify('x'.repeat(5000)),
      status: { state: 'TASK_STATE_WORKING', message: message('s', 'x'.repeat(5000)) },
    });
    await t.putPush(id, pushConfig('b'));
    await store.deletePushConfig(ALICE, id, 'a');
    if (round % 3 === 0) await t.append(id, { ...end(START + round), events: [event('end')] });
    else if (round % 3 === 1) {
      await t.append(id, { ...end(START + round), artifacts: '[]' });
      await store.prune({ endedBefore: 0, keepEnded: 1000, eventsEndedBefore: Infinity, limit: 1000 });
    } else {
      await t.append(id, end(START + round));
      await store.prune({ endedBefore: Infinity, keepEnded: 0, eventsEndedBefore: Infinity, limit: 1000 });
    }
  }
  await store.prune({ endedBefore: Infinity, keepEnded: 0, eventsEndedBefore: Infinity, limit: 1000 });
  expect((await t.listed()).total).toBe(0);

  // The same numbers as in an empty store, for one caller and for all.
  for (const i of times(4)) await createLarge(t, `${i}`, ALICE.owner);
  await expect(createLarge(t, '4', ALICE.owner)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (const i of times(5)) await createLarge(t, `${4 + i}`);
  await expect(createLarge(t, '10')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('replies that are stored for repeats take at most a quarter of the bytes, and the oldest are removed first', async () => {
  const t = fullStore();
  const { store } = t;
  for (const i of times(10)) {
    await t.createProvisional(`${i}`, { node: 'node-a', idempotency: key(`k-${i}`) });
    await store.dropForReply(`${i}`, { node: 'node-a', fence: 1 }, large(`reply ${i}`));
  }
  // Every new key removes replies over the limit.
  await t.create('last', { idempotency: key('k-last') });

  const known = await Promise.all(
    times(10).map(async (i) => {
      const again = await store.append({
        taskId: 'last',
        guard: { question: 'not asked' },
        idempotency: key(`k-${i}`),
      });
      return again.kind === 'repeated';
    }),
  );
  expect(known).toEqual([false, false, false, false, false, false, false, false, true, true]);
});
