import { deepEqual, equal } from 'node:assert/strict';

import type { TaskState } from '../../model/state.ts';
import { memoryStore } from '../../store/memory/store.ts';
import type {
  ClaimRequest,
  Guard,
  JournalEntry,
  NewTask,
  PushConfigToPut,
  Scope,
  Store,
  TaskQuery,
} from '../../store/store.ts';
import type { FakeClock } from '../fake-clock.ts';
import { type Behaviours, Subject } from './subject.ts';
import {
  type Change,
  entry,
  event,
  HOUR,
  key,
  message,
  newTask,
  outlinedEntry,
  pushConfig,
  START,
  status,
  times,
  TTL,
} from './samples.ts';
import { assertTexts } from './texts.ts';

const SCOPES: readonly Scope[] = [
  { tenant: 'acme', owner: 'alice' },
  { tenant: 'acme', owner: 'bob' },
  { tenant: 'globex', owner: 'alice' },
];
const STATES: readonly TaskState[] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_CANCELED',
];
const OPEN: readonly TaskState[] = ['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'];
const NODES = ['node-a', 'node-b', 'node-c'];
const TASKS = 20;
const CALLS = 600;
/** The number of calls that run concurrently. */
const MOST_AT_ONCE = 12;
const LATEST = 4;

/** Covers cases that no list foresees: each call of a long random history must return what the reference store returns. */
export const randomCalls: Behaviours = Object.fromEntries(
  times(6).flatMap((seed): [string, Behaviours[string]][] => [
    [
      `${CALLS} random calls return what the memory store returns (seed ${seed})`,
      async (t) => {
        const { store, clock } = t;
        const reference = memoryStore({ clock });
        const dice = new Dice(seed);
        for (const number of times(CALLS)) {
          const [what, call] = nextCall(dice, clock, number);
          const expected = await call(reference);
          deepEqual(await call(store), expected, `call ${number}, ${what}, differs from the reference`);
        }
        await areAlike(t, reference, times(TASKS).map(idOf));
      },
    ],
    [
      `${CALLS} random writes, many of them concurrent, return what the memory store returns (seed ${seed})`,
      async (t) => {
        const { store, clock } = t;
        const reference = memoryStore({ clock });
        const dice = new Dice(seed);
        const ids: string[] = [];
        for (let first = 0, size = 0; first < CALLS; first += size) {
          size = 1 + dice.below(MOST_AT_ONCE);
          const start = first;
          const batch = times(size).map((i) => nextWrite(dice, clock, start + i, ids));
          const whats = batch.map(([what]) => what).join('; ');
          const expected = await Promise.all(batch.map(([, call]) => call(reference)));
          deepEqual(await Promise.all(batch.map(([, call]) => call(store))), expected, whats);
          if (dice.below(4) === 0) clock.advance(dice.below(TTL / 2));
        }
        await areAlike(t, reference, ids);
      },
    ],
  ]),
);

/** Checks that all reads of both stores return the same. */
async function areAlike(t: Subject, reference: Store, ids: readonly string[]): Promise<void> {
  const { store, clock } = t;
  const expected = new Subject(reference, clock);
  for (const id of ids) {
    for (const scope of SCOPES) {
      deepEqual(await t.everythingOf(id, scope), await expected.everythingOf(id, scope), id);
      await assertTexts(t, id, scope);
      const all = { limit: 10 };
      deepEqual(await store.pushConfigs(scope, id, all), await reference.pushConfigs(scope, id, all), id);
    }
  }
  const calls = { limit: 1000 };
  deepEqual(await store.listCalls(calls), await reference.listCalls(calls));
  const letters = { agents: ['translator', 'painter'], limit: 1000 };
  deepEqual(await store.deadLetters(letters), await reference.deadLetters(letters));
  for (const scope of SCOPES) {
    deepEqual(await store.list(scope, { limit: 100 }), await reference.list(scope, { limit: 100 }));
    equal(await store.countCalls(scope), await reference.countCalls(scope));
  }
}

type Call = (store: Store) => Promise<unknown>;

