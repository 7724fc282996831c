/** A small store of another kind, written with what `tandem-a2a/store` exports: all data is one JSON file, saved with each write. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

import type * as port from '../../src/store/index.ts';
import {
  appendToTask,
  boundedPage,
  byDueTime,
  bySuspicion,
  CallShares,
  claimedBy,
  createTask,
  deletePushConfig,
  dropTaskForReply,
  fairnessKeyOf,
  isOwnedBy,
  notifyWatchers,
  PushShares,
  putPushConfig,
  receiverOf,
  removeEnded,
  removeOwned,
  rotationOf,
  RoundRobin,
  statusTime,
  suspectsOf,
  visibleTo,
  withoutOpenCall,
} from '../../src/store/index.ts';

import {
  type Call,
  type Clock,
  type Data,
  type Delivery,
  deliveryOf,
  isSame,
  type Message,
  type Task,
  Unit,
} from './json-unit.ts';

/** A store in one JSON file, for one process. */
export class JsonStore implements port.Store {
  readonly path: string;
  readonly #clock: Clock;
  readonly #unit: Unit;
  readonly #watchers = new Set<port.WatchListener>();

  constructor(path: string, clock: Clock) {
    this.path = path;
    this.#clock = clock;
    const none: Data = { created: 0, tasks: {}, requests: [], letters: [], calls: [], positions: {} };
    this.#unit = new Unit(existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Data) : none, clock);
  }

