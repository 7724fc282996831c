/** No statement scans a table or sorts, so the cost of a call does not grow with the number of tasks. */
import { afterAll, expect, test } from 'vitest';

import { sqlite } from '../../src/store/sqlite/store.ts';
import type { ClaimRequest, Store, TaskQuery } from '../../src/store/store.ts';
import { ALICE, chunk, newTask, pushConfig, scratchFolder, spyDriver } from './sqlite-driver.ts';

const scratch = scratchFolder();

afterAll(() => scratch.remove());

const IDEMPOTENCY = { key: 'k', digest: 'd', keepUntil: 0 };
const POLICY = { endedBefore: 0, keepEnded: 10, eventsEndedBefore: 10, limit: 10 };

/** Makes every kind of call, with all their options. */
async function makeAllCalls(store: Store): Promise<void> {
  const { message } = newTask('a');
  await store.create(newTask('a', { alias: 'one', idempotency: IDEMPOTENCY, pushConfig: pushConfig('c') }));
  const { event: _, ...provisional } = newTask('b', { node: 'n', idempotency: { ...IDEMPOTENCY, key: 'l' } });
  await store.create(provisional);
  await store.dropForReply('b', { node: 'n', fence: 1 }, message);
  await store.append({ ...chunk('a'), journal: [{ kind: 'step', key: 'k', body: 1 }], history: [message] });
  await store.append({ taskId: 'a', guard: {}, artifacts: '[]', question: 'q' });
  await store.heartbeat('n', 1000);
  await makeAllClaims(store);
  await store.nextWake(['translator']);
  await store.events('a', 0, 5);
  await store.journal('a');
  await store.resolveAlias(ALICE, 'one');
  await store.putPushConfig(ALICE, 'a', pushConfig('d'), 1);
  await store.putPushConfig(ALICE, 'a', pushConfig('c'), 2);
  await store.pushConfigs(ALICE, 'a', { limit: 1, after: 'c' });
  await store.pushConfigs(ALICE, 'a', { limit: 1, id: 'c' });
  const shares = { limit: 5, perReceiver: 2, perOwner: 2 };
  const [push] = await store.claimPushes({ node: 'n', agents: ['translator'], ...shares, held: [] });
  const report = { taskId: 'a', configId: 'c', node: 'n', fence: push?.fence ?? 0, attempts: 0, givenUp: 0 };
  await store.notePush({ ...report, told: 1 });
  const deadLetter = {
    id: 'd',
    event: { number: 2, kind: 'status', body: '{}' },
    reason: 'r',
    attempts: 1,
    time: 1,
  } as const;
  await store.notePush({ ...report, told: 2, dueAt: 0, deadLetter });
  await store.nextPush(['translator']);
  await store.resumePush({ taskId: 'a', configId: 'c' });
  for (const query of [{}, { id: 'd' }, { of: { taskId: 'a', configId: 'c' } }, { after: 'd' }])
    await store.deadLetters({ agents: ['translator'], limit: 5, ...query });
  await store.dropDeadLetter('d');
  await store.deletePushConfig(ALICE, 'a', 'c');
  for (const query of queries()) await store.list(ALICE, query);
  for (const query of queries())
    for (const parts of [
      {},
      { history: 0, artifacts: false },
      { pageBytes: 1 },
      { history: 0, artifacts: false, pageBytes: 1 },
    ])
      await store.listTexts?.(ALICE, { ...query, ...parts });
  await store.readTexts?.(ALICE, 'a', { artifacts: true });
  await store.append({ taskId: 'a', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 });
  for (const keepJournal of ['outline', 'whole'] as const) {
    await store.create(newTask(keepJournal));
    const end = { status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 5 } as const;
    const journal = [{ kind: 'step', key: 'k', body: 1 }];
    await store.append({ taskId: keepJournal, guard: {}, journal, ...end, keepJournal });
  }
  await makeAllPeerCalls(store);
  await store.prune({ ...POLICY, keepDeadLetters: 5 });
  await store.prune({ ...POLICY, endedBefore: 10 });
}