function nextCall(dice: Dice, clock: FakeClock, number: number): readonly [string, Call] {
  const taskId = idOf(dice.below(TASKS));
  const scope = dice.pick(SCOPES);
  const node = dice.pick(NODES);
  const roll = dice.below(148);
  if (roll >= 124) return peerCall(dice, clock, taskId, number);
  if (roll >= 112) return outboxCall(dice, clock, taskId, number);
  if (roll >= 100) return pushCall(dice, scope, taskId, number);
  if (roll < 20) {
    const task = randomTask(dice, scope, number);
    // Conflicts of ids are not tested here.
    return ['create', async (store) => (await isKnown(store, task.id)) || store.create(task)];
  }
  if (roll < 60) {
    const write = { taskId, guard: randomGuard(dice, number), ...randomChange(dice, clock.now(), number) };
    return [`append ${JSON.stringify(write)}`, (store) => store.append(write)];
  }
  if (roll < 64) {
    const lease = { node, fence: 1 };
    return ['dropForReply', (store) => store.dropForReply(taskId, lease, message(`reply ${number}`))];
  }
  if (roll < 72) {
    const query = randomQuery(dice);
    return [`list ${JSON.stringify(query)}`, (store) => store.list(scope, query)];
  }
  if (roll < 76) return ['resolveAlias', (store) => store.resolveAlias(scope, `alias-${number % 5}`)];
  if (roll < 84) {
    const agents = dice.pick([['translator'], ['painter'], ['translator', 'painter']]);
    const request = { node, agents, limit: 1 + dice.below(3), ...(number % 4 === 0 && { taskId }) };
    if (number % 4 !== 1) return ['claim', (store) => store.claim(request)];
    const shared = { ...request, agents: agents.slice(0, 1), shares: randomShares(dice) };
    return [`claim ${JSON.stringify(shared)}`, (store) => store.claim(shared)];
  }
  if (roll < 87) {
    const after = dice.pick([undefined, clock.now()]);
    return ['nextWake', (store) => store.nextWake(['painter'], after)];
  }
  if (roll < 92) return ['heartbeat', (store) => store.heartbeat(node, TTL)];
  if (roll < 93) return ['retire', (store) => store.retire(node)];
  if (roll < 95) {
    const ended = clock.now() - dice.below(TTL);
    const policy = { endedBefore: ended, keepEnded: dice.below(8), eventsEndedBefore: ended + HOUR, limit: 1000 };
    return ['prune', (store) => store.prune(policy)];
  }
  clock.advance(dice.below(TTL / 2));
  return ['read', (store) => store.read(scope, taskId, { history: dice.seed % 4, artifacts: true })];
}

/**
 * A random change of a task. Changes are applied in the order of the calls, awaited or not. They target the latest tasks, so that they
 * affect each other. Adds the id of a created task to the list.
 */
function nextWrite(dice: Dice, clock: FakeClock, number: number, ids: string[]): readonly [string, Call] {
  const taskId = dice.pick(ids.slice(-LATEST)) ?? 'nobody';
  const roll = dice.below(10);
  if (roll < 3) {
    // One node holds them all, so that many can be dropped.
    const task = { ...randomTask(dice, dice.pick(SCOPES), number), id: `made-${number}`, node: 'node-a' };
    ids.push(task.id);
    return [`create ${JSON.stringify(task)}`, (store) => store.create(task)];
  }
  if (roll < 5) {
    const lease = { node: 'node-a', fence: 1 };
    return [`dropForReply ${taskId}`, (store) => store.dropForReply(taskId, lease, message(`reply ${number}`))];
  }
  const write = { taskId, guard: randomGuard(dice, number), ...randomChange(dice, clock.now(), number) };
  return [`append ${JSON.stringify(write)}`, (store) => store.append(write)];
}

function pushCall(dice: Dice, scope: Scope, taskId: string, number: number): readonly [string, Call] {
  const config = pushConfig(`config-${dice.below(4)}`, { createdAt: START + number });
  const roll = dice.below(12);
  if (roll < 7) return ['putPushConfig', (store) => store.putPushConfig(scope, taskId, config, 3)];
  if (roll < 9) return ['deletePushConfig', (store) => store.deletePushConfig(scope, taskId, config.id)];
  const query = { limit: 1 + dice.below(4), ...(dice.below(2) === 0 && { after: config.id }) };
  return ['pushConfigs', (store) => store.pushConfigs(scope, taskId, query)];
}

function outboxCall(dice: Dice, clock: FakeClock, taskId: string, number: number): readonly [string, Call] {
  const node = dice.pick(NODES);
  const roll = dice.below(10);
  if (roll < 4) {
    const shares = { limit: 3, perReceiver: 1 + dice.below(3), perOwner: 1 + dice.below(3) };
    const request = { node, agents: ['translator', 'painter'], ...shares, held: [] };
    return ['claimPushes', (store) => store.claimPushes(request)];
  }
  if (roll < 5) return ['nextPush', (store) => store.nextPush(['painter'])];
  const name = { taskId, configId: `config-${dice.below(4)}` };
  if (roll < 6) return ['resumePush', (store) => store.resumePush(name)];
  const told = dice.below(6);
  const event = { number: told, kind: 'status', body: '{}' } as const;
  const deadLetter = { id: `letter ${number}`, event, reason: 'no', attempts: 1, time: number };
  const report = {
    ...name,
    node,
    fence: 1 + dice.below(3),
    told,
    attempts: dice.below(3),
    givenUp: dice.below(3),
    ...(dice.below(2) === 0 && { failingSince: number }),
    ...(dice.below(3) > 0 && { dueAt: clock.now() + dice.below(TTL) }),
    ...(dice.below(8) === 0 && { disabled: 'enough' }),
    ...(dice.below(3) === 0 && { deadLetter }),
  };
  return [`notePush ${JSON.stringify(report)}`, (store) => store.notePush(report)];
}

