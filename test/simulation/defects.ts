import type { Appended, Store, TaskWrite } from '../../src/store/store.ts';
import type { Defect } from './simulate.ts';
import type { World } from './world.ts';

/** An engine or a store with a deliberate defect, and the violation that must be reported for it. */
export interface NamedDefect extends Defect {
  readonly name: string;
  readonly found: RegExp;
}

/** Changes what the engines write. */
function writing(change: (write: TaskWrite, world: World) => TaskWrite): NonNullable<Defect['engine']> {
  return (store, world) => ({ ...store, append: (write) => store.append(change(write, world)) });
}

/** Changes the result of a write. */
function appending(
  append: (store: Store, write: TaskWrite, world: World) => Promise<Appended>,
): NonNullable<Defect['engine']> {
  return (store, world) => ({ ...bound(store), append: (write) => append(store, write, world) });
}

export const ENGINE_DEFECTS: readonly NamedDefect[] = [
  {
    name: 'ends tasks without checking whether they are being canceled',
    engine: writing((write) => {
      const { canceling: _, ...guard } = write.guard;
      return guard.lease === undefined ? write : { ...write, guard };
    }),
    found: /intent to cancel/,
  },
  {
    name: 'does not send its lease',
    engine: writing(({ guard: { lease: _, ...guard }, ...write }) => ({ ...write, guard })),
    found: /holder of the lease|the node that ends a task/,
  },
  {
    name: 'does not check whether the question is still open',
    engine: writing(({ guard: { question: _, ...guard }, ...write }) => ({ ...write, guard })),
    found: /question|history/,
  },
  {
    name: 'keeps the lease of a suspended task',
    engine: writing(({ release: _, ...write }) => write),
    found: /left unfinished/,
  },
  {
    name: 'does not wake a task that was answered',
    engine: writing((write) => (write.question === null ? { ...write, wakeAt: Number.MAX_SAFE_INTEGER } : write)),
    found: /left unfinished/,
  },
  {
    name: 'does not record its steps',
    engine: writing(({ journal = [], ...write }) => ({
      ...write,
      journal: journal.filter(({ kind }) => kind !== 'step'),
    })),
    found: /step .* not stored|runs again/,
  },
  {
    name: 'does not store idempotency keys',
    engine: (store) => ({
      ...store,
      create: ({ idempotency: _, ...task }) => store.create(task),
      append: ({ idempotency: _, ...write }) => store.append(write),
    }),
    found: /enters the history twice|created two tasks/,
  },
  {
    name: 'stores empty snapshots',
    engine: writing((write) => (write.artifacts === undefined ? write : { ...write, artifacts: '[]' })),
    found: /snapshot is the fold/,
  },
  {
    name: 'numbers events wrongly after other nodes have written',
    engine: appending(async (store, write) => {
      const result = await store.append(write);
      const isOwn = write.guard.lease !== undefined;
      return result.kind === 'appended' && !isOwn ? { ...result, firstEvent: result.firstEvent + 1 } : result;
    }),
    found: /after|publishes/,
  },
  {
    name: 'publishes events before they are stored',
    engine: (store, world) => {
      const known = new Map<string, Extract<Appended, { kind: 'appended' }>>();
      return {
        ...store,
        append: async (write) => {
          const last = known.get(write.taskId);
          const stored = store.append(write);
          const hopes = last !== undefined && write.endedAt === undefined && write.release !== true;
          if (hopes && write.guard.lease !== undefined && world.random.chance(0.3)) {
            stored.catch(() => {});
            const lastEvent = last.record.lastEvent + (write.events?.length ?? 0);
            const record = { ...last.record, ...(write.status !== undefined && { status: write.status }), lastEvent };
            return { kind: 'appended', record, firstEvent: last.record.lastEvent + 1 };
          }
          const result = await stored;
          if (result.kind === 'appended') known.set(write.taskId, result);
          return result;
        },
      };
    },
    found: /before it is stored|not stored|never had|after|another event/,
  },
  {
    name: 'takes a rejected write for a stored one',
    engine: appending(async (store, write) => {
      const result = await store.append(write);
      if (result.kind !== 'rejected' || result.record === undefined) return result;
      const record = { ...result.record, ...(write.status !== undefined && { status: write.status }) };
      return { kind: 'appended', record, firstEvent: record.lastEvent + 1 };
    }),
    found: /before it is stored|not stored|never had|left unfinished|acknowledged|returns|does not wait|after|another/,
  },
];

export const STORE_DEFECTS: readonly NamedDefect[] = [
  {
    name: 'lets nodes write after they have lost their lease',
    store: (store) => ({
      ...bound(store),
      append: ({ guard: { lease: _, ...guard }, ...write }) => store.append({ ...write, guard }),
    }),
    // Without the lease the store also does not know that the run writes.
    found: /must be rejected, was appended|suspect must be/,
  },
  {
    name: 'leases a task to two nodes',
    store: (store, world) => ({
      ...bound(store),
      claim: async (request) => {
        const records = await store.claim(request);
        return records.map((record) => (world.random.chance(0.2) ? { ...record, fence: record.fence - 1 } : record));
      },
    }),
    found: /fence must be/,
  },
  {
    name: 'loses a task now and then',
    store: (store, world) => ({
      ...bound(store),
      read: async (scope, taskId, parts) => (world.random.chance(0.02) ? undefined : store.read(scope, taskId, parts)),
    }),
    found: /is lost/,
  },
  {
    name: 'stores a part of a write',
    store: (store, world) => ({
      ...bound(store),
      append: ({ events = [], ...write }) =>
        store.append({ ...write, events: world.random.chance(0.1) ? events.slice(0, -1) : events }),
    }),
    found: /lastEvent must be/,
  },
];

/** The methods of a store, which can be spread into a new object. */
export function bound(store: Store): Store {
  return {
    create: (task) => store.create(task),
    append: (write) => store.append(write),
    dropForReply: (taskId, lease, reply) => store.dropForReply(taskId, lease, reply),
    read: (scope, taskId, parts) => store.read(scope, taskId, parts),
    resolveAlias: (scope, alias) => store.resolveAlias(scope, alias),
    list: (scope, query) => store.list(scope, query),
    events: (taskId, after, limit) => store.events(taskId, after, limit),
    journal: (taskId) => store.journal(taskId),
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
