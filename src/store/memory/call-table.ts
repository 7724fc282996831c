import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import type { Clock } from '../../support/time/clock.ts';
import type { Writable } from '../../support/writable.ts';
import { CallShares } from '../call-shares.ts';
import { ownerKey } from '../push-shares.ts';
import type {
  CallClaimRequest,
  CallQuery,
  CallRecord,
  CallReport,
  ClaimedCall,
  HeldCall,
  NewCall,
  Scope,
  TaskRecord,
} from '../store.ts';
import { SortedList } from './sorted-list.ts';

/** A task that calls. */
interface Caller {
  readonly record: TaskRecord;
  /** The approximate size of its calls. */
  callBytes: number;
}

/** A stored call with its lease. */
interface CallEntry<R extends Caller> {
  readonly row: R;
  readonly id: string;
  /** The position among all added calls. */
  readonly order: number;
  readonly request: JsonObject;
  readonly createdAt: number;
  progress: JsonObject;
  dueAt: number | undefined;
  node: string | undefined;
  fence: number;
  failed: string | undefined;
  /** Whether it is in the list of due calls. Set only by `CallTable`. */
  isListed: boolean;
  /** Ended tasks that stay until the call is no longer open. */
  keeps: R[];
}

/** The measured memory of a call besides its content. */
const CALL_BYTES = 512;

/** The calls of all tasks. */
export class CallTable<R extends Caller> {
  readonly #clock: Clock;
  readonly #isAlive: (node: string | undefined) => boolean;
  readonly #byId = new Map<string, CallEntry<R>>();
  /** By the id of the task. */
  readonly #byTask = new Map<string, Set<CallEntry<R>>>();
  /** The calls that are due now or later and that no node holds. */
  readonly #due = new SortedList<CallEntry<R>, CallEntry<R>>(inOrder);
  readonly #held = new Set<CallEntry<R>>();
  /** The number of open calls by owner. */
  readonly #open = new Map<string, number>();
  #added = 0;
  #areDue = false;

