import { fail } from 'node:assert/strict';

import type { CallRecord, CallReport, ClaimedCall, NewCall, Store } from '../../../store/store.ts';
import { type Change, entry, newTask, pluck, START, TTL } from '../samples.ts';

export function newCall(id: string, changes: Partial<NewCall> = {}): NewCall {
  return { id, request: { peer: 'painter', text: `"${id}"\0` }, dueAt: START, ...changes };
}

/** A change that adds calls with their journal entries. */
export function calling(...calls: readonly NewCall[]): Change {
  return { journal: calls.map(({ id }) => entry(id)), calls };
}

/** Creates a task of Alice with open calls that are due. */
export async function createCaller(store: Store, taskId: string, ...ids: readonly string[]): Promise<void> {
  await store.create(newTask(taskId));
  await store.append({ taskId, guard: {}, ...calling(...ids.map((id) => newCall(id))) });
}

/** Claims due calls for a living node. */
export async function claimCalls(
  store: Store,
  request: Partial<Parameters<Store['claimCalls']>[0]> = {},
): Promise<readonly ClaimedCall[]> {
  const { node = 'node-a' } = request;
  await store.heartbeat(node, TTL);
  return store.claimCalls({ node, agents: ['translator'], limit: 100, perOwner: 100, held: [], ...request });
}

/** The ids of the calls that a claim returns. */
export async function claimed(
  store: Store,
  request: Partial<Parameters<Store['claimCalls']>[0]> = {},
): Promise<readonly string[]> {
  return pluck(await claimCalls(store, request), 'id');
}

/** Claims the only due call. */
export async function claimOne(store: Store, node = 'node-a'): Promise<ClaimedCall> {
  const [call = fail('No call is due'), ...others] = await claimCalls(store, { node });
  return others.length === 0 ? call : fail(`${others.length + 1} calls are due`);
}

export function report(
  store: Store,
  { id, fence }: ClaimedCall,
  change: Partial<CallReport> = {},
): Promise<CallRecord | undefined> {
  return store.noteCall({ callId: id, node: 'node-a', fence, ...change });
}

/** The ids of calls. */
export async function callIds(
  store: Store,
  query: Partial<Parameters<Store['listCalls']>[0]> = {},
): Promise<readonly string[]> {
  return pluck(await store.listCalls({ limit: 1000, ...query }), 'id');
}

/** The call with this id. */
export async function callOf(store: Store, id: string): Promise<CallRecord> {
  return (await store.listCalls({ id, limit: 1 }))[0] ?? fail(`There is no call ${id}`);
}
