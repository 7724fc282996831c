/** The limit of bytes in the memory store, and how it makes room. */
import { describe, expect, test } from 'vitest';

import { memoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/store.ts';
import {
  ALICE,
  append,
  create,
  end,
  entry,
  event,
  key,
  lease,
  listed,
  message,
  newTask,
  provisionalTask,
  pushConfig,
  putPush,
  START,
  times,
} from '../../src/testing/store-contract/samples.ts';

const KIBIBYTE = 2 ** 10;
const large = (id: string): ReturnType<typeof message> => message(id, 'x'.repeat(100 * KIBIBYTE));

/** Room for nine tasks with a large message, and not for ten. */
const MAX_BYTES = 1000 * KIBIBYTE;

function fullStore(): Store {
  return memoryStore({ maxBytes: MAX_BYTES });
}

/** Tasks of three callers in turn, unless one is named, so that none of them reaches the share of one caller. */
async function createLarge(store: Store, id: string, caller = `caller ${Number(id) % 3}`): Promise<void> {
  await create(store, newTask(id, { message: large(id), fairnessKey: caller }));
}

test('the memory store removes the tasks that ended first when tasks take too many bytes', async () => {
  const store = fullStore();
  for (const i of times(9)) await createLarge(store, `${i}`);
  await append(store, '4', end(START + 1));
  await append(store, '2', end(START + 2));

  await createLarge(store, '9');
  expect((await listed(store)).ids).not.toContain('4');
  await createLarge(store, '10');

  expect((await listed(store)).ids).not.toContain('2');
  expect((await listed(store)).total).toBe(9);
});

describe('a memory store that is full of unfinished tasks', () => {
  async function filledStore(): Promise<Store> {
    const store = fullStore();
    for (const i of times(9)) await createLarge(store, `${i}`);
    return store;
  }

  test('rejects new tasks and messages, with an error for the caller and a cause for the log', async () => {
    const store = await filledStore();

    await expect(createLarge(store, '9')).rejects.toMatchObject({
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

    await append(store, '0', end());
    expect((await store.append({ ...write, idempotency: key('k') })).kind).toBe('appended');
  });

  test('stores the outputs of runs', async () => {
    const store = await filledStore();
    const { fence } = await lease(store, 'node', '1');
    const guard = { lease: { node: 'node', fence } };

    const body = JSON.stringify('x'.repeat(500 * KIBIBYTE));
    await append(store, '1', { events: [{ kind: 'artifact', body }] }, guard);
    await append(store, '1', end(), guard);

    expect((await store.read(ALICE, '1'))?.record.endedAt).toBe(START);
  });
});

test('the memory store accepts a task of any size if it is the only one', async () => {
  const store = memoryStore({ maxBytes: 10 });
  await createLarge(store, 'one', 'ann');
  await expect(createLarge(store, 'two', 'bob')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

describe('a caller whose unfinished tasks take half of the memory store', () => {
  async function halfFull(): Promise<Store> {
    const store = fullStore();
    for (const i of times(4)) await createLarge(store, `${i}`, 'ann');
    return store;
  }

  test('gets no new task and adds no message until one of them ends, while other callers do', async () => {
    const store = await halfFull();

    await expect(createLarge(store, '4', 'ann')).rejects.toMatchObject({
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
    for (const i of times(4)) await createLarge(store, `bob ${i}`, 'bob');

    await append(store, '0', end());
    await createLarge(store, '4', 'ann');
    expect((await listed(store)).total).toBe(9);
  });

  test('does not reduce the room of other callers by the outputs of its runs', async () => {
    const store = await halfFull();
    const { fence } = await lease(store, 'node', '1');
    const body = JSON.stringify('x'.repeat(5 * MAX_BYTES));
    await append(store, '1', { events: [{ kind: 'artifact', body }] }, { lease: { node: 'node', fence } });

    for (const i of times(4)) await createLarge(store, `bob ${i}`, 'bob');
    await expect(createLarge(store, '4', 'ann')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(createLarge(store, 'carol', 'carol')).rejects.toMatchObject({ code: 'UNAVAILABLE' });

    await append(store, '1', end());
    await createLarge(store, '4', 'ann');
    await createLarge(store, 'carol', 'carol');
  });

  test('is counted by owner if its tasks have no fairness key', async () => {
    const store = fullStore();
    for (const i of times(4)) await create(store, newTask(`${i}`, { message: large(`${i}`) }));

    await expect(create(store, newTask('4', { message: large('4') }))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await create(store, newTask('other', { message: large('other'), owner: 'bob' }));
  });
});

test('the memory store does not count removed tasks, events, journals and push configurations', async () => {
  const store = fullStore();
  for (const round of times(200)) {
    const id = `task-${round}`;
    await create(store, provisionalTask(id, { node: 'node-a', message: large(id), pushConfig: pushConfig('a') }));
    await append(store, id, {
      visible: true,
      events: [event('a'.repeat(5000), 'artifact')],
      journal: [{ ...entry('step'), body: 'x'.repeat(50_000) }],
      artifacts: JSON.stringify('x'.repeat(5000)),
      status: { state: 'TASK_STATE_WORKING', message: message('s', 'x'.repeat(5000)) },
    });
    await putPush(store, id, pushConfig('b'));
    await store.deletePushConfig(ALICE, id, 'a');
    if (round % 3 === 0) await append(store, id, { ...end(START + round), events: [event('end')] });
    else if (round % 3 === 1) {
      await append(store, id, { ...end(START + round), artifacts: '[]' });
      await store.prune({ endedBefore: 0, keepEnded: 1000, eventsEndedBefore: Infinity, limit: 1000 });
    } else {
      await append(store, id, end(START + round));
      await store.prune({ endedBefore: Infinity, keepEnded: 0, eventsEndedBefore: Infinity, limit: 1000 });
    }
  }
  await store.prune({ endedBefore: Infinity, keepEnded: 0, eventsEndedBefore: Infinity, limit: 1000 });
  expect((await listed(store)).total).toBe(0);

  // The same numbers as in an empty store, for one caller and for all.
  for (const i of times(4)) await createLarge(store, `${i}`, ALICE.owner);
  await expect(createLarge(store, '4', ALICE.owner)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  for (const i of times(5)) await createLarge(store, `${4 + i}`);
  await expect(createLarge(store, '10')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('replies that are stored for repeats take at most a quarter of the bytes, and the oldest are removed first', async () => {
  const store = fullStore();
  for (const i of times(10)) {
    await create(store, provisionalTask(`${i}`, { node: 'node-a', idempotency: key(`k-${i}`) }));
    await store.dropForReply(`${i}`, { node: 'node-a', fence: 1 }, large(`reply ${i}`));
  }
  // Every new key removes replies over the limit.
  await create(store, newTask('last', { idempotency: key('k-last') }));

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
