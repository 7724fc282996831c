import { type AgentRotation, type DueTask, RoundRobin, rotationOf } from '../round-robin.ts';
import type { ClaimRequest, TaskRecord } from '../store.ts';
import { bySuspicion, type SuspectTask, suspectsOf } from '../suspects.ts';
import { CHANGING, changingOf, updateOf } from './write/changed-tasks.ts';
import { type Database, SORTED_RANGES } from './database.ts';
import { sqlLimit } from './read/reads.ts';
import { pipeline, type Outcome, type Queryable, type Row, rowsOf, run, type Statement } from './statements.ts';
import { type FoundTask, lastNumbers, TASK_COLUMNS, toFound, withNumbers } from './task-row.ts';

const KEY = 'coalesce(t.fairness_key, t.owner)';
const COLUMNS = `t.id, t.agent, ${KEY} AS key, t.wake_at, t.seq, t.attempts`;

/** The maximum number of tasks of one agent that one claim moves into the queue. */
const MAX_ENQUEUED = 1000;

interface Due extends DueTask, SuspectTask {
  readonly id: string;
  readonly agent: string;
}

/**
 * Leases due tasks to a node: all of them if they are within the limit, otherwise round robin by fairness key. A claim skips tasks
 * that another transaction has locked: that transaction claims them or publishes a hint when it is done.
 */
export async function claimTasks(database: Database, request: ClaimRequest): Promise<readonly TaskRecord[]> {
  const { schema } = database;
  // In one transaction: a task whose claim was committed but never returned would be blocked as long as the node lives.
  const claim = async (client: Queryable): Promise<FoundTask[]> => {
    const { ids, positions } = await choose(client, database, request);
    if (ids.length === 0) return [];
    const save = positions.size === 0 ? [] : [savePositions(schema, positions)];
    const taken = (await pipeline(client, [...save, take(database, request, ids)])).at(-1)?.rows ?? [];
    if (taken.length === 0) return [];
    const found = taken.map(toFound);
    const numbers = lastNumbers(
      schema,
      found.map(({ record }) => record.id),
    );
    return [...withNumbers(found, (await run(client, numbers)).rows)];
  };
  const claimed = await database.transaction(claim, { settings: SORTED_RANGES });
  claimed.sort((a, b) => (a.record.wakeAt ?? 0) - (b.record.wakeAt ?? 0) || a.seq - b.seq);
  return claimed.map(({ record }) => record);
}

/** Leases those tasks that are still due and free. */
function take({ schema, now }: Database, { node, agents, limit }: ClaimRequest, ids: readonly string[]): Statement {
  return {
    // An array instead of a join, for which the planner might read all tasks. OFFSET 0 makes it find the rows by their ids.
    text: `UPDATE ${schema}.task t SET node = $1, fence = t.fence + 1, attempts = t.attempts + 1, queued = false,
       claimed_journal = nullif(greatest(t.last_journal,
         (SELECT max(number) FROM ${schema}.journal WHERE task_id = t.id)), 0)
     WHERE t.id = ANY(ARRAY(
       SELECT t.id FROM (SELECT * FROM ${schema}.task WHERE id = ANY($2::text[]) OFFSET 0 FOR UPDATE SKIP LOCKED) AS t
       WHERE t.wake_at <= ${now} AND t.agent = ANY($3::text[]) AND t.node IS NULL LIMIT $4))
     RETURNING ${TASK_COLUMNS}`,
    values: [node, ids, agents, sqlLimit(limit)],
  };
}

interface Choice {
  readonly ids: readonly string[];
  /** The new positions of the rotations that this claim moves. */
  readonly positions: ReadonlyMap<string, string>;
}

const NOT_MOVED: ReadonlyMap<string, string> = new Map();

