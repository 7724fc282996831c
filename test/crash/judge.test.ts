/** The crash tests are worth what their judge sees: here everything is made wrong, one by one. */
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { ArrivedPush } from './errand.ts';
import { judge } from './judge.ts';
import { KINDS, type Kind } from './programs.ts';
import type { Findings, Known, Session } from './session.ts';
import { sessions, TIMEOUT_MS } from './sessions.ts';

const { folder, open } = sessions();
let honest: Session;

beforeAll(async () => {
  honest = open('honest');
  await honest.live({ begin: 2 * KINDS.length, maxSuspended: 3 });
  await honest.live({ finish: true });
}, TIMEOUT_MS);

type Tamper = (known: (kind: Kind) => Known) => void;

/** The findings of the honest session after somebody has had a hand in them. */
function tampered(tamper: Tamper): Findings {
  const known = structuredClone(honest.known);
  tamper((kind) => {
    const found = [...known.values()].find(({ operationCall }) => operationCall.kind === kind);
    if (found === undefined) throw new Error(`There is no errand ${kind}`);
    return found;
  });
  return { database: honest.database, troubles: [], known, traces: () => honest.traces(), received: honest.received };
}

const own = ({ views }: Known): NonNullable<ReturnType<Known['views']['get']>> => views.get('own') ?? [];

test('an honest session is found in order', async () => {
  expect(await judge(honest)).toEqual([]);
});

test.each<{ what: string; tamper: Tamper; says: string }>([
  { what: 'an event is missed', tamper: (known) => own(known('sleep')).splice(2, 1), says: 'saw event 4 instead of 3' },
  {
    what: 'an event is seen twice',
    tamper: (known) => own(known('sleep')).push(...own(known('sleep')).slice(-1)),
    says: 'saw event',
  },
  {
    what: 'an event that was seen is another one',
    tamper: (known) => own(known('ask')).splice(1, 1, { number: 2, body: '{}' }),
    says: 'which is another event',
  },
  { what: 'the end is not seen', tamper: (known) => own(known('steps')).pop(), says: 'that its client never saw' },
  {
    what: 'a task is gone',
    tamper: (known) => known('fail').taskIds.clear(),
    says: 'is lost',
  },
  {
    what: 'a request has become two tasks',
    tamper: (known) => known('fail').taskIds.add('another'),
    says: 'became several tasks',
  },
  { what: 'a task never ends', tamper: (known) => (known('turns').hasEnded = false), says: 'never came to its end' },
  {
    what: 'an accepted message is gone',
    tamper: (known) => known('inbox').accepted.add('m'),
    says: 'has lost m',
  },
  {
    what: 'a terminal state changes',
    tamper: (known) => {
      const { seen } = known('cancel asleep');
      const last = seen.at(-1);
      if (last !== undefined) seen.push({ ...last, artifacts: [] });
    },
    says: 'has changed after its end',
  },
  {
    what: 'a status is seen that no event tells of',
    tamper: (known) => {
      const { seen } = known('ask');
      const last = seen.at(-1);
      if (last !== undefined) seen.push({ ...last, status: { state: 'TASK_STATE_FAILED' } });
    },
    says: 'of which no event tells',
  },
  {
    what: 'an open question changes',
    tamper: (known) => {
      const { held } = known('ask');
      const last = held.at(-1);
      if (last !== undefined) held.push({ ...last, status: { state: 'TASK_STATE_WORKING' } });
    },
    says: 'had an open question which became',
  },
  { what: 'a canceled task ends otherwise', tamper: (known) => (known('ask').isCanceled = true), says: 'was canceled' },
  {
    what: 'a reply is another one for a repeat',
    tamper: (known) => {
      const { replies } = known('reply');
      const [first] = replies;
      if (first !== undefined) replies.push({ ...first, messageId: 'another' });
    },
    says: 'was answered twice',
  },
])('the judge sees that $what', async ({ tamper, says }) => {
  const problems = await judge(tampered(tamper));

  expect(problems).toContainEqual(expect.stringContaining(says));
});

