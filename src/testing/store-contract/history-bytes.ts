import { deepEqual, equal, ok } from 'node:assert/strict';

import type { PagePosition, ReadParts, Store, StoredTask } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import { ALICE, append, create, end, event, message, newTask, recordOf, START, status, times } from './samples.ts';

/** A message of about this many bytes. */
const SIZE = 1000;
const large = (id: string): ReturnType<typeof message> => message(id, 'x'.repeat(SIZE));

/** Creates a task with its first message and three large ones. */
async function talkative(store: Store, id = 'one'): Promise<void> {
  await create(store, newTask(id));
  for (const name of ['a', 'b', 'c']) await append(store, id, { history: [large(name)] });
}

/** The ids of the returned messages, and how many were omitted. */
async function read(store: Store, parts: ReadParts, id = 'one'): Promise<readonly [readonly string[], number]> {
  return shown(await store.read(ALICE, id, parts));
}

function shown(task: StoredTask | undefined): readonly [readonly string[], number] {
  return [(task?.history ?? []).map(({ messageId }) => messageId), task?.omitted ?? 0];
}

export const historyBytes: Behaviours = {
  'the bytes of the history are counted as the writes specify': async ({ store }) => {
    const created = await create(store, newTask('one', { historyBytes: 100 }));
    const { record } = await append(store, 'one', { history: [message('a'), message('b')], historyBytes: 50 });
    const later = await append(store, 'one', { events: [event('no message')] });

    equal(created.historyBytes, 100);
    equal(record.historyBytes, 150);
    equal(later.record.historyBytes, 150);
    equal((await recordOf(store, 'one')).historyBytes, 150);
  },

  'a write that does not specify its bytes counts the JSON size of its messages': async ({ store }) => {
    await create(store, newTask('one', { historyBytes: 0 }));
    const { record } = await append(store, 'one', { history: [large('a'), large('b')] });

    const counted = record.historyBytes ?? 0;
    ok(counted >= 2 * SIZE && counted < 2 * SIZE + 500, String(counted));
    equal((await recordOf(store, 'one')).historyBytes, counted);
  },

  'a guard on the bytes of the history holds up to its limit': async ({ store }) => {
    await create(store, newTask('one', { historyBytes: 100 }));
    const write = (maxHistoryBytes: number): ReturnType<Store['append']> =>
      store.append({ taskId: 'one', guard: { maxHistoryBytes }, history: [message('a')], historyBytes: 1 });

    equal((await write(99)).kind, 'rejected');
    equal((await write(100)).kind, 'appended');
    equal((await write(100)).kind, 'rejected');
    equal((await recordOf(store, 'one')).historyBytes, 101);
  },

  'of many concurrent writes only as many are stored as the history has room for': async ({ store }) => {
    await create(store, newTask('one', { historyBytes: 0 }));

    const written = await Promise.all(
      times(10).map((i) =>
        store.append({
          taskId: 'one',
          guard: { maxHistoryBytes: 20 },
          history: [message(`m-${i}`)],
          historyBytes: 10,
        }),
      ),
    );

    equal(written.filter(({ kind }) => kind === 'appended').length, 3);
  },

  'a read returns the last messages that fit into its byte limit': async ({ store }) => {
    await talkative(store);

    deepEqual(await read(store, { historyBytes: 10 * SIZE }), [['first of one', 'a', 'b', 'c'], 0]);
    deepEqual(await read(store, { historyBytes: 2 * SIZE + 500 }), [['b', 'c'], 2]);
    deepEqual(await read(store, { historyBytes: SIZE + 500 }), [['c'], 3]);
    deepEqual(await read(store, { historyBytes: 0 }), [[], 4]);
  },

  'messages beyond the requested number do not count as omitted': async ({ store }) => {
    await talkative(store);

    deepEqual(await read(store, { history: 2, historyBytes: 10 * SIZE }), [['b', 'c'], 0]);
    deepEqual(await read(store, { history: 3, historyBytes: SIZE + 500 }), [['c'], 2]);
    deepEqual(await read(store, { history: 0, historyBytes: 0 }), [[], 0]);
    equal('omitted' in ((await store.read(ALICE, 'one', { history: 2 })) ?? {}), false);
  },

  'the byte limit of a read also holds for ended tasks and for lists': async ({ store }) => {
    await talkative(store);
    await append(store, 'one', { ...end(), history: [large('d')] });

    deepEqual(await read(store, { historyBytes: 2 * SIZE + 500 }), [['c', 'd'], 3]);
    const { tasks } = await store.list(ALICE, { limit: 10, historyBytes: SIZE + 500 });
    deepEqual(tasks.map(shown), [[['d'], 4]]);
  },

  'a page of a list ends before the task that would exceed its byte limit': async ({ store }) => {
    for (const i of times(4)) {
      await create(store, newTask(`${i}`, { status: status('TASK_STATE_SUBMITTED', START + i), historyBytes: 0 }));
      await append(store, `${i}`, { history: [large('a')], artifacts: JSON.stringify(['x'.repeat(SIZE)]) });
    }
    const page = async (query: Omit<Parameters<Store['list']>[1], 'limit'>): Promise<unknown> => {
      const { tasks, total, isCut = false } = await store.list(ALICE, { limit: 3, ...query });
      return [tasks.map(({ record }) => record.id), total, isCut];
    };

    deepEqual(await page({}), [['3', '2', '1'], 4, false]);
    deepEqual(await page({ pageBytes: 10 * SIZE }), [['3', '2', '1'], 4, false]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500 }), [['3', '2'], 4, true]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500, artifacts: true }), [['3'], 4, true]);
    deepEqual(await page({ pageBytes: 10, artifacts: true }), [['3'], 4, true]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500, history: 0 }), [['3', '2', '1'], 4, false]);
  },

  'pages with a byte limit contain every task once, whatever their sizes, agents and states': async ({ store }) => {
    const states = ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'] as const;
    const agents = ['translator', 'painter'];
    for (const i of times(24)) {
      const text = 'x'.repeat(i % 5 === 0 ? 3 * SIZE : 10);
      const said = { ...status(states[i % 2] ?? 'TASK_STATE_WORKING', START + i), message: message('s', text) };
      const task = newTask(`${i}`.padStart(2, '0'), { agent: agents[i % 3] ?? 'translator', status: said });
      await create(store, i % 7 === 0 ? { ...task, message: large('m') } : task);
    }
    for (const query of [{}, { agents }, { states }, { agents, states }]) {
      const seen: string[] = [];
      let after: PagePosition | undefined;
      // Each page has at least one task; the last one may be empty.
      for (const _ of times(25)) {
        const page = await store.list(ALICE, { limit: 5, pageBytes: 4 * SIZE, ...query, ...(after && { after }) });
        const last = page.tasks.at(-1)?.record;
        if (last === undefined) break;
        seen.push(...page.tasks.map(({ record }) => record.id));
        after = { statusTime: Date.parse(last.status.timestamp ?? ''), id: last.id };
      }
      deepEqual(
        seen,
        times(24).map((i) => `${23 - i}`.padStart(2, '0')),
      );
    }
  },
};
