import type { JsonObject } from '../model/json.ts';
import type { Writable } from '../support/writable.ts';
import type { CallRecord } from './call.ts';

/** The rows of calls that the SQL stores read. */

/** The columns of a call, in the order in which `toCall` reads them. */
export const CALL_COLUMNS =
  'pk, id, task_id, tenant, owner, agent, created_at, due_at, fence, failed, request, progress';

export type CallRow = readonly [
  pk: number,
  id: string,
  taskId: string,
  tenant: string,
  owner: string,
  agent: string,
  createdAt: number,
  dueAt: number | null,
  fence: number,
  failed: string | null,
  request: string,
  progress: string,
];

/** Reads a row of `CALL_COLUMNS`. */
export function toCall(row: CallRow): CallRecord {
  const [, id, taskId, tenant, owner, agent, createdAt, dueAt, , failed, request, progress] = row;
  const call: Writable<CallRecord> = {
    id,
    taskId,
    tenant,
    owner,
    agent,
    request: JSON.parse(request) as JsonObject,
    progress: JSON.parse(progress) as JsonObject,
    createdAt,
  };
  if (dueAt !== null) call.dueAt = dueAt;
  if (failed !== null) call.failed = JSON.parse(failed) as string;
  return call;
}

/** A call right after its claim. @param row The row before it. */
export function toClaimedCall(row: CallRow): CallRecord & { readonly fence: number } {
  const { dueAt: _, ...call } = toCall(row);
  return { ...call, fence: row[8] + 1 };
}