  /** Runs a write and saves the file. A rule that throws has changed nothing. */
  #write<T>(write: (unit: Unit) => T): T {
    const result = write(this.#unit);
    writeFileSync(`${this.path}.new`, JSON.stringify(this.#unit.data));
    renameSync(`${this.path}.new`, this.path);
    return result;
  }

  async create(task: port.NewTask): Promise<port.Created> {
    const created = this.#write((unit) => createTask(unit, task));
    if (created.kind === 'created') notifyWatchers(this.#watchers, task.id, task.node);
    return created;
  }

  async append(write: port.TaskWrite): Promise<port.Appended> {
    const appended = this.#write((unit) => appendToTask(unit, write));
    if (appended.kind === 'appended') notifyWatchers(this.#watchers, write.taskId, write.by);
    return appended;
  }

  async dropForReply(taskId: string, lease: port.Lease, reply: Message): Promise<boolean> {
    const isDropped = this.#write((unit) => dropTaskForReply(unit, taskId, lease, reply));
    if (isDropped) notifyWatchers(this.#watchers, taskId, lease.node);
    return isDropped;
  }

  async read(scope: port.Scope, taskId: string, parts: port.ReadParts = {}): Promise<port.StoredTask | undefined> {
    const task = this.#unit.find(taskId);
    return task !== undefined && isOwnedBy(scope, task.record) ? partsOf(task, parts) : undefined;
  }

  async resolveAlias(scope: port.Scope, alias: string): Promise<string | undefined> {
    return this.#unit.findAlias(scope, alias);
  }

  async list(scope: port.Scope, query: port.TaskQuery): Promise<port.TaskPage> {
    const { agents, contextId, states, statusSince = -Infinity, after, limit, pageBytes } = query;
    const matching = this.#unit.all().filter((task) => {
      const { record } = task;
      if (visibleTo(scope, task) === undefined || agents?.includes(record.agent) === false) return false;
      if (contextId !== undefined && contextId !== record.contextId) return false;
      return states?.includes(record.status.state) !== false && statusTime(record) >= statusSince;
    });
    const rest = matching.sort(latestFirst).filter(({ record }) => {
      if (after === undefined) return true;
      const time = statusTime(record);
      return time < after.statusTime || (time === after.statusTime && record.id < after.id);
    });
    return boundedPage(rest.slice(0, limit), matching.length, pageBytes, (task) => partsOf(task, query));
  }

  async events(taskId: string, after: number, limit: number): Promise<readonly port.TaskEvent[]> {
    const events = this.#unit.find(taskId)?.events ?? [];
    return events.filter(({ number }) => number > after).slice(0, limit);
  }

  async journal(taskId: string, after = 0): Promise<readonly port.JournalRecord[]> {
    return (this.#unit.find(taskId)?.journal ?? []).filter(({ number }) => number > after);
  }

  async putPushConfig(
    scope: port.Scope,
    taskId: string,
    config: port.PushConfigRecord,
    max: number,
  ): Promise<port.PushConfigPut | undefined> {
    return this.#write((unit) => putPushConfig(unit, scope, taskId, config, max));
  }

  async pushConfigs(
    scope: port.Scope,
    taskId: string,
    { id, limit, after }: port.PushConfigQuery,
  ): Promise<readonly port.PushConfigRecord[] | undefined> {
    const task = visibleTo(scope, this.#unit.find(taskId));
    const configs = task?.deliveries.map(({ config }) => config);
    const start = configs?.findIndex((config) => config.id === after) ?? -1;
    const page = configs?.slice(start + 1).filter((config) => id === undefined || config.id === id);
    return page && structuredClone(page.slice(0, limit));
  }

  async deletePushConfig(scope: port.Scope, taskId: string, id: string): Promise<boolean | undefined> {
    return this.#write((unit) => deletePushConfig(unit, scope, taskId, id));
  }

  async claimPushes(request: port.PushClaimRequest): Promise<readonly port.ClaimedPush[]> {
    const now = this.#clock.now();
    const due = this.#freePushes(request.agents, request.node).filter(({ delivery }) => (delivery.dueAt ?? now) <= now);
    const chosen: typeof due = [];
    new PushShares(request).takeFrom(due, holdingOf, chosen);
    return this.#write(() =>
      chosen.map(({ task, delivery }) => {
        delivery.node = request.node;
        const { fence, config, progress } = Object.assign(delivery, { fence: delivery.fence + 1 });
        return { ...holdingOf({ task, delivery }), config: structuredClone(config), fence, ...progress };
      }),
    );
  }

  async nextPush(agents: readonly string[]): Promise<number | undefined> {
    return this.#freePushes(agents)[0]?.delivery.dueAt;
  }

  async notePush(report: port.PushReport): Promise<port.PushNoted | undefined> {
    const { node, fence, told, attempts, failingSince, givenUp, dueAt, disabled, deadLetter } = report;
    const task = this.#unit.find(report.taskId);
    const delivery = task && deliveryOf(task, report.configId);
    if (task === undefined || delivery === undefined || delivery.node !== node || delivery.fence !== fence)
      return undefined;
    return this.#write(({ data }) => {
      delivery.progress = { told, attempts, givenUp, ...(failingSince !== undefined && { failingSince }) };
      if (deadLetter !== undefined) {
        const of = { taskId: report.taskId, configId: report.configId };
        data.letters = [...data.letters.filter(({ id }) => id !== deadLetter.id), { ...deadLetter, of }];
      }
      if (dueAt !== undefined || disabled !== undefined) {
        delivery.node = undefined;
        delivery.disabled = disabled;
        delivery.dueAt = disabled === undefined && told < task.record.lastEvent ? dueAt : undefined;
      }
      return delivery.dueAt === undefined ? {} : { dueAt: delivery.dueAt };
    });
  }

  async resumePush({ taskId, configId }: port.PushConfigName): Promise<boolean> {
    const task = this.#unit.find(taskId);
    const delivery = task && deliveryOf(task, configId);
    if (task !== undefined && delivery !== undefined && delivery.node === undefined)
      this.#write((unit) => unit.beginAnew(task, delivery));
    return delivery !== undefined;
  }

  async deadLetters(query: port.DeadLetterQuery): Promise<readonly port.DeadLetterRecord[]> {
    const { letters } = this.#unit.data;
    const start = letters.findIndex(({ id }) => id === query.after);
    const found = letters.slice(start + 1).flatMap(({ of, ...letter }): port.DeadLetterRecord[] => {
      const task = this.#unit.find(of.taskId);
      const delivery = task && deliveryOf(task, of.configId);
      if (task === undefined || delivery === undefined || !query.agents.includes(task.record.agent)) return [];
      if (query.id !== undefined && query.id !== letter.id) return [];
      if (query.of !== undefined && (query.of.taskId !== of.taskId || query.of.configId !== of.configId)) return [];
      const { config, disabled } = delivery;
      const held = { ...letter, ...holdingOf({ task, delivery }), config: structuredClone(config) };
      return [disabled === undefined ? held : { ...held, disabled }];
    });
    return found.slice(0, Math.max(0, query.limit));
  }

  async dropDeadLetter(id: string): Promise<boolean> {
    const place = this.#unit.data.letters.findIndex((letter) => letter.id === id);
    if (place >= 0) this.#write(({ data }) => data.letters.splice(place, 1));
    return place >= 0;
  }

  async claimCalls(request: port.CallClaimRequest): Promise<readonly port.ClaimedCall[]> {
    const { node, agents } = request;
    return this.#write((unit) => {
      const now = this.#clock.now();
      const held = new Set(request.held.map(({ id }) => id));
      for (const call of unit.data.calls) {
        const isLost = call.node === node && !held.has(call.id);
        if (call.node !== undefined && (isLost || !unit.isAlive(call.node))) releaseCall(call, now);
      }
      const due = this.#dueCalls(agents).filter((call) => (call.due ?? 0) <= now);
      const chosen: Call[] = [];
      new CallShares(request).takeFrom(due, (call) => this.#callRecord(call), chosen);
      return chosen.map((call) => {
        Object.assign(call, { node, due: undefined, fence: call.fence + 1 });
        return { ...this.#callRecord(call), fence: call.fence };
      });
    });
  }

  async nextCall(agents: readonly string[]): Promise<number | undefined> {
    const { data } = this.#unit;
    const isLost = data.calls.some(
      (call) =>
        call.node !== undefined && !this.#unit.isAlive(call.node) && agents.includes(this.#callRecord(call).agent),
    );
    const next = this.#dueCalls(agents)[0]?.due;
    return isLost ? Math.min(this.#clock.now(), next ?? Infinity) : next;
  }

  async noteCall(report: port.CallReport): Promise<port.CallRecord | undefined> {
    const { callId, node, fence, progress, dueAt, remove, failed } = report;
    const call = this.#unit.data.calls.find(({ id }) => id === callId);
    if (call === undefined || call.node !== node || call.fence !== fence) return undefined;
    return this.#write((unit) => {
      if (progress !== undefined) call.progress = progress;
      if (dueAt !== undefined) releaseCall(call, dueAt ?? undefined);
      if (remove === true || failed !== undefined) {
        Object.assign(call, { failed, node: undefined, due: undefined });
        const task = unit.find(call.taskId);
        if (task !== undefined) task.record = withoutOpenCall(task.record);
      }
      const noted = this.#callRecord(call);
      if (remove === true) unit.data.calls.splice(unit.data.calls.indexOf(call), 1);
      return noted;
    });
  }

  async listCalls(query: port.CallQuery): Promise<readonly port.CallRecord[]> {
    const { id, taskId, agents, hasFailed, after = '', limit } = query;
    const found = this.#unit.data.calls
      .map((call) => this.#callRecord(call))
      .filter((call) => {
        if ((id !== undefined && call.id !== id) || (taskId !== undefined && call.taskId !== taskId)) return false;
        if (hasFailed !== undefined && hasFailed !== (call.failed !== undefined)) return false;
        return agents?.includes(call.agent) !== false && call.id > after;
      });
    return found.sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit);
  }

  async countCalls(scope: port.Scope): Promise<number> {
    const open = this.#unit.data.calls.filter(({ failed }) => failed === undefined);
    return open.filter((call) => isSame(scope, this.#callRecord(call))).length;
  }

  async claim(request: port.ClaimRequest): Promise<readonly port.TaskRecord[]> {
    return this.#write((unit) => {
      const now = this.#clock.now();
      freeTasksOfDeadNodes(unit, now);
      return chosenTasks(unit, request, now).map((task) => (task.record = claimedBy(request.node, task.record)));
    });
  }

  async nextWake(agents: readonly string[], after = -Infinity): Promise<number | undefined> {
    const times = this.#unit.all().flatMap(({ record: { agent, node, wakeAt } }) => {
      const isNext = wakeAt !== undefined && wakeAt > after && agents.includes(agent) && !this.#unit.isAlive(node);
      return isNext ? [wakeAt] : [];
    });
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async heartbeat(node: string, ttlMs: number): Promise<void> {
    this.#unit.nodes.set(node, this.#clock.now() + ttlMs);
  }