async function choose(client: Queryable, database: Database, request: ClaimRequest): Promise<Choice> {
  const { taskId } = request;
  const agents = [...new Set(request.agents)];
  const look = (): Promise<readonly Outcome[]> =>
    pipeline(client, [
      deadHolders(database),
      ...(taskId === undefined ? [dueSuspects(database, request), dueTasks(database, request)] : []),
    ]);
  let found = await look();
  const dead = (found[0]?.rows ?? []).map(([node]) => String(node));
  if (dead.length > 0) {
    await freeTasks(client, database, dead);
    found = await look();
  }
  const [, suspected, others] = found;
  if (taskId !== undefined) return { ids: [taskId], positions: NOT_MOVED };
  const robin = new RoundRobin(request);
  const suspects = (suspected?.rows ?? []).map(toDue).sort(bySuspicion);
  const given = robin.give(suspects, request.suspects ?? Number.POSITIVE_INFINITY).map(({ id }) => id);
  const due = (others?.rows ?? []).map(toDue);
  if (robin.allowsAll(due)) return { ids: [...given, ...due.map(({ id }) => id)], positions: NOT_MOVED };
  const areAll = due.length <= robin.limit;
  const rotations: AgentRotation<Due>[] = [];
  let isHolder = true;
  for (const agent of agents) {
    const place = await placeIn(client, database, agent, areAll ? [] : [enqueueDue(database, agent)]);
    isHolder &&= place.isHolder;
    const ofAgent = due.filter((task) => task.agent === agent);
    if (areAll) rotations.push(rotationOf(agent, ofAgent, place.position));
    else rotations.push(await queuedRotation(client, database, robin, place));
  }
  const { tasks, positions } = robin.choose(rotations);
  const leavesSome = !areAll || tasks.length < due.length;
  const ids = [...given, ...tasks.map(({ id }) => id)];
  return { ids, positions: leavesSome && isHolder ? positions : NOT_MOVED };
}

/** The dead nodes that hold tasks. Each holder takes one index lookup, regardless of the number of its tasks. */
function deadHolders({ schema, now }: Database): Statement {
  const next = (after: string): string =>
    `SELECT t.node FROM ${schema}.task t WHERE t.node IS NOT NULL AND t.wake_at IS NOT NULL${after} ORDER BY t.node LIMIT 1`;
  return {
    text: `WITH RECURSIVE holder(node) AS (
         (${next('')}) UNION ALL SELECT n.node FROM holder CROSS JOIN LATERAL (${next(' AND t.node > holder.node')}) AS n)
       SELECT node FROM holder
       WHERE NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = holder.node AND n.lives_until > ${now})`,
  };
}

/**
 * Makes the tasks of dead nodes suspects. The rows of the nodes are not locked: a node that was considered dead and returns must
 * not wait for a claim to write its heartbeat.
 */
async function freeTasks(client: Queryable, { schema, now }: Database, nodes: readonly string[]): Promise<void> {
  const isDead = `NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = t.node AND n.lives_until > ${now})`;
  const [held, time] = await pipeline(client, [
    {
      text: `SELECT ${TASK_COLUMNS} FROM ${schema}.task t WHERE t.node = ANY($1::text[]) AND t.wake_at IS NOT NULL
        AND ${isDead}
        FOR UPDATE OF t SKIP LOCKED`,
      values: [nodes],
    },
    { text: `SELECT ${now}` },
  ]);
  const found = (held?.rows ?? []).map(toFound);
  if (found.length === 0) return;
  const numbers = lastNumbers(
    schema,
    found.map(({ record }) => record.id),
  );
  const tasks = withNumbers(found, (await run(client, numbers)).rows);
  const rows = nodes.flatMap((node) => {
    const ofNode = tasks.filter(({ record }) => record.node === node);
    const suspects = suspectsOf(
      ofNode.map(({ record }) => record),
      Number(time?.rows[0]?.[0]),
    );
    return ofNode.map((task, i) => changingOf({ ...task, record: suspects[i] ?? task.record }));
  });
  const update = updateOf(schema, CHANGING, rows);
  if (update !== undefined) await run(client, update);
}

