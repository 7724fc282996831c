import { type AgentRotation, byDueTime, type DueTask, RoundRobin, rotationOf } from '../round-robin.ts';
import type { ClaimRequest, TaskRecord } from '../store.ts';
import { bySuspicion, claimedBy, type SuspectTask, suspectsOf } from '../suspects.ts';
import { type Connection, sqlLimit } from './database/connection.ts';
import type { Row } from './database/driver.ts';
import type { Nodes } from './nodes.ts';
import type { SqliteContext } from './context.ts';

const KEY = 'ifnull(fairness_key, owner)';
const COLUMNS = `pk, id, agent, ${KEY}, wake_at, attempts`;

/** The statements name their indexes: a plan that would read the tasks of living nodes is an error. */
const BY_TIME = 'FROM task INDEXED BY task_wake WHERE node IS ? AND queued = ? AND wake_at IS NOT NULL';
const IN_QUEUE = `FROM task INDEXED BY task_queue WHERE queued = 1 AND wake_at IS NOT NULL AND agent = ? AND wake_at <= ?
  AND node IS NULL AND suspect_ms IS NULL`;

const DUE = `SELECT ${COLUMNS} ${BY_TIME} AND wake_at <= ? AND suspect_ms IS NULL
  AND agent IN (SELECT value FROM json_each(?)) ORDER BY wake_at, pk LIMIT ?`;

const SUSPECTS = `SELECT ${COLUMNS} FROM task INDEXED BY task_suspect WHERE suspect_ms IS NOT NULL AND node IS NULL
  AND agent = ? AND wake_at <= ? ORDER BY attempts, wake_at, pk LIMIT ?`;

const HELD = 'SELECT id FROM task INDEXED BY task_wake WHERE node IS ? AND wake_at IS NOT NULL';

const NEXT = `SELECT wake_at ${BY_TIME} AND wake_at > ? AND agent IN (SELECT value FROM json_each(?))
  ORDER BY wake_at LIMIT 1`;

const ENQUEUE = `UPDATE task SET queued = 1
  WHERE pk IN (SELECT pk ${BY_TIME} AND wake_at <= ? AND suspect_ms IS NULL ORDER BY wake_at LIMIT ?)`;

const keyWhere = (bounds: string): string =>
  `SELECT ${KEY} ${IN_QUEUE} AND ${bounds} ORDER BY ${KEY}, wake_at, pk LIMIT 1`;
const FIRST_KEY = keyWhere(`${KEY} >= ''`);
const NEXT_KEY = keyWhere(`${KEY} > ?`);
const FIRST_KEY_UP_TO = keyWhere(`${KEY} <= ?`);
const NEXT_KEY_UP_TO = keyWhere(`${KEY} > ? AND ${KEY} <= ?`);

const OF_KEY = `SELECT ${COLUMNS} ${IN_QUEUE} AND ${KEY} = ? ORDER BY wake_at, pk LIMIT ?`;

const KNOWN_NODES =
  'SELECT DISTINCT node FROM task INDEXED BY task_wake WHERE wake_at IS NOT NULL AND node IS NOT NULL';

const IS_QUEUED = [0, 1] as const;

/** The maximum number of tasks that one claim moves into the queue. */
const MAX_ENQUEUED = 1000;

/** The nodes that earlier processes left in the rows of unfinished tasks. */
export function knownNodes(connection: Connection): readonly string[] {
  return connection.all(KNOWN_NODES).map(([node]) => String(node));
}

interface Due extends DueTask, SuspectTask {
  readonly id: string;
  readonly agent: string;
}

/** Leases due tasks to a node: all of them if they are within the limit, otherwise round robin by fairness key. */
export function claimTasks(context: SqliteContext, request: ClaimRequest): TaskRecord[] {
  const { tasks, nodes, clock } = context;
  const now = clock.now();
  const { node, taskId } = request;
  nodes.meet(node);
  freeTasksOfDeadNodes(context, now);
  const ids = taskId === undefined ? chosenTasks(context, request, now) : dueTask(context, request, taskId, now);
  return ids.flatMap((id) => {
    const task = tasks.find(id);
    if (task === undefined) return [];
    const record = claimedBy(node, task.record);
    tasks.update(task, record);
    return [record];
  });
}

function freeTasksOfDeadNodes({ connection, tasks, nodes }: SqliteContext, now: number): void {
  for (const dead of nodes.dead()) {
    const found = connection.all(HELD, dead).flatMap(([id]) => tasks.find(String(id)) ?? []);
    const held = found.filter(({ record }) => record.node === dead);
    if (held.length === 0) continue;
    const suspects = suspectsOf(
      held.map(({ record }) => record),
      now,
    );
    for (const [i, task] of held.entries()) tasks.update(task, suspects[i] ?? task.record);
    // The next statements read the table.
    tasks.save();
  }
}