  async retire(node: string): Promise<void> {
    this.#unit.nodes.delete(node);
  }

  async prune(policy: port.RetentionPolicy): Promise<number> {
    const all = this.#unit.all().filter(({ record }) => record.endedAt !== undefined);
    const surplus = all.length - policy.keepEnded;
    const ended = all.filter(({ record: { openCalls, callId } }) => {
      return openCalls === undefined && (callId === undefined || !this.#unit.isCallOpen(callId));
    });
    ended.sort((a, b) => endOf(a) - endOf(b));
    const gone = ended.filter((task, i) => i < surplus || endOf(task) < policy.endedBefore).slice(0, policy.limit);
    return this.#write((unit) => {
      for (const { record } of gone) removeEnded(unit, record.id);
      for (const task of ended) {
        const isPending = task.deliveries.some(({ dueAt }) => dueAt !== undefined);
        if (endOf(task) < policy.eventsEndedBefore && !isPending) task.events = [];
      }
      const { data } = unit;
      data.requests = data.requests.filter(({ hasTask, keepUntil }) => hasTask || keepUntil >= this.#clock.now());
      data.letters = data.letters.slice(Math.max(0, data.letters.length - (policy.keepDeadLetters ?? Infinity)));
      return gone.length;
    });
  }

  async purge(scope: port.Scope, limit: number): Promise<port.Purged> {
    const own = this.#unit.all().filter(({ record }) => isOwnedBy(scope, record));
    const removed = this.#write((unit) => {
      let count = 0;
      for (const { record } of own) {
        if (count >= limit) break;
        if (removeOwned(unit, record.id)) count += 1;
      }
      const { data } = unit;
      if (count < limit) data.requests = data.requests.filter((one) => one.hasTask || !isSame(scope, one));
      return count;
    });
    for (const { record } of own) {
      if (this.#unit.find(record.id) === undefined) notifyWatchers(this.#watchers, record.id);
    }
    return { found: removed, removed };
  }

  async unfinished(scope: port.Scope, limit: number): Promise<port.UnfinishedTasks> {
    const open = this.#unit.all().filter(({ record }) => isOwnedBy(scope, record) && record.endedAt === undefined);
    return { taskIds: open.slice(0, limit).map(({ record }) => record.id), total: open.length };
  }

  watch(listener: port.WatchListener): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  async close(): Promise<void> {
    this.#watchers.clear();
  }

  /** The calls that are due now or later and that no node holds, the longest due first. */
  #dueCalls(agents: readonly string[]): readonly Call[] {
    const due = this.#unit.data.calls.filter((call) => call.due !== undefined && call.node === undefined);
    return due
      .filter((call) => agents.includes(this.#callRecord(call).agent))
      .sort((a, b) => (a.due ?? 0) - (b.due ?? 0));
  }

  #callRecord({ id, taskId, request, progress, createdAt, due, failed }: Call): port.CallRecord {
    const { tenant, owner, agent } = this.#unit.data.tasks[taskId]?.record ?? { tenant: '', owner: '', agent: '' };
    const record = { id, taskId, tenant, owner, agent, request, progress, createdAt };
    return { ...record, ...(due !== undefined && { dueAt: due }), ...(failed !== undefined && { failed }) };
  }

  /** The due and future deliveries that no living node holds, or that `self` holds, the longest due first. */
  #freePushes(
    agents: readonly string[],
    self?: string,
  ): readonly { readonly task: Task; readonly delivery: Delivery }[] {
    const all = this.#unit.all().filter(({ record }) => agents.includes(record.agent));
    const free = all.flatMap((task) =>
      task.deliveries
        .filter(({ dueAt, node }) => dueAt !== undefined && (node === self || !this.#unit.isAlive(node)))
        .map((delivery) => ({ task, delivery })),
    );
    return free.sort((a, b) => (a.delivery.dueAt ?? 0) - (b.delivery.dueAt ?? 0));
  }
}

/** Releases a lease. The call is due at the given time, or earlier if it has become due meanwhile. */
function releaseCall(call: Call, dueAt: number | undefined): void {
  call.node = undefined;
  call.due = dueAt === undefined ? call.due : Math.min(call.due ?? Infinity, dueAt);
}

/** The tasks of a claim, the longest due first. */
function chosenTasks(unit: Unit, request: port.ClaimRequest, now: number): readonly Task[] {
  const agents = [...new Set(request.agents)];
  const due = unit.all().flatMap((task) => {
    const { agent, node, wakeAt = Infinity, attempts } = task.record;
    if (wakeAt > now || !agents.includes(agent) || unit.isAlive(node)) return [];
    return [{ key: fairnessKeyOf(task.record), wakeAt, order: task.order, attempts, task }];
  });
  if (request.taskId !== undefined) {
    const own = due.filter(({ task }) => task.record.id === request.taskId);
    return own.slice(0, Math.max(0, request.limit)).map(({ task }) => task);
  }
  const robin = new RoundRobin(request);
  const suspects = due.filter(({ task }) => task.record.suspectMs !== undefined).sort(bySuspicion);
  const given = robin.give(suspects, request.suspects ?? Infinity);
  const others = due.filter((one) => !suspects.includes(one));
  const { positions } = unit.data;
  const rotations = agents.map((agent) => {
    const ofAgent = others.filter(({ task }) => task.record.agent === agent);
    return rotationOf(agent, ofAgent, Object.hasOwn(positions, agent) ? positions[agent] : undefined);
  });
  const chosen = robin.choose(rotations);
  if (chosen.tasks.length < others.length) Object.assign(positions, Object.fromEntries(chosen.positions));
  return [...given, ...chosen.tasks].sort(byDueTime).map(({ task }) => task);
}

function freeTasksOfDeadNodes(unit: Unit, now: number): void {
  const held = unit.all().filter(({ record: { wakeAt, node } }) => wakeAt !== undefined && node !== undefined);
  const dead = new Set(held.flatMap(({ record: { node } }) => (node === undefined || unit.isAlive(node) ? [] : node)));
  for (const node of dead) {
    const tasks = held.filter(({ record }) => record.node === node);
    const suspects = suspectsOf(
      tasks.map(({ record }) => record),
      now,
    );
    for (const [i, task] of tasks.entries()) task.record = suspects[i] ?? task.record;
  }
}

function partsOf({ record, history, events, snapshot }: Task, parts: port.ReadParts): port.StoredTask {
  const last = parts.history === 0 ? [] : history.slice(-(parts.history ?? history.length));
  let bytes = 0;
  let start = last.length;
  while (start > 0 && (bytes += JSON.stringify(last[start - 1]).length) <= (parts.historyBytes ?? Infinity)) start -= 1;
  const tail = events.filter(({ kind, number }) => kind === 'artifact' && number > (snapshot?.upTo ?? 0));
  return {
    record,
    history: last.slice(start),
    ...(start > 0 && { omitted: start }),
    ...(parts.artifacts === true && {
      artifacts: snapshot === undefined ? { tail } : { snapshot: snapshot.text, tail },
    }),
  };
}

function holdingOf({ task, delivery }: { readonly task: Task; readonly delivery: Delivery }): port.PushHolding {
  const { id, tenant, owner } = task.record;
  return { taskId: id, configId: delivery.config.id, tenant, owner, receiver: receiverOf(delivery.config) };
}

function endOf({ record }: Task): number {
  return record.endedAt ?? Infinity;
}

function latestFirst({ record: a }: Task, { record: b }: Task): number {
  return statusTime(b) - statusTime(a) || (a.id < b.id ? 1 : -1);
}