/** Every operation on calls between agents. */
async function makeAllPeerCalls(store: Store): Promise<void> {
  await store.create(newTask('parent'));
  await store.create(newTask('child', { callId: 'a' }));
  const calls = ['a', 'b', 'c'].map((id) => ({ id, request: {}, dueAt: 0 }));
  await store.append({ taskId: 'parent', guard: {}, journal: [{ kind: 'call', key: 'a', body: 1 }], calls });
  await store.append({ taskId: 'parent', guard: { call: 'a' }, callsDue: true });
  const request = { node: 'n', agents: ['translator'], limit: 2, perOwner: 5, held: [] };
  await store.claimCalls(request);
  await store.nextCall(['translator']);
  await store.noteCall({ callId: 'a', node: 'n', fence: 1, progress: { at: 1 } });
  await store.noteCall({ callId: 'b', node: 'n', fence: 1, remove: true });
  await store.noteCall({ callId: 'a', node: 'n', fence: 1, dueAt: 0 });
  const filters = [{ id: 'a' }, { taskId: 'parent' }, { agents: ['translator'] }, { hasFailed: false }, { after: 'a' }];
  for (const filter of [{}, ...filters, Object.assign({}, ...filters)]) await store.listCalls({ limit: 5, ...filter });
  await store.countCalls(ALICE);
  await store.append({ taskId: 'child', guard: {}, status: { state: 'TASK_STATE_COMPLETED' }, endedAt: 1 });
  await store.append({ taskId: 'parent', guard: {}, endsCall: 'a' });
}

/** More tasks are due than most claims may return, so that these rotate through the owners. */
async function makeAllClaims(store: Store): Promise<void> {
  for (const owner of ['d', 'e', 'f'])
    for (const id of ['1', '2', '3', '4']) await store.create(newTask(owner + id, { owner }));
  const claim = (limit: number, shares?: ClaimRequest['shares']): Promise<unknown> =>
    store.claim({ node: 'n', agents: ['translator'], limit, ...(shares !== undefined && { shares }) });
  await claim(1);
  await claim(5);
  await claim(2, { running: new Map([['d', 1]]), openSlots: 0 });
  await claim(50);
}

function queries(): readonly TaskQuery[] {
  const filters: Partial<TaskQuery>[] = [
    { contextId: 'c' },
    { agents: ['translator'] },
    { agents: ['translator', 'painter'] },
    { states: ['TASK_STATE_WORKING', 'TASK_STATE_FAILED'] },
    { statusSince: 1 },
    { after: { statusTime: 5, id: 'z' } },
  ];
  // Every subset of the filters.
  return Array.from({ length: 2 ** filters.length }, (_, bits) =>
    Object.assign({ limit: 10, artifacts: true }, ...filters.filter((_, i) => (bits >> i) % 2 === 1)),
  );
}

test('every statement reads its rows through an index, without a scan or a sort', async () => {
  const spy = spyDriver();
  const store = sqlite(scratch.file(), { driver: spy.driver });
  await makeAllCalls(store);
  const statements = [...spy.prepared].filter((sql) => !/PRAGMA|sqlite_schema/.test(sql));
  const plans = statements.map((sql) => {
    const values = (sql.match(/\?/g) ?? []).map(() => null);
    const rows = spy
      .database()
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...values);
    return {
      sql,
      plan: rows.map(([, , , detail]) => String(detail)).filter((detail) => !detail.includes('json_each')),
    };
  });

  expect(plans.length).toBeGreaterThan(50);
  // Owners with waiting tasks are found one by one, independently of the number of their tasks.
  const ofQueue = plans.flatMap(({ plan }) => plan).filter((step) => step.includes('task_queue'));
  expect(ofQueue.map((step) => step.replace(/^.* \(|\)$/g, '')).toSorted()).toEqual([
    'agent=? AND <expr><?',
    'agent=? AND <expr>=? AND wake_at>? AND wake_at<?',
    'agent=? AND <expr>>?',
    'agent=? AND <expr>>?',
    'agent=? AND <expr>>? AND <expr><?',
  ]);
  expect(plans.filter(({ plan }) => plan.some((step) => /SCAN (?!CONSTANT ROW)|TEMP B-TREE/.test(step)))).toEqual([]);
  await store.close();
});
