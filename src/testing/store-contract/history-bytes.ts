import { deepEqual, equal, ok } from 'node:assert/strict';

import type { PagePosition, ReadParts, Store, StoredTask } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, end, event, message, newTask, START, status, times } from './samples.ts';

/** A message of about this many bytes. */
const SIZE = 1000;
const large = (id: string): ReturnType<typeof message> => message(id, 'x'.repeat(SIZE));

/** Creates a task with its first message and three large ones. */
async function talkative(t: Subject, id = 'one'): Promise<void> {
  await t.create(id);
  for (const name of ['a', 'b', 'c']) await t.append(id, { history: [large(name)] });
}

/** The ids of the returned messages, and how many were omitted. */
async function read(t: Subject, parts: ReadParts, id = 'one'): Promise<readonly [readonly string[], number]> {
  return shown(await t.store.read(ALICE, id, parts));
}

function shown(task: StoredTask | undefined): readonly [readonly string[], number] {
  return [(task?.history ?? []).map(({ messageId }) => messageId), task?.omitted ?? 0];
}

export const historyBytes: Behaviours = {
  'the bytes of the history are counted as the writes specify': async (t) => {
    const created = await t.create('one', { historyBytes: 100 });
    const { record } = await t.append('one', { history: [message('a'), message('b')], historyBytes: 50 });
    const later = await t.append('one', { events: [event('no message')] });

    equal(created.historyBytes, 100);
    equal(record.historyBytes, 150);
    equal(later.record.historyBytes, 150);
    equal((await t.recordOf('one')).historyBytes, 150);
  },

  'a write that does not specify its bytes counts the JSON size of its messages': async (t) => {
    await t.create('one', { historyBytes: 0 });
    const { record } = await t.append('one', { history: [large('a'), large('b')] });

    const counted = record.historyBytes ?? 0;
    ok(counted >= 2 * SIZE && counted < 2 * SIZE + 500, String(counted));
    equal((await t.recordOf('one')).historyBytes, counted);
  },

  'a guard on the bytes of the history holds up to its limit': async (t) => {
    await t.create('one', { historyBytes: 100 });
    const write = (maxHistoryBytes: number): ReturnType<Store['append']> =>
      t.store.append({ taskId: 'one', guard: { maxHistoryBytes }, history: [message('a')], historyBytes: 1 });

    equal((await write(99)).kind, 'rejected');
    equal((await write(100)).kind, 'appended');
    equal((await write(100)).kind, 'rejected');
    equal((await t.recordOf('one')).historyBytes, 101);
  },

  'of many concurrent writes only as many are stored as the history has room for': async (t) => {
    await t.create('one', { historyBytes: 0 });

    const written = await Promise.all(
      times(10).map((i) =>
        t.store.append({
          taskId: 'one',
          guard: { maxHistoryBytes: 20 },
          history: [message(`m-${i}`)],
          historyBytes: 10,
        }),
      ),
    );

    equal(written.filter(({ kind }) => kind === 'appended').length, 3);
  },

  'a read returns the last messages that fit into its byte limit': async (t) => {
    await talkative(t);

    deepEqual(await read(t, { historyBytes: 10 * SIZE }), [['first of one', 'a', 'b', 'c'], 0]);
    deepEqual(await read(t, { historyBytes: 2 * SIZE + 500 }), [['b', 'c'], 2]);
    deepEqual(await read(t, { historyBytes: SIZE + 500 }), [['c'], 3]);
    deepEqual(await read(t, { historyBytes: 0 }), [[], 4]);
  },

  'messages beyond the requested number do not count as omitted': async (t) => {
    await talkative(t);

    deepEqual(await read(t, { history: 2, historyBytes: 10 * SIZE }), [['b', 'c'], 0]);
    deepEqual(await read(t, { history: 3, historyBytes: SIZE + 500 }), [['c'], 2]);
    deepEqual(await read(t, { history: 0, historyBytes: 0 }), [[], 0]);
    equal('omitted' in ((await t.store.read(ALICE, 'one', { history: 2 })) ?? {}), false);
  },

  'the byte limit of a read also holds for ended tasks and for lists': async (t) => {
    await talkative(t);
    await t.append('one', { ...end(), history: [large('d')] });

    deepEqual(await read(t, { historyBytes: 2 * SIZE + 500 }), [['c', 'd'], 3]);
    const { tasks } = await t.store.list(ALICE, { limit: 10, historyBytes: SIZE + 500 });
    deepEqual(tasks.map(shown), [[['d'], 4]]);
  },

  'a page of a list ends before the task that would exceed its byte limit': async (t) => {
    for (const i of times(4)) {
      await t.create(`${i}`, { status: status('TASK_STATE_SUBMITTED', START + i), historyBytes: 0 });
      await t.append(`${i}`, { history: [large('a')], artifacts: JSON.stringify(['x'.repeat(SIZE)]) });
    }
    const page = async (query: Omit<Parameters<Store['list']>[1], 'limit'>): Promise<unknown> => {
      const { tasks, total, isCut = false } = await t.store.list(ALICE, { limit: 3, ...query });
      return [tasks.map(({ record }) => record.id), total, isCut];
    };

    deepEqual(await page({}), [['3', '2', '1'], 4, false]);
    deepEqual(await page({ pageBytes: 10 * SIZE }), [['3', '2', '1'], 4, false]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500 }), [['3', '2'], 4, true]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500, artifacts: true }), [['3'], 4, true]);
    deepEqual(await page({ pageBytes: 10, artifacts: true }), [['3'], 4, true]);
    deepEqual(await page({ pageBytes: 2 * SIZE + 500, history: 0 }), [['3', '2', '1'], 4, false]);
  },

  'pages with a byte limit contain every task once, whatever their sizes, agents and states': async (t) => {
    const states = ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'] as const;
    const agents = ['translator', 'painter'];
    for (const i of times(24)) {
      const text = 'x'.repeat(i % 5 === 0 ? 3 * SIZE : 10);
      const said = { ...status(states[i % 2] ?? 'TASK_STATE_WORKING', START + i), message: message('s', text) };
      const task = newTask(`${i}`.padStart(2, '0'), { agent: agents[i % 3] ?? 'translator', status: said });
      await t.create(i % 7 === 0 ? { ...task, message: large('m') } : task);
    }
    for (const query of [{}, { agents }, { states }, { agents, states }]) {
      const seen: string[] = [];
      let after: PagePosition | undefined;
      // Each page has at least one task; the last one may be empty.
      for (const _ of times(25)) {
        const page = await t.store.list(ALICE, { limit: 5, pageBytes: 4 * SIZE, ...query, ...(after && { after }) });
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
