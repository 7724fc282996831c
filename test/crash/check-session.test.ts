/** The check that the crash tests rely on finds each kind of violation. */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { ArrivedPush } from './worker-protocol.ts';
import { checkSession } from './check-session.ts';
import { KINDS, type Kind } from './handlers.ts';
import type { SessionResult, Observations, Session } from './session.ts';
import { sessions, TIMEOUT_MS } from './open-sessions.ts';

const { folder, open } = sessions();
let reference: Session;

beforeAll(async () => {
  reference = open('reference');
  await reference.runProcess({ begin: 2 * KINDS.length, maxSuspended: 3 });
  await reference.runProcess({ finish: true });
}, TIMEOUT_MS);

type Tamper = (observed: (kind: Kind) => Observations) => void;

/** The result of the reference session after a change. */
function tampered(tamper: Tamper): SessionResult {
  const observed = structuredClone(reference.observed);
  tamper((kind) => {
    const found = [...observed.values()].find(({ request }) => request.kind === kind);
    if (found === undefined) throw new Error(`There is no request of the kind ${kind}`);
    return found;
  });
  return {
    database: reference.database,
    errors: [],
    observed,
    traces: () => reference.traces(),
    received: reference.received,
  };
}

const own = ({ views }: Observations): NonNullable<ReturnType<Observations['views']['get']>> => views.get('own') ?? [];

test('the check finds no problem in a session without kills', async () => {
  expect(await checkSession(reference)).toEqual([]);
});

test.each<{ violation: string; tamper: Tamper; problem: string }>([
  {
    violation: 'a subscriber misses an event',
    tamper: (observed) => own(observed('sleep')).splice(2, 1),
    problem: 'received event 4 instead of 3',
  },
  {
    violation: 'a subscriber receives an event twice',
    tamper: (observed) => own(observed('sleep')).push(...own(observed('sleep')).slice(-1)),
    problem: 'received event',
  },
  {
    violation: 'a subscriber receives an event that differs from the log',
    tamper: (observed) => own(observed('ask')).splice(1, 1, { number: 2, body: '{}' }),
    problem: 'which is another event',
  },
  {
    violation: 'a subscriber misses the last event',
    tamper: (observed) => own(observed('steps')).pop(),
    problem: 'that its client never received',
  },
  {
    violation: 'an acknowledged task is lost',
    tamper: (observed) => observed('fail').taskIds.clear(),
    problem: 'is lost',
  },
  {
    violation: 'a request creates two tasks',
    tamper: (observed) => observed('fail').taskIds.add('another'),
    problem: 'became several tasks',
  },
  {
    violation: 'a task never ends',
    tamper: (observed) => (observed('turns').hasEnded = false),
    problem: 'never ended',
  },
  {
    violation: 'an accepted message is lost',
    tamper: (observed) => observed('inbox').accepted.add('m'),
    problem: 'has lost the messages m',
  },
  {
    violation: 'a task changes after its end',
    tamper: (observed) => {
      const { seen } = observed('cancel while sleeping');
      const last = seen.at(-1);
      if (last !== undefined) seen.push({ ...last, artifacts: [] });
    },
    problem: 'has changed after its end',
  },
  {
    violation: 'a client receives a status that is not in any event',
    tamper: (observed) => {
      const { seen } = observed('ask');
      const last = seen.at(-1);
      if (last !== undefined) seen.push({ ...last, status: { state: 'TASK_STATE_FAILED' } });
    },
    problem: 'which is not in any event',
  },
  {
    violation: 'an open question changes',
    tamper: (observed) => {
      const { unanswered } = observed('ask');
      const last = unanswered.at(-1);
      if (last !== undefined) unanswered.push({ ...last, status: { state: 'TASK_STATE_WORKING' } });
    },
    problem: 'had an open question which became',
  },
  {
    violation: 'a canceled task ends in another state',
    tamper: (observed) => (observed('ask').isCanceled = true),
    problem: 'was canceled',
  },
  {
    violation: 'a repeated request gets another reply',
    tamper: (observed) => {
      const { replies } = observed('reply');
      const [first] = replies;
      if (first !== undefined) replies.push({ ...first, messageId: 'another' });
    },
    problem: 'got two different replies',
  },
])('the check finds that $violation', async ({ tamper, problem }) => {
  const problems = await checkSession(tampered(tamper));

  expect(problems).toContainEqual(expect.stringContaining(problem));
});