/** The due suspects up to the limit, those with the fewest attempts first. All of them if shares may exclude some. */
function dueSuspects({ schema, now }: Database, { agents, limit, suspects = limit, shares }: ClaimRequest): Statement {
  const most = shares === undefined || suspects === 0 ? Math.min(limit, suspects) : Number.POSITIVE_INFINITY;
  return {
    text: `SELECT d.* FROM unnest($1::text[]) AS a(agent) CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM ${schema}.task t
       WHERE t.agent = a.agent AND t.suspect_ms IS NOT NULL AND t.node IS NULL AND t.wake_at <= ${now}
       ORDER BY t.attempts, t.wake_at, t.seq LIMIT $2) AS d`,
    values: [[...new Set(agents)], sqlLimit(most)],
  };
}

/** The due tasks, the longest due first: at most one more than the limit of the claim. */
function dueTasks({ schema, now }: Database, { agents, limit }: ClaimRequest): Statement {
  return {
    text: `SELECT d.* FROM ${byTime} CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM ${schema}.task t
       WHERE t.agent = a.agent AND t.queued = q.queued AND t.wake_at <= ${now} AND ${WAITS}
       ORDER BY t.wake_at, t.seq LIMIT $2) AS d ORDER BY d.wake_at, d.seq LIMIT $2`,
    values: [[...new Set(agents)], sqlLimit(Math.max(0, limit) + 1)],
  };
}

/** No node runs the task, and it is not a suspect. */
const WAITS = 't.node IS NULL AND t.suspect_ms IS NULL';

/** Each combination is one range of the index that is sorted by time. */
const byTime = 'unnest($1::text[]) AS a(agent) CROSS JOIN (VALUES (true), (false)) AS q(queued)';

/** The position of the rotation of an agent. */
interface Place {
  readonly agent: string;
  /** The key that got the last task. */
  readonly position: string | undefined;
  /** Whether this transaction may move it. */
  readonly isHolder: boolean;
}

/**
 * Reads the position of a rotation. One transaction at a time moves it. The others do not wait for that one, because its process
 * may have stopped: they start at the same position and skip the tasks that it has locked.
 *
 * @param also Statements to send in the same round trip.
 */
async function placeIn(
  client: Queryable,
  { schema }: Database,
  agent: string,
  also: readonly Statement[],
): Promise<Place> {
  const [lock, stored] = await pipeline(client, [
    {
      text: "SELECT pg_try_advisory_xact_lock(hashtextextended($1 || ' claim ' || $2, 0))",
      values: [schema, agent],
    },
    // A separate statement, so that it sees the commit of the previous lock holder.
    { text: `SELECT fairness_key FROM ${schema}.claim_position WHERE agent = $1`, values: [agent] },
    ...also,
  ]);
  const key = stored?.rows[0]?.[0];
  return { agent, position: typeof key === 'string' ? key : undefined, isHolder: lock?.rows[0]?.[0] === true };
}

async function queuedRotation(
  client: Queryable,
  database: Database,
  robin: RoundRobin,
  place: Place,
): Promise<AgentRotation<Due>> {
  const { agent } = place;
  const candidates = robin.candidates(await keysInQueue(client, database, robin, place));
  if (candidates.length === 0) return { agent, queues: [] };
  const rows = await rowsOf(
    client,
    `SELECT d.* FROM unnest($2::text[]) AS k(key) CROSS JOIN LATERAL (
       SELECT ${COLUMNS} FROM ${inQueue(database)} AND ${KEY} = k.key
       ORDER BY t.wake_at, t.seq LIMIT $3 FOR UPDATE OF t SKIP LOCKED) AS d`,
    [agent, candidates, sqlLimit(robin.tasksPerKey(candidates.length))],
  );
  const due = rows.map(toDue);
  const queues = candidates.map((key) => ({ key, tasks: due.filter((task) => task.key === key) }));
  return { agent, queues };
}

/** Moves tasks whose `wakeAt` has come into the queue. */
function enqueueDue({ schema, now }: Database, agent: string): Statement {
  return {
    text: `UPDATE ${schema}.task t SET queued = true WHERE t.id = ANY(ARRAY(
       SELECT t.id FROM ${schema}.task t
       WHERE t.agent = $1 AND NOT t.queued AND t.wake_at <= ${now} AND ${WAITS}
       ORDER BY t.wake_at, t.seq LIMIT $2 FOR UPDATE OF t SKIP LOCKED))`,
    values: [agent, MAX_ENQUEUED],
  };
}