/** An operation on calls between agents. */
function peerCall(dice: Dice, clock: FakeClock, taskId: string, number: number): readonly [string, Call] {
  const node = dice.pick(NODES);
  const agents = dice.pick([['translator'], ['painter'], ['translator', 'painter']]);
  const id = callIdOf(number, dice);
  const roll = dice.below(12);
  if (roll < 4) {
    const held = times(dice.below(3)).map((i) => ({ id: callIdOf(number - i, dice), ...dice.pick(SCOPES) }));
    const request = { node, agents, limit: 1 + dice.below(4), perOwner: 1 + dice.below(3), held };
    return [`claimCalls ${JSON.stringify(request)}`, (store) => store.claimCalls(request)];
  }
  if (roll < 5) return ['nextCall', (store) => store.nextCall(agents)];
  const scope = dice.pick(SCOPES);
  if (roll < 6) return ['countCalls', (store) => store.countCalls(scope)];
  if (roll < 8) {
    const query = {
      limit: 1 + dice.below(4),
      ...(dice.below(4) === 0 && { id }),
      ...(dice.below(3) === 0 && { taskId }),
      ...(dice.below(3) === 0 && { agents }),
      ...(dice.below(3) === 0 && { hasFailed: dice.below(2) === 0 }),
      ...(dice.below(2) === 0 && { after: id }),
    };
    return [`listCalls ${JSON.stringify(query)}`, (store) => store.listCalls(query)];
  }
  const dueAt = dice.pick([undefined, null, clock.now() + dice.below(TTL)]);
  const outcome = dice.pick([{}, {}, {}, { remove: true as const }, { failed: `no ${number}` }]);
  const report = {
    node,
    ...(dice.below(2) === 0 && { progress: { number } }),
    ...(dueAt !== undefined && { dueAt }),
    ...outcome,
  };
  const which = dice.below(1000);
  return [
    `noteCall ${JSON.stringify(report)}`,
    // A random name would nearly never be that of a held call.
    async (store) => {
      const known = await store.listCalls({ limit: 1000, hasFailed: false });
      const callId = known[which % Math.max(1, known.length)]?.id ?? id;
      return Promise.all([1, 2, 3].map((fence) => store.noteCall({ ...report, callId, fence })));
    },
  ];
}

/** The id of a call that one of the latest writes may have added. */
function callIdOf(number: number, dice: Dice): string {
  return `call-${number - dice.below(40)}`;
}

function idOf(i: number): string {
  return `task-${i}`;
}

async function isKnown(store: Store, id: string): Promise<boolean> {
  const found = await Promise.all(SCOPES.map((scope) => store.read(scope, id)));
  return found.some((task) => task !== undefined);
}

function randomShares(dice: Dice): NonNullable<ClaimRequest['shares']> {
  const keys = ['alice', 'bob', 'key-0'].filter(() => dice.below(2) === 0);
  const running = new Map(keys.map((key) => [key, 1 + dice.below(2)]));
  return { running, openSlots: dice.below(3), ...(dice.below(2) === 0 && { perKey: 1 + dice.below(3) }) };
}

/** Wake-up and end times differ in their last three digits, because the order of equal times is not specified. */
function randomTask(dice: Dice, scope: Scope, number: number): NewTask {
  const { event: _, ...task } = newTask(idOf(dice.below(TASKS)), {
    ...scope,
    contextId: `context-${dice.below(3)}`,
    agent: dice.pick(['translator', 'painter']),
    ...(dice.below(4) === 0 && { fairnessKey: `key-${dice.below(2)}` }),
    status: status('TASK_STATE_SUBMITTED', START + dice.below(5)),
    wakeAt: START + number,
    ...(dice.below(3) === 0 && { node: dice.pick(NODES) }),
    ...(dice.below(3) === 0 && { alias: `alias-${dice.below(5)}` }),
    ...(dice.below(3) === 0 && { idempotency: randomKey(dice) }),
    ...(dice.below(4) === 0 && { pushConfig: pushConfig(`config-${dice.below(4)}`) }),
    ...(dice.below(3) === 0 && { callId: callIdOf(number, dice) }),
  });
  return dice.below(3) === 0 ? task : { ...task, event: event(`created ${number}`, 'task') };
}

