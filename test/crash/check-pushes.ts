import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { ArrivedPush } from './worker-protocol.ts';
import { openStore } from './open-store.ts';
import type { SessionResult } from './session.ts';

const YEAR_MS = 365 * 24 * 3_600_000;
/** A third of the lease of a process on a shared database: the least time left of a lease when a delivery starts. */
const MAX_TRANSIT_MS = 2000 / 3;

/**
 * Compares the push notifications that receivers got with the logs. Every event that is not due any more has arrived, in
 * order. Repeats have the same id. At most one event is ahead of the stored position, because a kill may prevent that the
 * position is stored. One late repeat is allowed for each time that a process was suspended: it may finish a delivery
 * although other processes have continued, and checks its lease before the next one. A late repeat is also allowed if the
 * notification was in transit for so long that the lease may have ended.
 */
export async function checkPushes(result: SessionResult): Promise<readonly string[]> {
  const { database, observed, received } = result;
  // So late that every delivery that waits for its next attempt is due.
  const store = openStore(database, { clock: fakeClock(Date.now() + YEAR_MS) });
  const problems: string[] = [];
  const stops = stopsByProcess(result.traces());
  try {
    const request = {
      node: 'checker',
      agents: ['agent'],
      limit: 100_000,
      perReceiver: 100_000,
      perOwner: 100_000,
      held: [],
    };
    const due = new Map((await store.claimPushes(request)).map(({ taskId, told }) => [taskId, told]));
    const byTask = grouped(received);
    for (const { request, taskIds } of observed.values()) {
      const [taskId] = taskIds;
      if (!request.isPushed || taskId === undefined) continue;
      const events = await store.events(taskId, 0, 100_000);
      const arrived = byTask.get(taskId) ?? [];
      const told = due.get(taskId) ?? events.length;
      problems.push(
        ...checkDeliveries(events, arrived, told, new Map(stops)).map(
          (problem) => `${request.key} (${request.kind}): ${problem}`,
        ),
      );
    }
    if ((await store.deadLetters({ agents: ['agent'], limit: 1 })).length > 0) problems.push('There is a dead letter');
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

function checkDeliveries(
  events: readonly TaskEvent[],
  arrived: readonly ArrivedPush[],
  told: number,
  stops: Map<number, number>,
): readonly string[] {
  const problems: string[] = [];
  const ids = new Map<number, string>();
  let last = 0;
  for (const { id, number, body, pid, sentAt, arrivedAt } of arrived) {
    const transitMs = arrivedAt - sentAt;
    if (number === last + 1) last = number;
    else if (number > last || (number < last && transitMs <= MAX_TRANSIT_MS && !isAllowed(stops, pid)))
      problems.push(`got event ${number} after ${last}, from process ${pid}, ${transitMs} ms after it was sent`);
    if (events[number - 1]?.body !== body) problems.push(`got another body for event ${number}`);
    if ((ids.get(number) ?? id) !== id) problems.push(`got event ${number} twice, with different ids`);
    ids.set(number, id);
  }
  if (new Set(ids.values()).size !== ids.size) problems.push('got two events with the same id');
  if (last < told) problems.push(`got ${last} events, but ${told} are stored as delivered`);
  if (last > told + 1) problems.push(`got ${last} events, but only ${told} are stored as delivered`);
  return problems;
}

/** The number of times that each process was suspended. */
function stopsByProcess(traces: readonly string[]): ReadonlyMap<number, number> {
  const stops = new Map<number, number>();
  for (const trace of traces) {
    const pid = Number(/^woken (\d+)$/.exec(trace)?.[1] ?? Number.NaN);
    if (!Number.isNaN(pid)) stops.set(pid, (stops.get(pid) ?? 0) + 1);
  }
  return stops;
}

function isAllowed(stops: Map<number, number>, pid: number): boolean {
  const remaining = stops.get(pid) ?? 0;
  stops.set(pid, remaining - 1);
  return remaining > 0;
}
