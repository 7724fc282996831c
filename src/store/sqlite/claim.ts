import type { ClaimRequest, TaskRecord } from '../store.ts';
import { type Connection, sqlLimit } from './connection.ts';
import type { Nodes } from './nodes.ts';
import { type FoundTask, RECORD_COLUMNS, toFound } from './task-row.ts';
import type { Desk } from './writes.ts';

/** The name of the index is part of the statement: a plan that walks over the tasks of living nodes is an error. */
const DUE = `SELECT ${RECORD_COLUMNS} FROM task INDEXED BY task_wake
  WHERE node IS ? AND wake_at IS NOT NULL AND wake_at <= ? AND agent IN (SELECT value FROM json_each(?))
  ORDER BY wake_at, pk LIMIT ?`;

const NEXT = `SELECT wake_at FROM task INDEXED BY task_wake
  WHERE node IS ? AND wake_at IS NOT NULL AND agent IN (SELECT value FROM json_each(?)) ORDER BY wake_at LIMIT 1`;

const KNOWN_NODES =
  'SELECT DISTINCT node FROM task INDEXED BY task_wake WHERE wake_at IS NOT NULL AND node IS NOT NULL';

/** The nodes that have tasks to run, as they were left behind. */
export function knownNodes(connection: Connection): readonly string[] {
  return connection.all(KNOWN_NODES).map(([node]) => String(node));
}

/** Gives due tasks to a node, the longest due first. */
export function claimTasks(desk: Desk, request: ClaimRequest, now: number): TaskRecord[] {
  const { tasks, nodes } = desk;
  const { node, limit } = request;
  nodes.meet(node);
  return dueTasks(desk, request, now)
    .slice(0, Math.max(0, limit))
    .map((task) => {
      const { fence, attempts } = task.record;
      const record = { ...task.record, node, fence: fence + 1, attempts: attempts + 1 };
      tasks.update(task, record);
      return record;
    });
}

/** The longest due first. */
function dueTasks({ connection, tasks, nodes }: Desk, request: ClaimRequest, now: number): readonly FoundTask[] {
  const { agents, limit, taskId } = request;
  if (taskId !== undefined) {
    const task = tasks.find(taskId);
    if (task === undefined) return [];
    const { agent, node, wakeAt = Number.POSITIVE_INFINITY } = task.record;
    return wakeAt <= now && agents.includes(agent) && !nodes.isAlive(node) ? [task] : [];
  }
  const holders = idleHolders(nodes);
  const names = JSON.stringify(agents);
  const due = holders.flatMap((holder) => connection.all(DUE, holder, now, names, sqlLimit(limit)).map(toFound));
  return due.sort((a, b) => wakeTime(a) - wakeTime(b) || a.pk - b.pk);
}

/** When the next task of these agents is due that no living node holds. */
export function nextWake(connection: Connection, nodes: Nodes, agents: readonly string[]): number | undefined {
  const names = JSON.stringify(agents);
  const rows = idleHolders(nodes).flatMap((holder) => connection.all(NEXT, holder, names));
  return rows.length === 0 ? undefined : Math.min(...rows.map(([wakeAt]) => Number(wakeAt)));
}

/** What stands in the rows of tasks that nobody runs: nothing, or a node that no longer lives. */
function idleHolders(nodes: Nodes): readonly (string | null)[] {
  return [null, ...nodes.dead()];
}

function wakeTime({ record }: FoundTask): number {
  return record.wakeAt ?? 0;
}
