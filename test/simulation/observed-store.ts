import type { Store } from '../../src/store/store.ts';
import type { ExpectedStore } from './expected-store.ts';
import type { World } from './world.ts';

/** A store that reports every operation to the expected store at the moment at which it happens. */
export function observedStore(store: Store, expectedStore: ExpectedStore, world: World): Store {
  return {
    async create(task) {
      const result = await store.create(task);
      world.note(
        () => `  create ${task.id} ${task.agent} ${text(task.message.parts)} for ${task.node} → ${result.kind}`,
      );
      expectedStore.created(task, result);
      return result;
    },
    async append(write) {
      const result = await store.append(write);
      world.note(() => `  append ${text({ ...write, artifacts: undefined })} → ${result.kind}`);
      expectedStore.appended(write, result);
      return result;
    },
    async dropForReply(taskId, lease, reply) {
      const isDropped = await store.dropForReply(taskId, lease, reply);
      world.note(() => `  drop ${taskId} → ${isDropped}`);
      expectedStore.dropped(taskId, lease, reply, isDropped);
      return isDropped;
    },
    async read(scope, taskId, parts) {
      const stored = await store.read(scope, taskId, parts);
      expectedStore.read(taskId, stored);
      return stored;
    },
    async claim(request) {
      const records = await store.claim(request);
      for (const record of records)
        world.note(() => `  claim ${record.id} for ${request.node}, fence ${record.fence}, attempt ${record.attempts}`);
      expectedStore.claimed(request.node, records);
      return records;
    },
    async heartbeat(node, ttlMs) {
      await store.heartbeat(node, ttlMs);
      expectedStore.lives(node, ttlMs);
    },
    async retire(node) {
      await store.retire(node);
      world.note(() => `  retire ${node}`);
      expectedStore.lives(node, 0);
    },
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
    nextWake: (agents, after) => store.nextWake(agents, after),
    prune: (policy) => store.prune(policy),
    purge: (scope, limit) => store.purge(scope, limit),
    unfinished: (scope, limit) => store.unfinished(scope, limit),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}

function text(value: unknown): string {
  return JSON.stringify(value);
}
