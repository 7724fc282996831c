import { fakeClock } from '../../src/testing/fake-clock.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import type { PushMessage } from './errand.ts';
import { isShared, openStore } from './open-store.ts';
import type { Findings } from './session.ts';

const YEAR_MS = 365 * 24 * 3_600_000;

/**
 * What receivers were told, held against the logs: every event that is not still due has arrived, in order; what came
 * twice came under one id; and nothing is ahead of the cursor but the one event that a kill left unnoted. Of several
 * processes, one that was stopped in the middle of its words says them late, when others have gone on.
 */
export async function judgePushes({ database, known, received }: Findings): Promise<readonly string[]> {
  // So late that whatever waits for its next attempt is due.
  const store = openStore(database, { clock: fakeClock(Date.now() + YEAR_MS) });
  const problems: string[] = [];
  const isOrdered = !isShared(database);
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
    for (const { errand, taskIds } of known.values()) {
      const [taskId] = taskIds;
      if (!errand.isPushed || taskId === undefined) continue;
      const events = await store.events(taskId, 0, 100_000);
      const arrived = received.filter((message) => message.taskId === taskId);
      const told = due.get(taskId) ?? events.length;
      problems.push(
        ...judgeOne(events, arrived, told, isOrdered).map((problem) => `${errand.key} (${errand.kind}): ${problem}`),
      );
    }
    if ((await store.deadLetters({ agents: ['agent'], limit: 1 })).length > 0) problems.push('An event was given up');
  } finally {
    await store.close();
  }
  return problems;
}

function judgeOne(
  events: readonly TaskEvent[],
  arrived: readonly PushMessage[],
  told: number,
  isOrdered: boolean,
): readonly string[] {
  const problems: string[] = [];
  const ids = new Map<number, string>();
  let last = 0;
  for (const { id, number, body } of arrived) {
    if (number === last + 1) last = number;
    else if (isOrdered ? number !== last : number > last) problems.push(`was told of event ${number} after ${last}`);
    if (events[number - 1]?.body !== body) problems.push(`was told another event ${number}`);
    if ((ids.get(number) ?? id) !== id) problems.push(`was told twice of event ${number}, as of two`);
    ids.set(number, id);
  }
  if (new Set(ids.values()).size !== ids.size) problems.push('was told of two events under one id');
  if (last < told) problems.push(`was told of ${last} events, but ${told} count as told`);
  if (last > told + 1) problems.push(`was told of ${last} events, but only ${told} count as told`);
  return problems;
}
