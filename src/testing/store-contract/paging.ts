import { deepEqual, equal, fail } from 'node:assert/strict';

import type { PagePosition, TaskQuery, TaskRecord } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, end, START, status, times } from './samples.ts';

const MANY = 500;

export const paging: Behaviours = {
  'pages of any size add up to the whole list, with and without ties': async (t) => {
    await manyTasks(t);
    const whole = await pages(t, { limit: MANY + 1 });
    equal(new Set(whole).size, MANY);

    for (const limit of [7, 50, 250]) deepEqual(await pages(t, { limit }), whole);
  },

  'pages of a filtered list add up to the whole filtered list': async (t) => {
    await manyTasks(t);
    const filters: readonly Partial<TaskQuery>[] = [
      { contextId: 'context-3' },
      { states: ['TASK_STATE_WORKING'] },
      { statusSince: timeOf(300) },
      { contextId: 'context-4', states: ['TASK_STATE_WORKING'], statusSince: timeOf(100) },
    ];
    for (const filter of filters) {
      const whole = await pages(t, { ...filter, limit: MANY });
      equal(whole.length > 20, true);
      deepEqual(await pages(t, { ...filter, limit: 9 }), whole);
    }
  },

  'a page can start at a position without a task': async (t) => {
    for (const i of [1, 2, 3]) await t.create(`b${i}`, { status: status('TASK_STATE_SUBMITTED', START + i) });
    const after = async (statusTime: number, id: string): Promise<readonly string[]> =>
      (await t.store.list(ALICE, { limit: 10, after: { statusTime, id } })).tasks.map(({ record }) => record.id);

    deepEqual(await after(START + 9, 'x'), ['b3', 'b2', 'b1']);
    deepEqual(await after(START + 3, 'b3'), ['b2', 'b1']);
    deepEqual(await after(START + 2, 'z'), ['b2', 'b1']);
    deepEqual(await after(START + 2, 'a'), ['b1']);
    deepEqual(await after(START + 1, 'b1'), []);
    deepEqual(await after(START, 'z'), []);
    // The same id with another time is another position.
    deepEqual(await after(START + 4, 'b3'), ['b3', 'b2', 'b1']);
  },

  'tasks that change between pages cause no other task to be skipped or repeated': async (t) => {
    await manyTasks(t);
    const changed = new Set<string>();
    const seen: string[] = [];
    let after: PagePosition | undefined;
    for (let page = 0; page < MANY; page += 1) {
      const { tasks } = await t.store.list(ALICE, { limit: 20, history: 0, ...(after && { after }) });
      const last = tasks.at(-1)?.record;
      if (last === undefined) break;
      seen.push(...tasks.map(({ record }) => record.id));
      after = { statusTime: statusTimeOf(last), id: last.id };

      // The last task of the page, one in its middle, and two of later pages.
      const moving = [last.id, tasks[3]?.record.id ?? '', `task-${page}`, `task-${page + 100}`];
      const now = START + MANY + page;
      for (const id of moving.filter((id) => id !== '' && !changed.has(id))) {
        await t.append(id, page % 2 === 0 ? { status: status('TASK_STATE_WORKING', now) } : end(now));
        changed.add(id);
      }
      await t.create(`new-${page}`, { status: status('TASK_STATE_SUBMITTED', now) });
      await t.create(`tie-${page}`, { status: last.status });
      await t.createProvisional(`hidden-${page}`);
    }

    const unchanged = times(MANY)
      .map(idOf)
      .filter((id) => !changed.has(id));
    equal(changed.size > 40, true);
    deepEqual(seen.filter((id) => id.startsWith('task-') && !changed.has(id)).sort(), unchanged.sort());
  },

  'tasks that are removed between pages cause no other task to be skipped or repeated': async (t) => {
    await manyTasks(t);
    const first = await t.store.list(ALICE, { limit: 100, history: 0 });
    const last = first.tasks.at(-1)?.record;
    const gone = first.tasks.map(({ record }) => record.id);
    await Promise.all(gone.map((id) => t.append(id, end(START))));
    await t.store.prune({ endedBefore: START + 1, keepEnded: 0, eventsEndedBefore: START, limit: MANY });

    const rest = await pages(t, { limit: 30 }, { statusTime: last ? statusTimeOf(last) : 0, id: last?.id ?? '' });

    deepEqual([...rest, ...gone].sort(), times(MANY).map(idOf).sort());
  },
};

function idOf(i: number): string {
  return `task-${i}`;
}

/** Seven tasks share each time, and the order of times differs from the order of creation. */
function timeOf(i: number): number {
  return START + Math.floor(((i * 17) % MANY) / 7);
}

async function manyTasks(t: Subject): Promise<void> {
  await Promise.all(
    times(MANY).map((i) =>
      t.create(idOf(i), {
        contextId: `context-${i % 5}`,
        status: status(i % 3 === 0 ? 'TASK_STATE_WORKING' : 'TASK_STATE_SUBMITTED', timeOf(i)),
      }),
    ),
  );
}

function statusTimeOf({ status: { timestamp = '' } }: TaskRecord): number {
  return Date.parse(timestamp);
}

/** The ids of all pages from a position. A page that is not full is the last one. */
async function pages(t: Subject, query: TaskQuery, from?: PagePosition): Promise<readonly string[]> {
  const ids: string[] = [];
  let after = from;
  // An endless list must fail instead of looping forever.
  while (ids.length <= MANY) {
    const { tasks } = await t.store.list(ALICE, { history: 0, ...query, ...(after && { after }) });
    ids.push(...tasks.map(({ record }) => record.id));
    const last = tasks.at(-1)?.record;
    if (last === undefined || tasks.length < query.limit) return ids;
    after = { statusTime: statusTimeOf(last), id: last.id };
  }
  return fail('The pages have more tasks than there are');
}
