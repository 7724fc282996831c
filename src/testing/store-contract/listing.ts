import { deepEqual, equal } from 'node:assert/strict';

import type { Store, TaskQuery } from '../../store/store.ts';
import type { Behaviours } from './behaviours.ts';
import {
  ALICE,
  append,
  create,
  end,
  event,
  listed,
  message,
  newTask,
  provisionalTask,
  START,
  status,
} from './samples.ts';

export const listing: Behaviours = {
  'an owner without tasks has an empty list': async ({ store }) => {
    deepEqual(await store.list(ALICE, { limit: 10 }), { tasks: [], total: 0 });
  },

  'the latest status comes first, whenever the task was created': async ({ store }) => {
    await create(store, newTask('one', { status: status('TASK_STATE_SUBMITTED', START + 2), createdAt: START - 9 }));
    await create(store, newTask('two', { status: status('TASK_STATE_SUBMITTED', START + 3), createdAt: START - 8 }));
    await create(store, newTask('three', { status: status('TASK_STATE_SUBMITTED', START + 1), createdAt: START - 7 }));

    deepEqual(await listed(store), { ids: ['two', 'one', 'three'], total: 3 });
  },

  'a new status moves a task to the position of its time': async ({ store }) => {
    for (const [i, id] of ['one', 'two', 'three'].entries()) {
      await create(store, newTask(id, { status: status('TASK_STATE_SUBMITTED', START + i) }));
    }

    await append(store, 'one', { status: status('TASK_STATE_WORKING', START + 9) });
    deepEqual(await listed(store), { ids: ['one', 'three', 'two'], total: 3 });
    await append(store, 'two', end(START + 10));
    deepEqual(await listed(store), { ids: ['two', 'one', 'three'], total: 3 });
  },

  'writes without a status do not move a task': async ({ store }) => {
    await create(store, newTask('one', { status: status('TASK_STATE_SUBMITTED', START + 1) }));
    await create(store, newTask('two'));

    await append(store, 'two', { events: [event('a')], metadata: { a: 1 }, canceling: true, wakeAt: START + 99 });

    deepEqual((await listed(store)).ids, ['one', 'two']);
  },

  'a task whose status has no time is listed by its creation time': async ({ store }) => {
    await create(store, newTask('one', { createdAt: START + 1, status: status('TASK_STATE_SUBMITTED', START + 1) }));
    await create(store, newTask('two', { createdAt: START + 2, status: { state: 'TASK_STATE_SUBMITTED' } }));
    await create(store, newTask('three', { createdAt: START + 3, status: status('TASK_STATE_SUBMITTED', START + 3) }));
    await append(store, 'one', { status: { state: 'TASK_STATE_WORKING' } });

    deepEqual((await listed(store)).ids, ['three', 'two', 'one']);
    deepEqual(await listed(store, { statusSince: START + 2 }), { ids: ['three', 'two'], total: 2 });
  },

  'ids decide ties, descending by code unit': async ({ store }) => {
    const ids = ['a', 'B', 'b', '0', '_', 'A', 'a-b', 'a_b', 'ab', 'aB', '10', '9', '~'];
    for (const id of ids) await create(store, newTask(id));

    deepEqual((await listed(store)).ids, ['~', 'b', 'ab', 'a_b', 'aB', 'a-b', 'a', '_', 'B', 'A', '9', '10', '0']);
  },

  'provisional tasks are neither listed nor counted': async ({ store }) => {
    await create(store, newTask('one'));
    await create(store, provisionalTask('two'));
    await append(store, 'two', { status: status('TASK_STATE_WORKING', START + 1) });

    deepEqual(await listed(store), { ids: ['one'], total: 1 });
    deepEqual(await listed(store, { states: ['TASK_STATE_WORKING'] }), { ids: [], total: 0 });
  },

  'a list can be filtered by context': async ({ store }) => {
    await sixTasks(store);

    deepEqual(await listed(store, { contextId: 'red' }), { ids: ['5', '3', '1'], total: 3 });
    deepEqual(await listed(store, { contextId: 'green' }), { ids: [], total: 0 });
  },

  'a list can be filtered by states': async ({ store }) => {
    await sixTasks(store);

    deepEqual(await listed(store, { states: ['TASK_STATE_WORKING'] }), { ids: ['6', '3'], total: 2 });
    const two = await listed(store, { states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] });
    deepEqual(two, { ids: ['6', '4', '3', '1'], total: 4 });
    deepEqual(await listed(store, { states: ['TASK_STATE_FAILED'] }), { ids: [], total: 0 });
    deepEqual(await listed(store, { states: [] }), { ids: [], total: 0 });
  },

  'a list can be filtered by the time of the status, that time included': async ({ store }) => {
    await sixTasks(store);

    deepEqual(await listed(store, { statusSince: START + 4 }), { ids: ['6', '5', '4'], total: 3 });
    deepEqual(await listed(store, { statusSince: START + 7 }), { ids: [], total: 0 });
    deepEqual(await listed(store, { statusSince: 0 }), { ids: ['6', '5', '4', '3', '2', '1'], total: 6 });
  },

  'a list can be filtered by agents': async ({ store }) => {
    await sixTasks(store, (i) => (i > 4 ? 'painter' : i > 3 ? 'poet' : 'translator'));
    const of = (...agents: readonly string[]): Pick<TaskQuery, 'agents'> => ({ agents });

    deepEqual(await listed(store, of('translator')), { ids: ['3', '2', '1'], total: 3 });
    deepEqual(await listed(store, of('poet', 'painter')), { ids: ['6', '5', '4'], total: 3 });
    deepEqual(await listed(store, of('poet', 'translator', 'poet')), { ids: ['4', '3', '2', '1'], total: 4 });
    deepEqual(await listed(store, of('nobody')), { ids: [], total: 0 });
    deepEqual(await listed(store, of()), { ids: [], total: 0 });
    deepEqual(await listed(store), { ids: ['6', '5', '4', '3', '2', '1'], total: 6 });
  },

  'the filter by agents applies to every page': async ({ store }) => {
    await sixTasks(store, (i) => (i > 3 ? 'painter' : 'translator'));
    const painter = { agents: ['painter'] };
    const both = { agents: ['painter', 'translator'] };
    const after = { statusTime: START + 5, id: '5' };

    deepEqual(await listed(store, { ...painter, limit: 1 }), { ids: ['6'], total: 3 });
    deepEqual(await listed(store, { ...painter, limit: 5, after }), { ids: ['4'], total: 3 });
    deepEqual(await listed(store, { ...both, limit: 2, after }), { ids: ['4', '3'], total: 6 });
    deepEqual(await listed(store, { ...painter, contextId: 'blue' }), { ids: ['6', '4'], total: 2 });
    deepEqual(await listed(store, { ...both, contextId: 'blue', limit: 2 }), { ids: ['6', '4'], total: 3 });
    deepEqual(await listed(store, { ...painter, states: ['TASK_STATE_WORKING'] }), { ids: ['6'], total: 1 });
    deepEqual(await listed(store, { ...painter, statusSince: START + 5 }), { ids: ['6', '5'], total: 2 });
    const states = ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'] as const;
    deepEqual(await listed(store, { ...both, states, limit: 3 }), { ids: ['6', '4', '3'], total: 4 });
    const all = { ...painter, contextId: 'blue', states, statusSince: START + 4, limit: 1 };
    deepEqual(await listed(store, all), { ids: ['6'], total: 2 });
  },

  'the total of an agent follows the changes of its tasks': async ({ store }) => {
    await create(store, newTask('one'));
    const painter = { agents: ['painter'] };
    equal((await listed(store, painter)).total, 0);

    await create(store, newTask('two', { agent: 'painter' }));
    await create(store, provisionalTask('three', { agent: 'painter' }));
    equal((await listed(store, painter)).total, 1);
    await append(store, 'three', { visible: true });
    await append(store, 'two', end(START + 1));
    deepEqual(await listed(store, painter), { ids: ['two', 'three'], total: 2 });
    equal((await listed(store, { ...painter, states: ['TASK_STATE_COMPLETED'] })).total, 1);
    await store.prune({ endedBefore: START + 2, keepEnded: 0, eventsEndedBefore: START, limit: 10 });
    deepEqual(await listed(store, painter), { ids: ['three'], total: 1 });
    deepEqual(await listed(store), { ids: ['three', 'one'], total: 2 });
  },

  'filters can be combined': async ({ store }) => {
    await sixTasks(store);
    const working = { states: ['TASK_STATE_WORKING'] as const };

    deepEqual(await listed(store, { contextId: 'red', ...working }), { ids: ['3'], total: 1 });
    deepEqual(await listed(store, { contextId: 'red', statusSince: START + 2 }), { ids: ['5', '3'], total: 2 });
    deepEqual(await listed(store, { ...working, statusSince: START + 4 }), { ids: ['6'], total: 1 });
    deepEqual(await listed(store, { contextId: 'red', ...working, statusSince: START + 3 }), { ids: ['3'], total: 1 });
    deepEqual(await listed(store, { contextId: 'red', ...working, statusSince: START + 4 }), { ids: [], total: 0 });
  },

  'the total counts all matching tasks on every page': async ({ store }) => {
    await sixTasks(store);

    deepEqual(await listed(store, { limit: 2 }), { ids: ['6', '5'], total: 6 });
    deepEqual(await listed(store, { limit: 0 }), { ids: [], total: 6 });
    const after = { statusTime: START + 3, id: '3' };
    deepEqual(await listed(store, { limit: 1, after }), { ids: ['2'], total: 6 });
    deepEqual(await listed(store, { limit: 1, after, contextId: 'red' }), { ids: ['1'], total: 3 });
    const done = { states: ['TASK_STATE_COMPLETED'] as const };
    deepEqual(await listed(store, { limit: 1, after, ...done }), { ids: ['2'], total: 2 });
    deepEqual(await listed(store, { limit: 1, after, statusSince: START + 2 }), { ids: ['2'], total: 5 });
  },

  'the total follows the changes of the tasks': async ({ store }) => {
    await sixTasks(store);
    await create(store, newTask('7'));
    equal((await listed(store)).total, 7);

    await append(store, '7', end(START + 7));
    equal((await listed(store)).total, 7);
    equal((await listed(store, { states: ['TASK_STATE_COMPLETED'] })).total, 3);
    await store.prune({ endedBefore: START + 8, keepEnded: 0, eventsEndedBefore: START, limit: 10 });
    deepEqual(await listed(store), { ids: ['6', '4', '3', '1'], total: 4 });
  },

  'a list returns the requested parts of each task': async ({ store }) => {
    const one = await create(store, newTask('one'));
    const { record: two } = await append(
      store,
      (await create(store, newTask('two', { status: status('TASK_STATE_SUBMITTED', START + 1) }))).id,
      { history: [message('m-2')], events: [event('a', 'artifact')] },
    );
    const first = message('first of two');
    const artifacts = { tail: [{ number: 2, ...event('a', 'artifact') }] };

    deepEqual((await store.list(ALICE, { limit: 10, history: 0 })).tasks, [
      { record: two, history: [] },
      { record: one, history: [] },
    ]);
    deepEqual((await store.list(ALICE, { limit: 10, history: 1 })).tasks, [
      { record: two, history: [message('m-2')] },
      { record: one, history: [message('first of one')] },
    ]);
    deepEqual((await store.list(ALICE, { limit: 1, artifacts: true })).tasks, [
      { record: two, history: [first, message('m-2')], artifacts },
    ]);
    await append(store, 'two', { artifacts: '["a"]' });
    deepEqual((await store.list(ALICE, { limit: 1, history: 0, artifacts: true })).tasks, [
      { record: two, history: [], artifacts: { snapshot: '["a"]', tail: [] } },
    ]);
  },
};

/** Tasks with odd numbers are in the context red, even ones in blue. Their states cycle through submitted, completed, working. */
async function sixTasks(store: Store, agentOf: (i: number) => string = () => 'translator'): Promise<void> {
  for (const i of [4, 1, 6, 3, 5, 2]) {
    const task = newTask(`${i}`, { contextId: i % 2 === 1 ? 'red' : 'blue', agent: agentOf(i) });
    await create(store, { ...task, status: status('TASK_STATE_SUBMITTED', START + i) });
    if (i % 3 === 2) await append(store, `${i}`, end(START + i));
    if (i % 3 === 0) await append(store, `${i}`, { status: status('TASK_STATE_WORKING', START + i) });
  }
}
