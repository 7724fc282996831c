import { deepEqual, equal, ok } from 'node:assert/strict';

import { statusTime } from '../../store/guard.ts';
import type { ReadParts, Scope, StoredTask, TaskQuery, TaskTexts } from '../../store/store.ts';
import { ALICE, end, event, message, START, status, times } from './samples.ts';
import type { Behaviours, Subject } from './subject.ts';

/** Texts that a database or a careless implementation could change. */
const UNUSUAL = ['"quoted"', 'a,b', '},{"text":"x"}', '\u0000', '\ud800', '\u2028', '😀', ' padded ', '[]', '1 2 3'];

const PARTS: readonly ReadParts[] = [
  {},
  { artifacts: true },
  ...[0, 1, 2, 9, 10, 11, 1000].map((history) => ({ history, artifacts: true })),
  ...[0, 400, 1200].map((historyBytes) => ({ historyBytes })),
];

/** The same facts as in texts. */
interface Facts extends Pick<TaskTexts, 'id' | 'contextId' | 'agent' | 'visible' | 'statusTime'> {
  readonly status: unknown;
  readonly metadata: unknown;
  readonly history: unknown;
  readonly artifacts: string | undefined;
}

function factsOfTexts(texts: TaskTexts): Facts {
  const { id, contextId, agent, visible, artifacts } = texts;
  const metadata = texts.metadata === undefined ? undefined : (JSON.parse(texts.metadata) as unknown);
  const history = JSON.parse(`[${texts.history}]`) as unknown;
  const status_ = JSON.parse(texts.status) as unknown;
  return { id, contextId, agent, visible, statusTime: texts.statusTime, status: status_, metadata, history, artifacts };
}

function factsOfTask({ record, history, artifacts }: StoredTask): Facts {
  const { id, contextId, agent, visible, metadata } = record;
  const facts = {
    id,
    contextId,
    agent,
    visible,
    statusTime: statusTime(record),
    status: record.status,
    metadata,
    history,
  };
  return { ...facts, artifacts: artifacts?.snapshot };
}

/** Checks that a task in texts is the task that `read` or `list` returns. */
function assertSame(texts: TaskTexts | StoredTask | undefined, task: StoredTask | undefined): void {
  if (texts === undefined || task === undefined || 'record' in texts) return deepEqual(texts, task);
  deepEqual(factsOfTexts(texts), factsOfTask(task));
  equal(task.omitted, undefined, 'texts of a task whose history is not complete');
  deepEqual(task.artifacts?.tail ?? [], [], 'texts of a task with artifact events after its snapshot');
}

/** Checks that the texts of a task are what `read` returns. */
export async function assertTexts({ store }: Subject, id: string, scope: Scope = ALICE): Promise<void> {
  if (store.readTexts === undefined) return;
  for (const parts of PARTS) assertSame(await store.readTexts(scope, id, parts), await store.read(scope, id, parts));
}

async function assertListTexts({ store }: Subject, query: TaskQuery): Promise<void> {
  if (store.listTexts === undefined) return;
  const [texts, page] = [await store.listTexts(ALICE, query), await store.list(ALICE, query)];
  deepEqual([texts.tasks.length, texts.total, texts.isCut], [page.tasks.length, page.total, page.isCut]);
  for (const [i, task] of texts.tasks.entries()) assertSame(task, page.tasks[i]);
}

/** Tasks in every state of their texts. */
async function makeTasks(t: Subject): Promise<readonly string[]> {
  await t.create('new');
  await t.create('described', { metadata: { a: [1, { b: UNUSUAL }] } });
  await t.createProvisional('provisional');
  await t.create('large', { message: message('large', 'x'.repeat(5000)) });
  await t.append('large', { history: [message('second', 'y'.repeat(5000))] });
  await t.create('streaming');
  await t.append('streaming', { events: [event('chunk', 'artifact')] });
  await t.create('saved');
  await t.append('saved', { events: [event('chunk', 'artifact')], artifacts: '[{"artifactId":"a"}]' });
  for (const [id, first] of [
    ['talked', 'short'],
    ['talked at length', 'x'.repeat(5000)],
  ] as const) {
    await t.create(id, { message: message(id, first) });
    for (const i of times(11)) await t.append(id, { history: [message(`${id} ${i}`, UNUSUAL[i])] });
    await t.append(id, { ...end(START + 5), artifacts: '[{"artifactId":"a","parts":[]}]' });
  }
  await t.create('ended');
  const said = { ...status('TASK_STATE_COMPLETED', START + 5), message: message('said', UNUSUAL.join('')) };
  await t.append('ended', { ...end(START + 5), status: said, artifacts: JSON.stringify(['x'.repeat(5000)]) });
  return ['new', 'described', 'provisional', 'large', 'streaming', 'saved', 'talked', 'talked at length', 'ended'];
}

/** For stores with `readTexts` and `listTexts`; the others pass. */
export const texts: Behaviours = {
  'a store that reads texts also lists texts': async ({ store }) => {
    equal(store.readTexts === undefined, store.listTexts === undefined);
  },

  'the texts of a task are what a read of the task returns, in every state and for all parts': async (t) => {
    for (const id of [...(await makeTasks(t)), 'unknown', 'talked\0']) await assertTexts(t, id);
    await assertTexts(t, 'talked', { ...ALICE, owner: 'bob' });
  },

  'a list of texts contains the same tasks as the list, for all parts and filters': async (t) => {
    await makeTasks(t);

    for (const parts of PARTS)
      for (const filter of [{}, { agents: ['translator', 'painter'] }, { contextId: 'context of talked' }])
        await assertListTexts(t, { ...parts, ...filter, limit: 5 });
    await assertListTexts(t, { limit: 5, after: { statusTime: START + 5, id: 'talked' } });
    await assertListTexts(t, { limit: 5, agents: [] });
  },

  'a page of texts ends before the task that would exceed its size': async (t) => {
    const { store } = t;
    if (store.listTexts === undefined) return;
    const large = 'x'.repeat(2000);
    for (const i of times(4)) {
      const state = status('TASK_STATE_WORKING', START + i);
      await t.create(`said-${i}`, { agent: 'sayer', status: { ...state, message: message('m', large) } });
      await t.create(`kept-${i}`, { agent: 'keeper', status: state, metadata: { large } });
    }

    const list = store.listTexts.bind(store);
    const idsOf = async (
      agent: string,
      pageBytes: number,
      history = 0,
    ): Promise<readonly [readonly string[], boolean]> => {
      const { tasks, isCut = false } = await list(ALICE, { limit: 10, pageBytes, history, agents: [agent] });
      return [tasks.map((task) => ('record' in task ? task.record.id : task.id)), isCut];
    };

    for (const [agent, id] of [
      ['sayer', 'said'],
      ['keeper', 'kept'],
    ] as const) {
      deepEqual(await idsOf(agent, 100_000), [[`${id}-3`, `${id}-2`, `${id}-1`, `${id}-0`], false]);
      deepEqual(await idsOf(agent, 5000), [[`${id}-3`, `${id}-2`], true]);
      deepEqual(await idsOf(agent, 1), [[`${id}-3`], true]);
      ok((await idsOf(agent, 5000, 1))[1]);
    }
  },
};
