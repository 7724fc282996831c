import { isSameButNumbers, statusTime } from '../../guard.ts';
import { type Columns, columnsOf, unnested } from './columns.ts';
import { RowBatch } from './row-batch.ts';
import type { Statement } from '../statements.ts';
import { json, stateNumber } from '../../task-row.ts';
import type { FoundTask } from '../task-row.ts';

/** A changed task row to write. */
export interface Changed {
  /** The row in the table. Undefined for a new task. */
  readonly stored: FoundTask | undefined;
  readonly alias: string | undefined;
  /** Undefined once the task is removed. */
  task: FoundTask | undefined;
  /** Whether to write the row even if nothing in it changes, so that it gets a new version. */
  isRenewed?: boolean;
  snapshot?: { readonly upTo: number; readonly text: string };
}

/** The columns that may change, after the id. */
export const CHANGING = {
  id: 'text',
  state: 'smallint',
  status_time: 'bigint',
  visible: 'boolean',
  canceling: 'boolean',
  pushed: 'boolean',
  last_event: 'integer',
  last_journal: 'integer',
  last_message: 'integer',
  fence: 'integer',
  attempts: 'integer',
  node: 'text',
  wake_at: 'bigint',
  queued: 'boolean',
  question: 'text',
  ended_at: 'bigint',
  status: 'text',
  metadata: 'text',
  history_bytes: 'bigint',
  suspect_ms: 'integer',
  claimed_journal: 'integer',
  crashes: 'integer',
  open_calls: 'integer',
} as const;

const LASTING = {
  tenant: 'text',
  owner: 'text',
  context_id: 'text',
  agent: 'text',
  fairness_key: 'text',
  alias: 'text',
  created_at: 'bigint',
  origin: 'text',
  call_id: 'text',
} as const;

export function changingOf({ record, lastMessage, queued = false }: FoundTask): readonly unknown[] {
  return [
    record.id,
    stateNumber(record.status.state),
    statusTime(record),
    record.visible,
    record.canceling,
    record.pushed === true,
    record.lastEvent,
    record.lastJournal,
    lastMessage,
    record.fence,
    record.attempts,
    record.node ?? null,
    record.wakeAt ?? null,
    queued,
    json(record.question),
    record.endedAt ?? null,
    JSON.stringify(record.status),
    json(record.metadata),
    record.historyBytes ?? null,
    record.suspectMs ?? null,
    record.claimedJournal ?? null,
    record.crashes ?? null,
    record.openCalls ?? null,
  ];
}

/** The artifacts, if the transaction has a snapshot of them. */
const SNAPSHOT = { artifacts_up_to: 'integer', artifacts: 'text' } as const;
const INSERTED = { ...CHANGING, ...SNAPSHOT, ...LASTING };
const CHANGING_WITH_SNAPSHOT = { ...CHANGING, ...SNAPSHOT };

export function inserts(schema: string, rows: readonly Changed[]): Statement | undefined {
  const batch = new RowBatch('task', INSERTED);
  for (const { stored, task, alias, snapshot } of rows) {
    if (stored !== undefined || task === undefined) continue;
    const { tenant, owner, contextId, agent, fairnessKey, createdAt, origin, callId } = task.record;
    const made = [snapshot?.upTo ?? 0, snapshot?.text ?? null];
    const names = [tenant, owner, contextId, agent, fairnessKey ?? null, alias ?? null];
    batch.add(...changingOf(task), ...made, ...names, createdAt, JSON.stringify(origin), callId ?? null);
  }
  return batch.insert(schema, new Set());
}

export function updates(schema: string, rows: readonly Changed[]): Statement | undefined {
  const changed = rows.flatMap((row) => (row.task && !row.snapshot && isKept(row) ? [changingOf(row.task)] : []));
  return updateOf(schema, CHANGING, changed);
}

/** Whether the row exists before and after the transaction, and is written by it. */
export function isKept({ stored, task, snapshot, isRenewed }: Changed): boolean {
  if (stored === undefined || task === undefined) return false;
  return snapshot !== undefined || isRenewed === true || isChanged(stored, task);
}

/** Chunks and steps have their own rows. Updating the task for each of them would rewrite its whole row. */
function isChanged(stored: FoundTask, task: FoundTask): boolean {
  return task.lastMessage !== stored.lastMessage || !isSameButNumbers(stored.record, task.record);
}

/** A separate statement, so that each row is written once and a snapshot is sent only if it is new. */
export function updatesWithSnapshot(schema: string, rows: readonly Changed[]): Statement | undefined {
  const changed = rows.flatMap(({ stored, task, snapshot }) =>
    stored && task && snapshot ? [[...changingOf(task), snapshot.upTo, snapshot.text]] : [],
  );
  return updateOf(schema, CHANGING_WITH_SNAPSHOT, changed);
}

export function updateOf(
  schema: string,
  columns: Columns,
  rows: readonly (readonly unknown[])[],
): Statement | undefined {
  if (rows.length === 0) return undefined;
  const names = Object.keys(columns);
  const settings = names.slice(1).map((name) => `${name} = v.${name}`);
  return {
    name: `update ${names.length}`,
    text: `UPDATE ${schema}.task t SET ${settings.join(', ')}
      FROM ${unnested(columns)} AS v(${names.join(', ')}) WHERE t.id = v.id`,
    values: columnsOf(rows, columns),
  };
}
