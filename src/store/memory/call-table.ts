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
} from '../store.ts';
import type { Row } from './row.ts';
import { SortedList } from './sorted-list.ts';

/** A stored call with its lease. */
export interface CallEntry {
  readonly row: Row;
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
  keeps: Row[];
}

/** The measured memory of a call besides its content. */
const CALL_BYTES = 512;

/** The calls of all tasks. */
export class CallTable {
  readonly #clock: Clock;
  readonly #isAlive: (node: string | undefined) => boolean;
  readonly #byId = new Map<string, CallEntry>();
  /** The calls that are due now or later and that no node holds. */
  readonly #due = new SortedList<CallEntry, CallEntry>(inOrder);
  readonly #held = new Set<CallEntry>();
  /** The number of open calls by owner. */
  readonly #open = new Map<string, number>();
  #added = 0;

  constructor(clock: Clock, isAlive: (node: string | undefined) => boolean) {
    this.#clock = clock;
    this.#isAlive = isAlive;
  }

  /** The open call with this id. */
  open(id: string): CallEntry | undefined {
    const entry = this.#byId.get(id);
    return entry?.failed === undefined ? entry : undefined;
  }

  /** @throws A2AError `INTERNAL_ERROR` if one of the ids is taken. */
  assertNew(calls: readonly NewCall[]): void {
    for (const { id } of calls) {
      if (this.#byId.has(id)) throw new A2AError('INTERNAL_ERROR', `Call ${id} already exists`);
    }
  }

  add(row: Row, { id, request, dueAt }: NewCall): void {
    const entry: CallEntry = {
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
    (row.calls ??= new Set()).add(entry);
    row.callBytes += bytesOf(entry);
    this.#list(entry);
    this.#countOpen(entry, 1);
  }

  /** Makes a call due at once, also if a node holds it. */
  makeDue(entry: CallEntry): void {
    this.#setDue(entry, Math.min(entry.dueAt ?? Infinity, this.#clock.now()));
  }

  /** Removes a call. Returns the ended tasks that it kept. */
  remove(entry: CallEntry): readonly Row[] {
    const { row } = entry;
    const kept = entry.failed === undefined ? this.#end(entry) : [];
    this.#byId.delete(entry.id);
    row.calls?.delete(entry);
    row.callBytes -= bytesOf(entry);
    return kept;
  }

  /** Gives a call up. Returns the ended tasks that it kept. */
  fail(entry: CallEntry, reason: string): readonly Row[] {
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
    const claimed: CallEntry[] = [];
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
    for (const { row, node } of this.#held) {
      if (!this.#isAlive(node) && agents.includes(row.record.agent)) return this.#clock.now();
    }
    for (const { dueAt } of this.#dueBy(Infinity, agents)) return dueAt;
    return undefined;
  }

  /** The open call of a report, if the node holds it. */
  reported({ callId, node, fence }: CallReport): CallEntry | undefined {
    const entry = this.#byId.get(callId);
    return entry?.node === node && entry.fence === fence ? entry : undefined;
  }

  note(entry: CallEntry, { progress, dueAt }: CallReport): void {
    if (progress !== undefined) {
      entry.row.callBytes -= bytesOf(entry);
      entry.progress = progress;
      entry.row.callBytes += bytesOf(entry);
    }
    if (dueAt !== undefined) this.#free(entry, dueAt ?? Infinity);
  }

  list({ id, taskId, agents, hasFailed, after = '', limit }: CallQuery): readonly CallRecord[] {
    const found: CallEntry[] = [];
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
  #free(entry: CallEntry, dueAt: number): void {
    entry.node = undefined;
    this.#held.delete(entry);
    const time = Math.min(entry.dueAt ?? Infinity, dueAt);
    this.#setDue(entry, time === Infinity ? undefined : time);
  }

  #end(entry: CallEntry): readonly Row[] {
    const kept = entry.keeps;
    entry.keeps = [];
    entry.node = undefined;
    this.#held.delete(entry);
    this.#setDue(entry, undefined);
    this.#countOpen(entry, -1);
    return kept;
  }

  #setDue(entry: CallEntry, time: number | undefined): void {
    // The list is sorted by `dueAt`, so the entry is removed before the change.
    if (entry.isListed) this.#due.remove(entry);
    entry.isListed = false;
    entry.dueAt = time;
    this.#list(entry);
  }

  #list(entry: CallEntry): void {
    entry.isListed = entry.dueAt !== undefined && entry.node === undefined;
    if (entry.isListed) this.#due.add(entry);
  }

  *#dueBy(time: number, agents: readonly string[]): IterableIterator<CallEntry> {
    for (const entry of this.#due) {
      if (dueTime(entry) > time) return;
      if (agents.includes(entry.row.record.agent)) yield entry;
    }
  }

  #countOpen({ row }: CallEntry, change: number): void {
    const key = ownerKey(row.record);
    const count = (this.#open.get(key) ?? 0) + change;
    if (count > 0) this.#open.set(key, count);
    else this.#open.delete(key);
  }
}

function bytesOf({ request, progress }: CallEntry): number {
  return CALL_BYTES + jsonSize(request) + jsonSize(progress);
}

function toHeld({ id, row }: CallEntry): HeldCall {
  const { tenant, owner } = row.record;
  return { id, tenant, owner };
}

export function toRecord({ id, row, request, progress, dueAt, createdAt, failed }: CallEntry): CallRecord {
  const { id: taskId, tenant, owner, agent } = row.record;
  const record: Writable<CallRecord> = { id, taskId, tenant, owner, agent, request, progress, createdAt };
  if (dueAt !== undefined) record.dueAt = dueAt;
  if (failed !== undefined) record.failed = failed;
  return record;
}

function dueTime({ dueAt = 0 }: CallEntry): number {
  return dueAt;
}

function inOrder(a: CallEntry, b: CallEntry): number {
  return dueTime(a) - dueTime(b) || a.order - b.order;
}