  constructor(clock: Clock, isAlive: (node: string | undefined) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  /** The open call with this id. */
  open(id: string): CallEntry<R> | undefined {
    const entry = this.#byId.get(id);
    return entry?.failed === undefined ? entry : undefined;
  }

  /** The calls of a task, open or given up. */
  of(taskId: string): readonly CallEntry<R>[] {
    return [...(this.#byTask.get(taskId) ?? [])];
  }

  /** @throws A2AError `INTERNAL_ERROR` if one of the ids is taken. */
  assertNew(calls: readonly NewCall[]): void {
    for (const { id } of calls) {
      if (this.#byId.has(id)) throw new A2AError('INTERNAL_ERROR', `Call ${id} already exists`);
    }
  }

  /** Whether calls were added or became due since the last time. */
  takeDue(): boolean {
    const areDue = this.#areDue;
    this.#areDue = false;
    return areDue;
  }

  add(row: R, { id, request, dueAt }: NewCall): void {
    const entry: CallEntry<R> = {
      row,
      id,
      order: (this.#added += 1),
      request,
      createdAt: this.#clock.now(),
      progress: {},
      dueAt,
      node: undefined,
      fence: 0,
      failed: undefined,
      isListed: false,
      keeps: [],
    };
    this.#byId.set(id, entry);
    const { id: taskId } = row.record;
    const calls = this.#byTask.get(taskId) ?? new Set();
    this.#byTask.set(taskId, calls.add(entry));
    row.callBytes += bytesOf(entry);
    this.#list(entry);
    this.#countOpen(entry, 1);
    this.#areDue = true;
  }

  /** Makes a call due at once, also if a node holds it. */
  makeDue(entry: CallEntry<R>): void {
    this.#setDue(entry, Math.min(entry.dueAt ?? Infinity, this.#clock.now()));
    this.#areDue = true;
  }

  /** Removes a call. Returns the ended tasks that it kept. */
  remove(entry: CallEntry<R>): readonly R[] {
    const { row } = entry;
    const kept = entry.failed === undefined ? this.#end(entry) : [];
    this.#byId.delete(entry.id);
    const calls = this.#byTask.get(row.record.id);
    if (calls?.delete(entry) === true && calls.size === 0) this.#byTask.delete(row.record.id);
    row.callBytes -= bytesOf(entry);
    return kept;
  }

  /** Gives a call up. Returns the ended tasks that it kept. */
  fail(entry: CallEntry<R>, reason: string): readonly R[] {
    const kept = this.#end(entry);
    entry.failed = reason;
    return kept;
  }

  claim(request: CallClaimRequest): readonly ClaimedCall[] {
    const { node, agents, held } = request;
    const now = this.#clock.now();
    const ids = new Set(held.map(({ id }) => id));
    for (const entry of this.#held) {
      if (!this.#isAlive(entry.node) || (entry.node === node && !ids.has(entry.id))) this.#free(entry, now);
    }
    const claimed: CallEntry<R>[] = [];
    new CallShares(request).takeFrom(this.#dueBy(now, agents), toHeld, claimed);
    return claimed.map((entry) => {
      this.#setDue(entry, undefined);
      entry.node = node;
      entry.fence += 1;
      this.#held.add(entry);
      return { ...toRecord(entry), fence: entry.fence };
    });
  }

  next(agents: readonly string[]): number | undefined {
    let next = Infinity;
    for (const { row, node } of this.#held) {
      if (!this.#isAlive(node) && agents.includes(row.record.agent)) next = this.#clock.now();
    }
    const [first] = this.#dueBy(next, agents);
    if (first !== undefined) next = dueTime(first);
    return next === Infinity ? undefined : next;
  }

  /** The open call of a report, if the node holds it. */
  reported({ callId, node, fence }: CallReport): CallEntry<R> | undefined {
    const entry = this.#byId.get(callId);
    return entry?.node === node && entry.fence === fence ? entry : undefined;
  }

  note(entry: CallEntry<R>, { progress, dueAt }: CallReport): void {
    if (progress !== undefined) {
      entry.row.callBytes -= bytesOf(entry);
      entry.progress = progress;
      entry.row.callBytes += bytesOf(entry);
    }
    if (dueAt !== undefined) this.#free(entry, dueAt ?? Infinity);
  }

  list({ id, taskId, agents, hasFailed, after = '', limit }: CallQuery): readonly CallRecord[] {
    const found: CallEntry<R>[] = [];
    for (const entry of this.#byId.values()) {
      const { record } = entry.row;
      if (id !== undefined && entry.id !== id) continue;
      if (taskId !== undefined && record.id !== taskId) continue;
      if (agents !== undefined && !agents.includes(record.agent)) continue;
      if (hasFailed !== undefined && (entry.failed !== undefined) !== hasFailed) continue;
      if (entry.id > after) found.push(entry);
    }
    return found
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(toRecord);
  }

  count(scope: Scope): number {
    return this.#open.get(ownerKey(scope)) ?? 0;
  }

  /** Releases the lease. The call is due at the given time, or earlier if it has become due since it was claimed. */
  #free(entry: CallEntry<R>, dueAt: number): void {
    entry.node = undefined;
    this.#held.delete(entry);
    const time = Math.min(entry.dueAt ?? Infinity, dueAt);
    this.#setDue(entry, time === Infinity ? undefined : time);
  }

  #end(entry: CallEntry<R>): readonly R[] {
    const kept = entry.keeps;
    entry.keeps = [];
    entry.node = undefined;
    this.#held.delete(entry);
    this.#setDue(entry, undefined);
    this.#countOpen(entry, -1);
    return kept;
  }

  #setDue(entry: CallEntry<R>, time: number | undefined): void {
    // The list is sorted by `dueAt`, so the entry is removed before the change.
    if (entry.isListed) this.#due.remove(entry);
    entry.isListed = false;
    entry.dueAt = time;
    this.#list(entry);
  }

  #list(entry: CallEntry<R>): void {
    entry.isListed = entry.dueAt !== undefined && entry.node === undefined;
    if (entry.isListed) this.#due.add(entry);
  }

  *#dueBy(time: number, agents: readonly string[]): IterableIterator<CallEntry<R>> {
    for (const entry of this.#due) {
      if (dueTime(entry) > time) return;
      if (agents.includes(entry.row.record.agent)) yield entry;
    }
  }

  #countOpen({ row }: CallEntry<R>, change: number): void {
    const key = ownerKey(row.record);
    const count = (this.#open.get(key) ?? 0) + change;
    if (count > 0) this.#open.set(key, count);
    else this.#open.delete(key);
  }
}

function bytesOf({ request, progress }: CallEntry<Caller>): number {
  return CALL_BYTES + jsonSize(request) + jsonSize(progress);
}

function toHeld({ id, row }: CallEntry<Caller>): HeldCall {
  const { tenant, owner } = row.record;
  return { id, tenant, owner };
}

export function toRecord({ id, row, request, progress, dueAt, createdAt, failed }: CallEntry<Caller>): CallRecord {
  const { id: taskId, tenant, owner, agent } = row.record;
  const record: Writable<CallRecord> = { id, taskId, tenant, owner, agent, request, progress, createdAt };
  if (dueAt !== undefined) record.dueAt = dueAt;
  if (failed !== undefined) record.failed = failed;
  return record;
}

function dueTime({ dueAt = 0 }: CallEntry<Caller>): number {
  return dueAt;
}

function inOrder(a: CallEntry<Caller>, b: CallEntry<Caller>): number {
  return dueTime(a) - dueTime(b) || a.order - b.order;
}
