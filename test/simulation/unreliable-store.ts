import { A2AError } from '../../src/errors.ts';
import { newRecord } from '../../src/store/guard.ts';
import type { Store, TaskRecord } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import type { SimNode } from './node.ts';
import type { Random } from './random.ts';

/** How slow the network between a node and its store is, and how often it fails. */
export interface Network {
  readonly typicalMs: number;
  readonly longMs: number;
  /** The chance that a request is lost: nothing is stored. */
  readonly lost: number;
  /** The chance that the response is lost: the write is stored, but the node does not know. */
  readonly unanswered: number;
  readonly lostHints: number;
}

export const RELIABLE: Network = { typicalMs: 0.3, longMs: 2, lost: 0, unanswered: 0, lostHints: 0 };

export function randomNetwork(random: Random): Network {
  return {
    typicalMs: random.pick([0.2, 2, 10, 30]),
    longMs: random.pick([5, 50, 400]),
    lost: random.pick([0, 0, 0.01, 0.06]),
    unanswered: random.pick([0, 0, 0.01, 0.04]),
    lostHints: random.pick([0, 0.05, 0.5]),
  };
}

type Fate = 'served' | 'lost' | 'unanswered';

/** The store as one node sees it: late, out of order, unreachable at times, and silent once the node is dead. */
export function unreliableStore(
  node: SimNode,
  store: Store,
  network: () => Network,
  onLease: (record: TaskRecord) => void,
): Store {
  const { world } = node;
  const { random } = world;
  const lastWrite = new Map<string, number>();

  const fateOf = (mayGoUnanswered: boolean): Fate => {
    const { lost, unanswered } = network();
    const luck = random.next();
    if (luck < lost) return 'lost';
    return mayGoUnanswered && luck < lost + unanswered ? 'unanswered' : 'served';
  };

  function call<T>(
    name: string,
    serve: () => Promise<T>,
    options: { order?: string; mayGoUnanswered?: boolean } = {},
  ): Promise<T> {
    const answer = deferred<T>();
    if (!node.isAlive) return answer.promise;
    const { typicalMs, longMs } = network();
    const fate = fateOf(options.mayGoUnanswered ?? true);
    // A request that is under way when its node dies may still arrive.
    const outlives = random.chance(0.5);
    const backMs = random.delay(typicalMs, longMs);
    const respond = (settle: () => void): void => void node.later(world.time + backMs, settle);
    const arrive = (): void => {
      if (!node.isAlive && !outlives) return;
      if (fate === 'lost') {
        world.note(() => `${node.name} ${name} is lost`);
        respond(() => answer.reject(unavailable()));
        return;
      }
      world.note(() => `${node.name} ${name}${fate === 'served' ? '' : ' goes unanswered'}`);
      serve().then(
        (value) => respond(() => (fate === 'served' ? answer.resolve(value) : answer.reject(unavailable()))),
        (error: unknown) => respond(() => answer.reject(error)),
      );
    };
    let time = world.time + random.delay(typicalMs, longMs);
    if (options.order !== undefined) {
      // Writes to one task are stored in the order of the calls.
      time = Math.max(time, lastWrite.get(options.order) ?? 0);
      lastWrite.set(options.order, time);
    }
    world.at(time, arrive);
    return answer.promise;
  }

  return {
    create: async (task, accepted) => {
      const answer = call('create', () => store.create(task), { order: task.id });
      // A task without a key or alias can only fail to arrive, so the store may accept it early.
      const isSure = task.idempotency === undefined && task.alias === undefined;
      if (accepted !== undefined && node.isAlive && isSure && random.chance(0.5)) {
        const record = newRecord(task);
        onLease(record);
        accepted(record);
      }
      const result = await answer;
      if (result.kind === 'created' && task.node !== undefined) onLease(result.record);
      return result;
    },
    append: (write) => call('append', () => store.append(write), { order: write.taskId }),
    dropForReply: (taskId, lease, reply) =>
      call('dropForReply', () => store.dropForReply(taskId, lease, reply), { order: taskId }),
    read: (scope, taskId, parts) => call(`read ${taskId}`, () => store.read(scope, taskId, parts)),
    resolveAlias: (scope, alias) => call('resolveAlias', () => store.resolveAlias(scope, alias)),
    list: (scope, query) => call('list', () => store.list(scope, query)),
    events: (taskId, after, limit) => call(`events ${taskId}`, () => store.events(taskId, after, limit)),
    journal: (taskId) => call(`journal ${taskId}`, () => store.journal(taskId)),
    putPushConfig: (scope, taskId, config, max) =>
      call('putPushConfig', () => store.putPushConfig(scope, taskId, config, max), { order: taskId }),
    pushConfigs: (scope, taskId, query) => call('pushConfigs', () => store.pushConfigs(scope, taskId, query)),
    deletePushConfig: (scope, taskId, id) =>
      call('deletePushConfig', () => store.deletePushConfig(scope, taskId, id), { order: taskId }),
    claimPushes: (request) => call('claimPushes', () => store.claimPushes(request)),
    nextPush: (agents) => call('nextPush', () => store.nextPush(agents)),
    notePush: (report) => call('notePush', () => store.notePush(report)),
    resumePush: (name) => call('resumePush', () => store.resumePush(name)),
    deadLetters: (query) => call('deadLetters', () => store.deadLetters(query)),
    dropDeadLetter: (id) => call('dropDeadLetter', () => store.dropDeadLetter(id)),
    claimCalls: (request) => call('claimCalls', () => store.claimCalls(request)),
    nextCall: (agents) => call('nextCall', () => store.nextCall(agents)),
    noteCall: (report) => call('noteCall', () => store.noteCall(report)),
    listCalls: (query) => call('listCalls', () => store.listCalls(query)),
    countCalls: (scope) => call('countCalls', () => store.countCalls(scope)),
    claim: async (request) => {
      const records = await call('claim', () => store.claim(request), { mayGoUnanswered: false });
      records.forEach(onLease);
      return records;
    },
    nextWake: (agents, after) => call('nextWake', () => store.nextWake(agents, after)),
    heartbeat: (name, ttlMs) => call('heartbeat', () => store.heartbeat(name, ttlMs)),
    retire: (name) => call('retire', () => store.retire(name)),
    prune: (policy) => call('prune', () => store.prune(policy)),
    purge: (scope, limit) => call('purge', () => store.purge(scope, limit)),
    unfinished: (scope, limit) => call('unfinished', () => store.unfinished(scope, limit)),
    watch: (listener) =>
      store.watch((...hint) => {
        const { lostHints, typicalMs } = network();
        if (random.chance(lostHints)) return;
        const times = random.chance(0.1) ? 2 : 1;
        for (let i = 0; i < times; i++) node.later(world.time + random.delay(typicalMs, 100), () => listener(...hint));
      }),
    close: async () => {},
  };
}

function unavailable(): A2AError {
  return new A2AError('UNAVAILABLE', 'The store cannot be reached');
}