test.each([
  { what: 'a recorded step ran again', add: (step: string) => [`run ${step} 12 1`], says: 'ran again' },
  {
    what: 'a process that was stopped ran more than the step that it was in',
    add: (step: string) => ['woken 1', 'run x#1 12 1', `run ${step} 12 1`],
    says: 'ran again',
  },
  {
    what: 'a process ran a recorded step when another was stopped',
    add: (step: string) => ['woken 2', `run ${step} 12 1`],
    says: 'ran again',
  },
  {
    what: 'what came of a step that was late was recorded',
    add: (step: string) => ['woken 1', `run ${step} 12 1`, `recorded ${step} 12 1`],
    says: 'is recorded twice',
  },
  { what: 'a step was recorded that never ran', add: () => ['recorded t:0:x#1 12 1'], says: 'never ran' },
  {
    what: 'a step was recorded with another value',
    add: () => ['run t:0:x#1 12 1', 'recorded t:0:x#1 13 1'],
    says: 'never ran',
  },
])('the judge sees that $what', async ({ add, says }) => {
  const traces = honest.traces();
  const step = traces.find((line) => line.startsWith('recorded '))?.split(' ')[1] ?? '';
  const problems = await judge({ ...tampered(() => {}), traces: () => [...traces, ...add(step)] });

  expect(problems).toContainEqual(expect.stringContaining(says));
});

test.each([
  { sql: 'DELETE FROM event WHERE pk = (SELECT max(pk) FROM event)', says: 'events, not' },
  { sql: `UPDATE event SET number = number + 1000 WHERE number > 2`, says: 'has events with a gap' },
  { sql: `UPDATE task SET visible = 0 WHERE pk = 1`, says: 'is lost' },
  { sql: `UPDATE message SET body = replace(body, '/first', '/second')`, says: 'has a message twice' },
])('the judge sees a store with $sql', async ({ sql, says }) => {
  const copy = join(folder, `copy-${Math.random()}`);
  mkdirSync(copy);
  cpSync(honest.database, join(copy, 'tasks.db'));
  const database = loadDriver()(join(copy, 'tasks.db'));
  database.exec(sql);
  database.close();
  const problems = await judge({ ...tampered(() => {}), database: join(copy, 'tasks.db') });

  expect(problems).toContainEqual(expect.stringContaining(says));
});

test(
  'the judge sees a disk that has forgotten what was acknowledged',
  async () => {
    const session = open('forgetful');
    const before = join(folder, 'before');
    await session.live({ begin: KINDS.length });
    cpSync(dirname(session.database), before, { recursive: true });
    await session.live({ begin: KINDS.length });
    cpSync(before, dirname(session.database), { recursive: true });
    await session.live({ finish: true });

    expect(await judge(session)).toContainEqual(expect.stringContaining('is lost'));
  },
  TIMEOUT_MS,
);

test.each<{ what: string; tamper: (received: ArrivedPush[]) => void; says: string }>([
  { what: 'one does not arrive', tamper: (received) => received.splice(1, 1), says: 'was told of event 3 after 1' },
  { what: 'the last ones do not arrive', tamper: (received) => received.splice(2), says: 'was told of 2 events, but' },
  {
    what: 'two change places',
    tamper: (received) => received.splice(0, 2, ...received.slice(0, 2).toReversed()),
    says: 'was told of event 2 after 0',
  },
  {
    what: 'one comes again at the end',
    tamper: (received) => received.push(first(received)),
    says: 'was told of event 1 after',
  },
  {
    what: 'one says something else',
    tamper: (received) => change(received, 1, { body: '{}' }),
    says: 'was told another event 2',
  },
  {
    what: 'one comes twice, under two names',
    tamper: (received) => received.splice(1, 0, { ...first(received), id: 'another' }),
    says: 'was told twice of event 1, as of two',
  },
  {
    what: 'two have one name',
    tamper: (received) => change(received, 1, { id: first(received).id }),
    says: 'was told of two events under one id',
  },
])('of push notifications it is seen that $what', async ({ tamper, says }) => {
  const pushed = [...honest.known.values()].find(
    ({ operationCall, taskIds }) => operationCall.isPushed && taskIds.size > 0,
  );
  const taskId = [...(pushed?.taskIds ?? [])][0];
  const received = honest.received.filter((message) => message.taskId === taskId);
  tamper(received);
  const others = honest.received.filter((message) => message.taskId !== taskId);

  const problems = await judge({ ...tampered(() => {}), received: [...others, ...received] });

  expect(problems).toContainEqual(expect.stringContaining(says));
});

test('a push notification that comes again because it was long on its way is no problem', async () => {
  const pushed = [...honest.known.values()].find(
    ({ operationCall, taskIds }) => operationCall.isPushed && taskIds.size > 0,
  );
  const early = first(honest.received.filter(({ taskId }) => pushed?.taskIds.has(taskId)));
  const late = { ...early, arrivedAt: early.sentAt + 1000 };

  expect(await judge({ ...tampered(() => {}), received: [...honest.received, late] })).toEqual([]);
});

function first([message]: readonly ArrivedPush[]): ArrivedPush {
  if (message === undefined) throw new Error('Nothing has arrived');
  return message;
}

function change(received: ArrivedPush[], index: number, to: Partial<ArrivedPush>): void {
  received.splice(index, 1, { ...first(received.slice(index)), ...to });
}
