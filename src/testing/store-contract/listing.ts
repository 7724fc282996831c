import { deepEqual, equal } from 'node:assert/strict';

import type { TaskQuery } from '../../store/store.ts';
import type { Behaviours, Subject } from './subject.ts';
import { ALICE, end, event, message, newTask, START, status } from './samples.ts';

export const listing: Behaviours = {
  'an owner without tasks has an empty list': async (t) => {
    deepEqual(await t.store.list(ALICE, { limit: 10 }), { tasks: [], total: 0 });
  },

  'the latest status comes first, whenever the task was created': async (t) => {
    await t.create('one', { status: status('TASK_STATE_SUBMITTED', START + 2), createdAt: START - 9 });
    await t.create('two', { status: status('TASK_STATE_SUBMITTED', START + 3), createdAt: START - 8 });
    await t.create('three', { status: status('TASK_STATE_SUBMITTED', START + 1), createdAt: START - 7 });

    deepEqual(await t.listed(), { ids: ['two', 'one', 'three'], total: 3 });
  },

  'a new status moves a task to the position of its time': async (t) => {
    for (const [i, id] of ['one', 'two', 'three'].entries()) {
      await t.create(id, { status: status('TASK_STATE_SUBMITTED', START + i) });
    }

    await t.append('one', { status: status('TASK_STATE_WORKING', START + 9) });
    deepEqual(await t.listed(), { ids: ['one', 'three', 'two'], total: 3 });
    await t.append('two', end(START + 10));
    deepEqual(await t.listed(), { ids: ['two', 'one', 'three'], total: 3 });
  },

  'writes without a status do not move a task': async (t) => {
    await t.create('one', { status: status('TASK_STATE_SUBMITTED', START + 1) });
    await t.create('two');

    await t.append('two', { events: [event('a')], metadata: { a: 1 }, canceling: true, wakeAt: START + 99 });

    deepEqual((await t.listed()).ids, ['one', 'two']);
  },

  'a task whose status has no time is listed by its creation time': async (t) => {
    await t.create('one', { createdAt: START + 1, status: status('TASK_STATE_SUBMITTED', START + 1) });
    await t.create('two', { createdAt: START + 2, status: { state: 'TASK_STATE_SUBMITTED' } });
    await t.create('three', { createdAt: START + 3, status: status('TASK_STATE_SUBMITTED', START + 3) });
    await t.append('one', { status: { state: 'TASK_STATE_WORKING' } });

    deepEqual((await t.listed()).ids, ['three', 'two', 'one']);
    deepEqual(await t.listed({ statusSince: START + 2 }), { ids: ['three', 'two'], total: 2 });
  },

  'ids decide ties, descending by code unit': async (t) => {
    const ids = ['a', 'B', 'b', '0', '_', 'A', 'a-b', 'a_b', 'ab', 'aB', '10', '9', '~'];
    for (const id of ids) await t.create(id);

    deepEqual((await t.listed()).ids, ['~', 'b', 'ab', 'a_b', 'aB', 'a-b', 'a', '_', 'B', 'A', '9', '10', '0']);
  },

  'provisional tasks are neither listed nor counted': async (t) => {
    await t.create('one');
    await t.createProvisional('two');
    await t.append('two', { status: status('TASK_STATE_WORKING', START + 1) });

    deepEqual(await t.listed(), { ids: ['one'], total: 1 });
    deepEqual(await t.listed({ states: ['TASK_STATE_WORKING'] }), { ids: [], total: 0 });
  },

  'a list can be filtered by context': async (t) => {
    await sixTasks(t);

    deepEqual(await t.listed({ contextId: 'red' }), { ids: ['5', '3', '1'], total: 3 });
    deepEqual(await t.listed({ contextId: 'green' }), { ids: [], total: 0 });
  },

  'a list can be filtered by states': async (t) => {
    await sixTasks(t);

    deepEqual(await t.listed({ states: ['TASK_STATE_WORKING'] }), { ids: ['6', '3'], total: 2 });
    const two = await t.listed({ states: ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING'] });
    deepEqual(two, { ids: ['6', '4', '3', '1'], total: 4 });
    deepEqual(await t.listed({ states: ['TASK_STATE_FAILED'] }), { ids: [], total: 0 });
    deepEqual(await t.listed({ states: [] }), { ids: [], total: 0 });
  },

  'a list can be filtered by the time of the status, that time included': async (t) => {
    await sixTasks(t);

    deepEqual(await t.listed({ statusSince: START + 4 }), { ids: ['6', '5', '4'], total: 3 });
    deepEqual(await t.listed({ statusSince: START + 7 }), { ids: [], total: 0 });
    deepEqual(await t.listed({ statusSince: 0 }), { ids: ['6', '5', '4', '3', '2', '1'], total: 6 });
  },

  'a list can be filtered by agents': async (t) => {
    await sixTasks(t, (i) => (i > 4 ? 'painter' : i > 3 ? 'poet' : 'translator'));
    const of = (...agents: readonly string[]): Pick<TaskQuery, 'agents'> => ({ agents });

    deepEqual(await t.listed(of('translator')), { ids: ['3', '2', '1'], total: 3 });
    deepEqual(await t.listed(of('poet', 'painter')), { ids: ['6', '5', '4'], total: 3 });
    deepEqual(await t.listed(of('poet', 'translator', 'poet')), { ids: ['4', '3', '2', '1'], total: 4 });
    deepEqual(await t.listed(of('nobody')), { ids: [], total: 0 });
    deepEqual(await t.listed(of()), { ids: [], total: 0 });
    deepEqual(await t.listed(), { ids: ['6', '5', '4', '3', '2', '1'], total: 6 });
  },

  'the filter by agents applies to every page': async (t) => {
    await sixTasks(t, (i) => (i > 3 ? 'painter' : 'translator'));
    const painter = { agents: ['painter'] };
    const both = { agents: ['painter', 'translator'] };
    const after = { statusTime: START + 5, id: '5' };

    deepEqual(await t.listed({ ...painter, limit: 1 }), { ids: ['6'], total: 3 });
    deepEqual(await t.listed({ ...painter, limit: 5, after }), { ids: ['4'], total: 3 });
    deepEqual(await t.listed({ ...both, limit: 2, after }), { ids: ['4', '3'], total: 6 });
    deepEqual(await t.listed({ ...painter, contextId: 'blue' }), { ids: ['6', '4'], total: 2 });
    deepEqual(await t.listed({ ...both, contextId: 'blue', limit: 2 }), { ids: ['6', '4'], total: 3 });
    deepEqual(await t.listed({ ...painter, states: ['TASK_STATE_WORKING'] }), { ids: ['6'], total: 1 });
    deepEqual(await t.listed({ ...painter, statusSince: START + 5 }), { ids: ['6', '5'], total: 2 });
    const states = ['TASK_STATE_WORKING', 'TASK_STATE_SUBMITTED'] as const;
    deepEqual(await t.listed({ ...both, states, limit: 3 }), { ids: ['6', '4', '3'], total: 4 });
    const all = { ...painter, contextId: 'blue', states, statusSince: START + 4, limit: 1 };
    deepEqual(await t.listed(all), { ids: ['6'], total: 2 });
  },

  'the total of an agent follows the changes of its tasks': async (t) => {
    await t.create('one');
    const painter = { agents: ['painter'] };
    equal((await t.listed(painter)).total, 0);

    await t.create('two', { agent: 'painter' });
    await t.createProvisional('three', { agent: 'painter' });
    equal((await t.listed(painter)).total, 1);
    await t.append('three', { visible: true });
    await t.append('two', end(START + 1));
    deepEqual(await t.listed(painter), { ids: ['two', 'three'], total: 2 });
    equal((await t.listed({ ...painter, states: ['TASK_STATE_COMPLETED'] })).total, 1);
    await t.store.prune({ endedBefore: START + 2, keepEnded: 0, eventsEndedBefore: START, limit: 10 });
    deepEqual(await t.listed(painter), { ids: ['three'], total: 1 });
    deepEqual(await t.listed(), { ids: ['three', 'one'], total: 2 });
  },

  'filters can be combined': async (t) => {
    await sixTasks(t);
    const working = { states: ['TASK_STATE_WORKING'] as const };

    deepEqual(await t.listed({ contextId: 'red', ...working }), { ids: ['3'], total: 1 });
    deepEqual(await t.listed({ contextId: 'red', statusSince: START + 2 }), { ids: ['5', '3'], total: 2 });
    deepEqual(await t.listed({ ...working, statusSince: START + 4 }), { ids: ['6'], total: 1 });
    deepEqual(await t.listed({ contextId: 'red', ...working, statusSince: START + 3 }), { ids: ['3'], total: 1 });
    deepEqual(await t.listed({ contextId: 'red', ...working, statusSince: START + 4 }), { ids: [], total: 0 });
  },

  'the total counts all matching tasks on every page': async (t) => {
    await sixTasks(t);

    deepEqual(await t.listed({ limit: 2 }), { ids: ['6', '5'], total: 6 });
    deepEqual(await t.listed({ limit: 0 }), { ids: [], total: 6 });
    const after = { statusTime: START + 3, id: '3' };
    deepEqual(await t.listed({ limit: 1, after }), { ids: ['2'], total: 6 });
    deepEqual(await t.listed({ limit: 1, after, contextId: 'red' }), { ids: ['1'], total: 3 });
    const done = { states: ['TASK_STATE_COMPLETED'] as const };
    deepEqual(await t.listed({ limit: 1, after, ...done }), { ids: ['2'], total: 2 });
    deepEqual(await t.listed({ limit: 1, after, statusSince: START + 2 }), { ids: ['2'], total: 5 });
  },

  'the total follows the changes of the tasks': async (t) => {
    await sixTasks(t);
    await t.create('7');
    equal((await t.listed()).total, 7);

    await t.append('7', end(START + 7));
    equal((await t.listed()).total, 7);
    equal((await t.listed({ states: ['TASK_STATE_COMPLETED'] })).total, 3);
    await t.store.prune({ endedBefore: START + 8, keepEnded: 0, eventsEndedBefore: START, limit: 10 });
    deepEqual(await t.listed(), { ids: ['6', '4', '3', '1'], total: 4 });
  },

  'a list returns the requested parts of each task': async (t) => {
    const one = await t.create('one');
    const { record: two } = await t.append(
      (await t.create('two', { status: status('TASK_STATE_SUBMITTED', START + 1) })).id,
      { history: [message('m-2')], events: [event('a', 'artifact')] },
    );
    const first = message('first of two');
    const artifacts = { tail: [{ number: 2, ...event('a', 'artifact') }] };

    deepEqual((await t.store.list(ALICE, { limit: 10, history: 0 })).tasks, [
      { record: two, history: [] },
      { record: one, history: [] },
    ]);
    deepEqual((await t.store.list(ALICE, { limit: 10, history: 1 })).tasks, [
      { record: two, history: [message('m-2')] },
      { record: one, history: [message('first of one')] },
    ]);
    deepEqual((await t.store.list(ALICE, { limit: 1, artifacts: true })).tasks, [
      { record: two, history: [first, message('m-2')], artifacts },
    ]);
    await t.append('two', { artifacts: '["a"]' });
    deepEqual((await t.store.list(ALICE, { limit: 1, history: 0, artifacts: true })).tasks, [
      { record: two, history: [], artifacts: { snapshot: '["a"]', tail: [] } },
    ]);
  },
};

/** Tasks with odd numbers are in the context red, even ones in blue. Their states cycle through submitted, completed, working. */
async function sixTasks(t: Subject, agentOf: (i: number) => string = () => 'translator'): Promise<void> {
  for (const i of [4, 1, 6, 3, 5, 2]) {
    const task = newTask(`${i}`, { contextId: i % 2 === 1 ? 'red' : 'blue', agent: agentOf(i) });
    await t.create({ ...task, status: status('TASK_STATE_SUBMITTED', START + i) });
    if (i % 3 === 2) await t.append(`${i}`, end(START + i));
    if (i % 3 === 0) await t.append(`${i}`, { status: status('TASK_STATE_WORKING', START + i) });
  }
}
