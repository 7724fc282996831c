import { A2AError } from '../errors.ts';
import { isName } from '../support/name.ts';
import type { Store, TaskPage, TaskWrite } from './store.ts';

/**
 * Keeps names from a store that a database could confuse with others: it ends a text at NUL, and stores all unpaired surrogates as
 * the same character. A write with such a name is rejected with `INVALID_PARAMS`. So the name is never stored, and all other calls
 * respond as if they had searched for it. Stores that keep all texts distinct need no such checks.
 */
export function withNameChecks(store: Store): Store {
  const allTasks = store.allTasks?.bind(store);
  const readTexts = store.readTexts?.bind(store);
  const listTexts = store.listTexts?.bind(store);
  return {
    ...(store.isVolatile !== undefined && { isVolatile: store.isVolatile }),
    ...(store.ready && { ready: store.ready.bind(store) }),
    ...(store.now && { now: store.now.bind(store) }),
    ...(store.takeTokens && { takeTokens: store.takeTokens.bind(store) }),
    ...(allTasks && {
      allTasks: (query) => (areNames(query.taskId, query.agent, query.after) ? allTasks(query) : none()),
    }),
    ...(readTexts && {
      readTexts: (scope, taskId, parts) =>
        areNames(scope.tenant, scope.owner, taskId) ? readTexts(scope, taskId, parts) : nothing(),
    }),
    ...(listTexts && {
      listTexts: (scope, query) =>
        areNames(scope.tenant, scope.owner, query.contextId) ? listTexts(scope, query) : emptyPage(),
    }),
    create(task, accepted) {
      const { id, tenant, owner, contextId, agent, fairnessKey, node, alias, idempotency, pushConfig, callId } = task;
      const key = idempotency?.key;
      return areNames(id, tenant, owner, contextId, agent, fairnessKey, node, alias, key, pushConfig?.id, callId)
        ? store.create(task, accepted)
        : refused();
    },
    append(write) {
      const { calls = [], idempotency, pushConfig } = write;
      if (!areNames(idempotency?.key, pushConfig?.record.id, ...calls.map(({ id }) => id))) return refused();
      if (!isName(write.taskId)) return Promise.resolve({ kind: 'rejected' });
      return store.append(areNames(write.guard.call, write.endsCall) ? write : withoutOddCalls(write));
    },
    dropForReply: (taskId, lease, reply) =>
      isName(taskId) ? store.dropForReply(taskId, lease, reply) : Promise.resolve(false),
    read: (scope, taskId, parts) =>
      areNames(scope.tenant, scope.owner, taskId) ? store.read(scope, taskId, parts) : nothing(),
    resolveAlias: (scope, alias) =>
      areNames(scope.tenant, scope.owner, alias) ? store.resolveAlias(scope, alias) : nothing(),
    list: (scope, query) =>
      areNames(scope.tenant, scope.owner, query.contextId) ? store.list(scope, query) : emptyPage(),
    events: (taskId, after, limit) => (isName(taskId) ? store.events(taskId, after, limit) : none()),
    journal: (taskId, after) => (isName(taskId) ? store.journal(taskId, after) : none()),
    putPushConfig(scope, taskId, config, max) {
      if (!isName(config.id)) return refused();
      return areNames(scope.tenant, scope.owner, taskId) ? store.putPushConfig(scope, taskId, config, max) : nothing();
    },
    pushConfigs(scope, taskId, query) {
      if (!areNames(scope.tenant, scope.owner, taskId)) return nothing();
      // The result still depends on whether the task is visible.
      return store.pushConfigs(scope, taskId, areNames(query.id) ? query : { limit: 0 });
    },
    async deletePushConfig(scope, taskId, id) {
      if (!areNames(scope.tenant, scope.owner, taskId)) return undefined;
      if (isName(id)) return store.deletePushConfig(scope, taskId, id);
      return (await store.pushConfigs(scope, taskId, { limit: 0 })) && false;
    },
    claimPushes: (request) => (isName(request.node) ? store.claimPushes(request) : refused()),
    nextPush: (agents) => store.nextPush(agents),
    notePush(report) {
      if (!areNames(report.deadLetter?.id)) return refused();
      return areNames(report.taskId, report.configId, report.node) ? store.notePush(report) : nothing();
    },
    resumePush: (name) => (areNames(name.taskId, name.configId) ? store.resumePush(name) : Promise.resolve(false)),
    deadLetters: (query) =>
      areNames(query.id, query.of?.taskId, query.of?.configId) ? store.deadLetters(query) : none(),
    dropDeadLetter: (id) => (isName(id) ? store.dropDeadLetter(id) : Promise.resolve(false)),
    claimCalls: (request) => (isName(request.node) ? store.claimCalls(request) : refused()),
    nextCall: (agents) => store.nextCall(agents),
    noteCall: (report) => (areNames(report.callId, report.node) ? store.noteCall(report) : nothing()),
    listCalls: (query) => (areNames(query.id, query.taskId, query.after) ? store.listCalls(query) : none()),
    countCalls: (scope) => (areNames(scope.tenant, scope.owner) ? store.countCalls(scope) : Promise.resolve(0)),
    claim(request) {
      if (!isName(request.node)) return refused();
      return areNames(request.taskId) ? store.claim(request) : none();
    },
    nextWake: (agents, after) => store.nextWake(agents, after),
    heartbeat: (node, ttlMs) => (isName(node) ? store.heartbeat(node, ttlMs) : refused()),
    retire: (node) => (isName(node) ? store.retire(node) : Promise.resolve()),
    prune: (policy) => store.prune(policy),
    purge: (scope, limit) =>
      areNames(scope.tenant, scope.owner) ? store.purge(scope, limit) : Promise.resolve({ found: 0, removed: 0 }),
    unfinished: (scope, limit) =>
      areNames(scope.tenant, scope.owner) ? store.unfinished(scope, limit) : Promise.resolve({ taskIds: [], total: 0 }),
    watch: (listener) => store.watch(listener),
    close: () => store.close(),
  };
}

/** No call has such a name: a guard with it does not hold, and it ends no call. */
function withoutOddCalls({ endsCall, ...write }: TaskWrite): TaskWrite {
  const { call, ...guard } = write.guard;
  return {
    ...write,
    ...(areNames(call) ? {} : { guard: { ...guard, states: [] } }),
    ...(endsCall !== undefined && isName(endsCall) && { endsCall }),
  };
}

function areNames(...names: readonly (string | undefined)[]): boolean {
  return names.every((name) => typeof name !== 'string' || isName(name));
}

/** Stores the names that a call may not contain. */
function refused(): Promise<never> {
  return Promise.reject(new A2AError('INVALID_PARAMS', 'Names must not contain NUL or unpaired surrogates'));
}

function nothing(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function emptyPage(): Promise<TaskPage> {
  return Promise.resolve({ tasks: [], total: 0 });
}

function none(): Promise<readonly never[]> {
  return Promise.resolve([]);
}
