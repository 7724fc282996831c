import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { ArrivedPush } from './errand.ts';
import { openStore } from './open-store.ts';
import type { Findings } from './session.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
/** A third of the lease of one of many processes: so much is left at least when it begins to speak. */
const LONGEST_WAY_MS = 2000 / 3;

/**
 * What receivers were told, held against the logs: every event that is not still due has arrived, in order; what came
 * twice came under one id; and nothing is ahead of the cursor but the one event that a kill left unnoted. A process that
 * was stopped in the middle of its words says them when it goes on, and others may have said more by then: once for each
 * time, for before its next words it asks whether it still is the one to say them. The same if words take so long on
 * their way, because nobody had time for them, that the lease may have ended.
 */
export async function judgePushes(findings: Findings): Promise<readonly string[]> {
  const { database, known, received } = findings;
  // So late that whatever waits for its next attempt is due.
  const store = openStore(database, { clock: fakeClock(Date.now() + YEAR_MS) });
  const problems: string[] = [];
  const stops = stopsByProcess(findings.traces());
  try {
    const request = {
      node: 'judge',
      agents: ['agent'],
      limit: 100_000,
      perReceiver: 100_000,
      perOwner: 100_000,
      held: [],
    };
    const due = new Map((await store.claimPushes(request)).map(({ taskId, told }) => [taskId, told]));
    const byTask = grouped(received);
    for (const { operationCall, taskIds } of known.values()) {
      const [taskId] = taskIds;
      if (!operationCall.isPushed || taskId === undefined) continue;
      const events = await store.events(taskId, 0, 100_000);
      const arrived = byTask.get(taskId) ?? [];
      const told = due.get(taskId) ?? events.length;
      problems.push(
        ...judgeOne(events, arrived, told, new Map(stops)).map(
          (problem) => `${operationCall.key} (${operationCall.kind}): ${problem}`,
        ),
      );
    }
    if ((await store.deadLetters({ agents: ['agent'], limit: 1 })).length > 0) problems.push('An event was given up');
  } finally {
    await store.close();
  }
  return problems;
}

function grouped(received: readonly ArrivedPush[]): ReadonlyMap<string, readonly ArrivedPush[]> {
  const byTask = new Map<string, ArrivedPush[]>();
  for (const message of received) {
    const arrived = byTask.get(message.taskId) ?? [];
    arrived.push(message);
    byTask.set(message.taskId, arrived);
  }
  return byTask;
}

function judgeOne(
  events: readonly TaskEvent[],
  arrived: readonly ArrivedPush[],
  told: number,
  stops: Map<number, number>,
): readonly string[] {
  const problems: string[] = [];
  const ids = new Map<number, string>();
  let last = 0;
  for (const { id, number, body, pid, sentAt, arrivedAt } of arrived) {
    const way = arrivedAt - sentAt;
    if (number === last + 1) last = number;
    else if (number > last || (number < last && way <= LONGEST_WAY_MS && !isForgiven(stops, pid)))
      problems.push(`was told of event ${number} after ${last}, by process ${pid}, ${way} ms after it was sent`);
    if (events[number - 1]?.body !== body) problems.push(`was told another event ${number}`);
    if ((ids.get(number) ?? id) !== id) problems.push(`was told twice of event ${number}, as of two`);
    ids.set(number, id);
  }
  if (new Set(ids.values()).size !== ids.size) problems.push('was told of two events under one id');
  if (last < told) problems.push(`was told of ${last} events, but ${told} count as told`);
  if (last > told + 1) problems.push(`was told of ${last} events, but only ${told} count as told`);
  return problems;
}

/** How often each process was stopped for a while. */
function stopsByProcess(traces: readonly string[]): ReadonlyMap<number, number> {
  const stops = new Map<number, number>();
  for (const trace of traces) {
    const pid = Number(/^woken (\d+)$/.exec(trace)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid)) stops.set(pid, (stops.get(pid) ?? 0) + 1);
  }
  return stops;
}

function isForgiven(stops: Map<number, number>, pid: number): boolean {
  const left = stops.get(pid) ?? 0;
  stops.set(pid, left - 1);
  return left > 0;
}