function randomKey(dice: Dice): ReturnType<typeof key> {
  return key(`key-${dice.below(12)}`, `digest-${dice.below(2)}`, START + 1000 * HOUR);
}

function randomGuard(dice: Dice, number: number): Guard {
  return {
    ...(dice.below(8) === 0 && { call: callIdOf(number, dice) }),
    ...(dice.below(12) === 0 && { lastJournal: dice.below(3) }),
    ...(dice.below(6) === 0 && { lease: { node: dice.pick(NODES), fence: 1 + dice.below(3) } }),
    ...(dice.below(6) === 0 && { states: OPEN.slice(dice.below(3)) }),
    ...(dice.below(8) === 0 && { idle: true as const }),
    ...(dice.below(8) === 0 && { question: `q-${dice.below(2)}` }),
    ...(dice.below(8) === 0 && { canceling: dice.below(2) === 0 }),
  };
}

function randomChange(dice: Dice, now: number, number: number): Change {
  const state = dice.pick(STATES);
  const ends = state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_CANCELED';
  const hasStatus = dice.below(4) === 0;
  const own = now - (now % 1000) + 1000 + number;
  return {
    ...(dice.below(2) === 0 && {
      events: times(1 + dice.below(3)).map((i) => event(`${number}.${i}`, dice.pick(['status', 'artifact']))),
    }),
    ...(dice.below(3) === 0 && { journal: times(1 + dice.below(2)).map((i) => randomEntry(dice, `${number}.${i}`)) }),
    ...(dice.below(3) === 0 && { history: times(1 + dice.below(2)).map((i) => message(`${number}.${i}`)) }),
    ...(hasStatus && { status: status(state, START + dice.below(20)) }),
    ...(hasStatus && ends && { endedAt: own, artifacts: `["end ${number}"]` }),
    ...(dice.below(2) === 0 && { keepJournal: dice.pick(['outline', 'whole'] as const) }),
    ...(dice.below(6) === 0 && { metadata: { number } }),
    ...(dice.below(4) === 0 && { visible: true as const }),
    ...(dice.below(4) === 0 && { wakeAt: dice.pick([null, START + number, own]) }),
    ...(dice.below(5) === 0 && { question: dice.pick([null, 'q-0', 'q-1']) }),
    ...(dice.below(12) === 0 && { canceling: true as const }),
    ...(dice.below(6) === 0 && { release: true as const }),
    ...(dice.below(12) === 0 && { revoke: true as const }),
    ...(dice.below(12) === 0 && { uncounted: true as const }),
    ...(dice.below(8) === 0 && !(hasStatus && ends) && { artifacts: `["${number}"]` }),
    ...(dice.below(5) === 0 && { idempotency: randomKey(dice) }),
    ...(dice.below(8) === 0 && { pushConfig: randomPut(dice, number) }),
    ...(dice.below(5) === 0 && randomCall(dice, now, number)),
    ...(dice.below(5) === 0 && { endsCall: callIdOf(number, dice) }),
    ...(dice.below(12) === 0 && { callsDue: true as const }),
  };
}

function randomEntry(dice: Dice, key: string): JournalEntry {
  return dice.below(2) === 0 ? entry(key) : outlinedEntry(key, dice.below(2) === 0);
}

/** Ids are unique, because conflicts of ids are not tested here. */
function randomCall(dice: Dice, now: number, number: number): Pick<Change, 'calls' | 'journal'> {
  const dueAt = now + dice.below(2) * dice.below(TTL);
  return { calls: [{ id: `call-${number}`, request: { number }, dueAt }], journal: [entry(`call ${number}`)] };
}

function randomPut(dice: Dice, number: number): PushConfigToPut {
  return { record: pushConfig(`config-${dice.below(4)}`, { createdAt: START + number }), max: 3 };
}

function randomQuery(dice: Dice): TaskQuery {
  return {
    limit: 1 + dice.below(8),
    ...(dice.below(3) === 0 && { contextId: `context-${dice.below(3)}` }),
    ...(dice.below(3) === 0 && { states: STATES.slice(dice.below(4)) }),
    ...(dice.below(3) === 0 && { statusSince: START + dice.below(20) }),
    ...(dice.below(3) === 0 && { after: { statusTime: START + dice.below(20), id: idOf(dice.below(TASKS)) } }),
    ...(dice.below(2) === 0 && { history: dice.below(3) }),
    ...(dice.below(2) === 0 && { artifacts: true }),
    ...(dice.below(2) === 0 && { agents: dice.pick([['translator'], ['painter'], ['translator', 'painter']]) }),
  };
}

/** A random generator that returns the same numbers for the same seed on every platform (mulberry32). */
class Dice {
  readonly seed: number;
  #state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.#state = seed;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}