test.each([
  { violation: 'a recorded step runs again', add: (step: string) => [`run ${step} 12 1`], problem: 'ran again' },
  {
    violation: 'a process that was suspended runs another recorded step after the interrupted one',
    add: (step: string) => ['woken 1', 'run x#1 12 1', `run ${step} 12 1`],
    problem: 'ran again',
  },
  {
    violation: 'a process runs a recorded step although another process was suspended',
    add: (step: string) => ['woken 2', `run ${step} 12 1`],
    problem: 'ran again',
  },
  {
    violation: 'the result of a late repeat of a step is recorded',
    add: (step: string) => ['woken 1', `run ${step} 12 1`, `recorded ${step} 12 1`],
    problem: 'is recorded twice',
  },
  { violation: 'a step is recorded that never ran', add: () => ['recorded t:0:x#1 12 1'], problem: 'never ran' },
  {
    violation: 'a step is recorded with a value that it never had',
    add: () => ['run t:0:x#1 12 1', 'recorded t:0:x#1 13 1'],
    problem: 'never ran',
  },
])('the check finds that $violation', async ({ add, problem }) => {
  const traces = reference.traces();
  const step = traces.find((line) => line.startsWith('recorded '))?.split(' ')[1] ?? '';
  const problems = await checkSession({ ...tampered(() => {}), traces: () => [...traces, ...add(step)] });

  expect(problems).toContainEqual(expect.stringContaining(problem));
});

test.each([
  { sql: 'DELETE FROM event WHERE pk = (SELECT max(pk) FROM event)', problem: 'events, not' },
  { sql: `UPDATE event SET number = number + 1000 WHERE number > 2`, problem: 'has events with a gap' },
  { sql: `UPDATE task SET visible = 0 WHERE pk = 1`, problem: 'is lost' },
  { sql: `UPDATE message SET body = replace(body, '/first', '/second')`, problem: 'has a message twice' },
])('the check finds that the store was changed by $sql', async ({ sql, problem }) => {
  const copy = join(folder, `copy-${Math.random()}`);
  mkdirSync(copy);
  cpSync(reference.database, join(copy, 'tasks.db'));
  const database = loadDriver()(join(copy, 'tasks.db'));
  database.exec(sql);
  database.close();
  const problems = await checkSession({ ...tampered(() => {}), database: join(copy, 'tasks.db') });

  expect(problems).toContainEqual(expect.stringContaining(problem));
});

test(
  'the check finds that acknowledged tasks are missing after a restore of the database',
  async () => {
    const session = open('restored');
    const before = join(folder, 'before');
    await session.runProcess({ begin: KINDS.length });
    cpSync(dirname(session.database), before, { recursive: true });
    await session.runProcess({ begin: KINDS.length });
    cpSync(before, dirname(session.database), { recursive: true });
    await session.runProcess({ finish: true });

    expect(await checkSession(session)).toContainEqual(expect.stringContaining('is lost'));
  },
  TIMEOUT_MS,
);

test.each<{ violation: string; tamper: (received: ArrivedPush[]) => void; problem: string }>([
  { violation: 'one is lost', tamper: (received) => received.splice(1, 1), problem: 'got event 3 after 1' },
  { violation: 'the last ones are lost', tamper: (received) => received.splice(2), problem: 'got 2 events, but' },
  {
    violation: 'two arrive in the wrong order',
    tamper: (received) => received.splice(0, 2, ...received.slice(0, 2).toReversed()),
    problem: 'got event 2 after 0',
  },
  {
    violation: 'the first arrives again at the end',
    tamper: (received) => received.push(first(received)),
    problem: 'got event 1 after',
  },
  {
    violation: 'one has another body',
    tamper: (received) => change(received, 1, { body: '{}' }),
    problem: 'got another body for event 2',
  },
  {
    violation: 'one arrives twice with different ids',
    tamper: (received) => received.splice(1, 0, { ...first(received), id: 'another' }),
    problem: 'got event 1 twice, with different ids',
  },
  {
    violation: 'two have the same id',
    tamper: (received) => change(received, 1, { id: first(received).id }),
    problem: 'got two events with the same id',
  },
])('the check of push notifications finds that $violation', async ({ tamper, problem }) => {
  const pushed = [...reference.observed.values()].find(({ request, taskIds }) => request.isPushed && taskIds.size > 0);
  const taskId = [...(pushed?.taskIds ?? [])][0];
  const received = reference.received.filter((message) => message.taskId === taskId);
  tamper(received);
  const others = reference.received.filter((message) => message.taskId !== taskId);

  const problems = await checkSession({ ...tampered(() => {}), received: [...others, ...received] });

  expect(problems).toContainEqual(expect.stringContaining(problem));
});

test('the check accepts a repeated push notification that arrived late', async () => {
  const pushed = [...reference.observed.values()].find(({ request, taskIds }) => request.isPushed && taskIds.size > 0);
  const early = first(reference.received.filter(({ taskId }) => pushed?.taskIds.has(taskId)));
  const late = { ...early, arrivedAt: early.sentAt + 1000 };

  expect(await checkSession({ ...tampered(() => {}), received: [...reference.received, late] })).toEqual([]);
});

function first([message]: readonly ArrivedPush[]): ArrivedPush {
  if (message === undefined) throw new Error('No push notification has arrived');
  return message;
}

function change(received: ArrivedPush[], index: number, to: Partial<ArrivedPush>): void {
  received.splice(index, 1, { ...first(received.slice(index)), ...to });
}