/** The keys with a claimable task, each once, starting after a position: as many as a claim may need. */
async function keysInQueue(
  client: Queryable,
  database: Database,
  robin: RoundRobin,
  { agent, position }: Place,
): Promise<readonly string[]> {
  const look = (first: string, upTo: string, bound: string): Statement => {
    const next = (after: string): string =>
      `SELECT ${KEY} AS key FROM ${inQueue(database)} AND ${after} AND ${upTo} ORDER BY ${KEY}, t.wake_at, t.seq LIMIT 1`;
    return {
      // Each key takes one index lookup. PostgreSQL makes no more of them than LIMIT requires.
      text: `WITH RECURSIVE ring(key) AS (
         (${next(first)}) UNION ALL SELECT n.key FROM ring CROSS JOIN LATERAL (${next(`${KEY} > ring.key`)}) AS n)
       SELECT key FROM ring WHERE key <> ALL($3::text[]) LIMIT $4`,
      values: [agent, bound, robin.excluded, sqlLimit(robin.maxCandidates)],
    };
  };
  const found = await pipeline(
    client,
    position === undefined
      ? [look(`${KEY} >= $2`, 'true', '')]
      : [look(`${KEY} > $2`, 'true', position), look(`${KEY} <= $2`, `${KEY} <= $2`, position)],
  );
  return found.flatMap(({ rows }) => rows.map(([key]) => String(key)));
}

function savePositions(schema: string, positions: ReadonlyMap<string, string>): Statement {
  return {
    text: `INSERT INTO ${schema}.claim_position (agent, fairness_key) SELECT * FROM unnest($1::text[], $2::text[])
      ON CONFLICT (agent) DO UPDATE SET fairness_key = excluded.fairness_key`,
    values: [[...positions.keys()], [...positions.values()]],
  };
}

/** When the next task of these agents is due that no living node holds. With `after`, only tasks due later than that. */
export async function nextWake(
  database: Database,
  agents: readonly string[],
  after: number = Number.MIN_SAFE_INTEGER,
): Promise<number | undefined> {
  const { schema, now } = database;
  const [row] = await database.rows(
    `SELECT min(d.wake_at) FROM ${byTime} CROSS JOIN LATERAL (
       SELECT t.wake_at FROM ${schema}.task t
       WHERE t.agent = a.agent AND t.queued = q.queued AND t.wake_at > $2 AND ${isFree(schema, now)}
       ORDER BY t.wake_at LIMIT 1) AS d`,
    [agents, Math.trunc(after)],
  );
  return row === undefined || row[0] === null ? undefined : Number(row[0]);
}

export async function heartbeat(database: Database, node: string, ttlMs: number): Promise<void> {
  const { schema, now } = database;
  await database.rows(
    `INSERT INTO ${schema}.node (id, lives_until) VALUES ($1, ${now} + $2::bigint)
     ON CONFLICT (id) DO UPDATE SET lives_until = excluded.lives_until`,
    [node, Math.trunc(ttlMs)],
  );
}

/** Deletes the row of the node. A node without a row is dead. */
export async function retire(database: Database, node: string): Promise<void> {
  await database.rows(`DELETE FROM ${database.schema}.node WHERE id = $1`, [node]);
}

/** The claimable tasks in the queue of the agent `$1`. */
function inQueue({ schema, now }: Database): string {
  return `${schema}.task t WHERE t.agent = $1 AND t.queued AND t.wake_at <= ${now} AND ${WAITS}`;
}

function isFree(schema: string, now: string): string {
  return `(t.node IS NULL OR NOT EXISTS (SELECT FROM ${schema}.node n WHERE n.id = t.node AND n.lives_until > ${now}))`;
}

function toDue(row: Row): Due {
  const [id, agent, key, wakeAt, seq, attempts] = row as readonly [string, string, string, number, number, number];
  return { id, agent, key, wakeAt, order: seq, attempts };
}
