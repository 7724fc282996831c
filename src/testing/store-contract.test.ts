import { expect, test } from 'vitest';

import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { storeContract, type StoreContractOptions } from './store-contract.ts';

type Registered = readonly (readonly [name: string, run: () => Promise<void>])[];

function register(options: Omit<StoreContractOptions, 'test'>): Registered {
  const registered: (readonly [string, () => Promise<void>])[] = [];
  storeContract({ ...options, test: (name, run) => registered.push([name, run]) });
  return registered;
}

/** A store that does some things its own way. */
function altered(store: Store, changes: Partial<Store>): Store {
  return { ...bound(store), ...changes };
}

function bound(store: Store): Store {
  return {
    create: (task) => store.create(task),
    append: (write) => store.append(write),
    dropForReply: (taskId, lease, reply) => store.dropForReply(taskId, lease, reply),
    read: (scope, taskId, parts) => store.read(scope, taskId, parts),
    resolveAlias: (scope, alias) => store.resolveAlias(scope, alias),
    list: (scope, query) => store.list(scope, query),
    events: (taskId, after, limit) => store.events(taskId, after, limit),
    journal: (taskId, after) => store.journal(taskId, after),
    putPushConfig: (scope, taskId, config, max) => store.putPushConfig(scope, taskId, config, max),
    pushConfigs: (scope, taskId, query) => store.pushConfigs(scope, taskId, query),
    deletePushConfig: (scope, taskId, id) => store.deletePushConfig(scope, taskId, id),
    claimPushes: (request) => store.claimPushes(request),
    nextPush: (agents) => store.nextPush(agents),
    notePush: (report) => store.notePush(report),
    resumePush: (name) => store.resumePush(name),
    deadLetters: (query) => store.deadLetters(query),
    dropDeadLetter: (id) => store.dropDeadLetter(id),
    claimCalls: (request) => store.claimCalls(request),
    nextCall: (agents) => store.nextCall(agents),
    noteCall: (report) => store.noteCall(report),
    listCalls: (query) => store.listCalls(query),
    countCalls: (scope) => store.countCalls(scope),
    claim: (request) => store.claim(request),
    nextWake: (agents, after) => store.nextWake(agents, after),
    heartbeat: (node, ttlMs) => store.heartbeat(node, ttlMs),
    retire: (node) => store.retire(node),
    prune: (policy) => store.prune(policy),
    purge: (scope, limit) => store.purge(scope, limit),
    unfinished: (scope, limit) => store.unfinished(scope, limit),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}

async function firstFailure(registered: Registered): Promise<string | undefined> {
  for (const [name, run] of registered) {
    const holds = await run().then(
      () => true,
      () => false,
    );
    if (!holds) return name;
  }
  return undefined;
}

test('the contract accepts a correct store', async () => {
  expect(await firstFailure(register({ open: ({ clock }) => bound(memoryStore({ clock })) }))).toBeUndefined();
});

test.each<[string, (store: Store) => Partial<Store>]>([
  ['ignores guards', (store) => ({ append: (write) => store.append({ ...write, guard: {} }) })],
  ['forgets keys', (store) => ({ create: ({ idempotency: _, ...task }) => store.create(task) })],
  [
    'shows provisional tasks',
    (store) => ({ create: (task) => store.create({ event: { kind: 'task', body: '{}' }, ...task }) }),
  ],
  [
    'returns the size of the page as the total',
    (store) => ({
      list: async (scope, query) => {
        const page = await store.list(scope, query);
        return { ...page, total: page.tasks.length };
      },
    }),
  ],
  [
    'lists the tasks of all agents',
    (store) => ({ list: (scope, { agents: _, ...query }) => store.list(scope, query) }),
  ],
  [
    'starts each page from the beginning',
    (store) => ({ list: (scope, { after: _, ...query }) => store.list(scope, query) }),
  ],
  [
    'repeats an event at the boundary of two reads',
    (store) => ({
      events: (taskId, after, limit) => store.events(taskId, Math.max(0, after - 1), limit),
    }),
  ],
  [
    'counts events from the last one it read',
    (store) => ({
      async append(write) {
        const done = await store.append(write);
        return done.kind === 'appended' ? { ...done, firstEvent: done.record.lastEvent } : done;
      },
    }),
  ],
  [
    'checks now and writes later',
    (store) => ({
      async append(write) {
        const dry = await store.append({ taskId: write.taskId, guard: write.guard });
        return dry.kind === 'appended' ? store.append({ ...write, guard: {} }) : dry;
      },
    }),
  ],
  [
    'returns a lease without a new fencing number',
    (store) => ({
      claim: async (request) => (await store.claim(request)).map((task) => ({ ...task, fence: task.fence - 1 })),
    }),
  ],
  ['returns tasks of one owner only', (store) => ({ claim: ({ shares: _, ...request }) => store.claim(request) })],
  ['forgets fairness keys', (store) => ({ create: ({ fairnessKey: _, ...task }) => store.create(task) })],
  ['never expires a node', (store) => ({ heartbeat: (node) => store.heartbeat(node, Number.MAX_SAFE_INTEGER) })],
  ['ignores the retirement of a node', () => ({ retire: async () => {} })],
  ['prunes more than the policy allows', (store) => ({ prune: (policy) => store.prune({ ...policy, keepEnded: 0 }) })],
  [
    'counts push configurations now and stores them later',
    (store) => ({
      async putPushConfig(scope, taskId, config, max) {
        const known = await store.pushConfigs(scope, taskId, { limit: max });
        const isFull = known !== undefined && known.length >= max && !known.some(({ id }) => id === config.id);
        return isFull ? { kind: 'full' } : store.putPushConfig(scope, taskId, config, Infinity);
      },
    }),
  ],
  [
    'puts a push configuration that is replaced at the end',
    (store) => ({
      async putPushConfig(scope, taskId, config, max) {
        await store.deletePushConfig(scope, taskId, config.id);
        return store.putPushConfig(scope, taskId, config, max);
      },
    }),
  ],
  [
    'stores a push configuration after its task',
    (store) => ({ create: ({ pushConfig: _, ...task }) => store.create(task) }),
  ],
  [
    'lets a listener stop a write',
    (store) => {
      const listeners: ((taskId: string) => void)[] = [];
      return {
        watch(listener) {
          listeners.push(listener);
          return store.watch(listener);
        },
        async create(task) {
          const created = await store.create(task);
          for (const listener of listeners) listener(task.id);
          return created;
        },
      };
    },
  ],
])('the contract rejects a store that %s', async (_what, change) => {
  const broken = register({
    open: ({ clock }) => {
      const store = memoryStore({ clock });
      return altered(store, change(store));
    },
  });

  expect(await firstFailure(broken)).toBeDefined();
});

test('every test of the contract has a unique title', () => {
  const names = register({ open: () => memoryStore(), reopen: (closed) => closed }).map(([name]) => name);

  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(names.length).toBeGreaterThan(200);
});

test('durability is tested only for stores with the option reopen', async () => {
  const names = (list: Registered): readonly string[] => list.map(([name]) => name);
  const forAll = register({ open: ({ clock }) => memoryStore({ clock }) });
  // Closing a memory store takes nothing from it, so it can stand for its own successor.
  const forDurable = register({ open: ({ clock }) => memoryStore({ clock }), reopen: (closed) => closed });
  const extra = forDurable.filter(([name]) => !names(forAll).includes(name));

  expect(names(extra)).toContain('all stored data is there when the store is opened again');
  expect(await firstFailure(extra)).toBeUndefined();
});

test('the contract rejects a store that is empty when it is opened again', async () => {
  const forgetful = register({
    open: ({ clock }) => memoryStore({ clock }),
    reopen: (_closed, { clock }) => memoryStore({ clock }),
  });

  expect(await firstFailure(forgetful)).toBe('all stored data is there when the store is opened again');
});

test('the contract closes every store that it opened, also after a failure', async () => {
  let opened = 0;
  let closed = 0;
  const registered = register({
    open: ({ clock }) => {
      opened += 1;
      const store = memoryStore({ clock });
      return altered(store, {
        retire: () => Promise.reject(new Error('broken')),
        close: async () => void (closed += 1),
      });
    },
  });
  const results = await Promise.allSettled(registered.map(([, run]) => run()));

  expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  expect([opened, closed]).toEqual([registered.length, registered.length]);
});