function dueTask(
  { tasks, nodes }: SqliteContext,
  { agents, limit }: ClaimRequest,
  id: string,
  now: number,
): readonly string[] {
  const record = tasks.find(id)?.record;
  if (record === undefined || limit < 1) return [];
  const { agent, node, wakeAt = Number.POSITIVE_INFINITY } = record;
  return wakeAt <= now && agents.includes(agent) && !nodes.isAlive(node) ? [id] : [];
}

function chosenTasks(context: SqliteContext, request: ClaimRequest, now: number): readonly string[] {
  const { positions } = context;
  const robin = new RoundRobin(request);
  const suspects = robin.give(dueSuspects(context, request, now), request.suspects ?? Number.POSITIVE_INFINITY);
  const due = dueTasks(context, request, now);
  const given = (tasks: readonly Due[]): readonly string[] =>
    [...suspects, ...tasks].sort(byDueTime).map(({ id }) => id);
  if (robin.allowsAll(due)) return given(due);
  const areAll = due.length <= robin.limit;
  if (!areAll) enqueueDue(context, now);
  const rotations = request.agents.map((agent) =>
    areAll
      ? rotationOf(
          agent,
          due.filter((task) => task.agent === agent),
          positions.get(agent),
        )
      : queuedRotation(context, robin, agent, now),
  );
  const chosen = robin.choose(rotations);
  if (!areAll || chosen.tasks.length < due.length) {
    for (const [agent, key] of chosen.positions) positions.set(agent, key);
  }
  return given(chosen.tasks);
}

/** The due suspects, in the order of the claim. */
function dueSuspects(
  { connection }: SqliteContext,
  { agents, limit, suspects, shares }: ClaimRequest,
  now: number,
): readonly Due[] {
  if (suspects === 0) return [];
  // The shares may exclude some of them, so all are read.
  const most = shares === undefined ? Math.min(limit, suspects ?? limit) : Number.POSITIVE_INFINITY;
  const ofAgent = (agent: string): readonly Due[] => connection.all(SUSPECTS, agent, now, sqlLimit(most)).map(toDue);
  return [...new Set(agents)].flatMap(ofAgent).sort(bySuspicion);
}

/** The due tasks, the longest due first: at most one more than the limit of the claim. */
function dueTasks({ connection }: SqliteContext, { agents, limit }: ClaimRequest, now: number): readonly Due[] {
  const most = Math.max(0, limit) + 1;
  const names = JSON.stringify(agents);
  const due = IS_QUEUED.flatMap((isQueued) =>
    connection.all(DUE, null, isQueued, now, names, sqlLimit(most)).map(toDue),
  );
  return due.sort(byDueTime).slice(0, most);
}

/** Moves tasks whose `wakeAt` has come into the queue. */
function enqueueDue({ connection }: SqliteContext, now: number): void {
  connection.run(ENQUEUE, null, 0, now, MAX_ENQUEUED);
}

function queuedRotation(
  { connection, positions }: SqliteContext,
  robin: RoundRobin,
  agent: string,
  now: number,
): AgentRotation<Due> {
  const free: Row = [agent, now];
  const keys = robin.candidates(keysInQueue(connection, free, positions.get(agent)));
  const most = sqlLimit(robin.tasksPerKey(keys.length));
  return { agent, queues: keys.map((key) => ({ key, tasks: connection.all(OF_KEY, ...free, key, most).map(toDue) })) };
}

/** All keys with a claimable task, each once, starting after a position. Each key takes one index lookup. */
function* keysInQueue(connection: Connection, free: Row, position: string | undefined): Generator<string> {
  const look = (sql: string, ...bounds: Row): string | undefined =>
    (connection.get(sql, ...free, ...bounds) as readonly [string] | undefined)?.[0];
  let key = position === undefined ? look(FIRST_KEY) : look(NEXT_KEY, position);
  for (; key !== undefined; key = look(NEXT_KEY, key)) yield key;
  if (position === undefined) return;
  key = look(FIRST_KEY_UP_TO, position);
  for (; key !== undefined; key = look(NEXT_KEY_UP_TO, key, position)) yield key;
}

/** When the next task of these agents is due that no living node holds. With `after`, only tasks due later than that. */
export function nextWake(
  { connection, nodes }: SqliteContext,
  agents: readonly string[],
  after = Number.MIN_SAFE_INTEGER,
): number | undefined {
  const names = JSON.stringify(agents);
  const rows = idleHolders(nodes).flatMap((holder) =>
    IS_QUEUED.flatMap((isQueued) => connection.all(NEXT, holder, isQueued, after, names)),
  );
  return rows.length === 0 ? undefined : Math.min(...rows.map(([wakeAt]) => Number(wakeAt)));
}

/** The values of `node` in rows of tasks that do not run: null, or a dead node. */
function idleHolders(nodes: Nodes): readonly (string | null)[] {
  return [null, ...nodes.dead()];
}

function toDue(row: Row): Due {
  const [pk, id, agent, key, wakeAt, attempts] = row as readonly [number, string, string, string, number, number];
  return { order: pk, id, agent, key, wakeAt, attempts };
}
