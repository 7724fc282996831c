import type { Runnable } from '../engine/runnable.ts';
import { compareTask, type ComparedTask } from '../engine/run/replay-probe.ts';
import { recordAfter } from '../store/guard.ts';
import type { Store } from '../store/store.ts';

/** How the code of an agent compares with the journal of one open task. */
export interface ReplayedJournal extends ComparedTask {
  /** Whether the code asks for everything that the journal has, and does not fail before that. */
  readonly matches: boolean;
  /** The result in one line: `matches`, or `new step pay; never asked for: step charge`. */
  readonly summary: string;
}

/** Options of `replayJournals()`. */
export interface ReplayJournalsOptions {
  /** How long a handler may do nothing before its comparison ends, in milliseconds; 100 if not set. */
  readonly quietMs?: number;
}

const PAGE = 100;

/**
 * Runs the handler of an agent against the journals of all its open tasks in a store, before a changed version is deployed. Each run
 * stops at the first step or question that the journal does not have. The functions of steps are not called and nothing is
 * written, but code outside of steps runs.
 *
 * @example
 * const replayed = await replayJournals(clerk, store);
 * expect(replayed.filter(({ matches }) => !matches)).toEqual([]);
 *
 * @throws TypeError if the store cannot list the open tasks of all owners (`openTasks`).
 */
export async function replayJournals(
  agent: Runnable,
  store: Store,
  options: ReplayJournalsOptions = {},
): Promise<readonly ReplayedJournal[]> {
  if (store.openTasks === undefined)
    throw new TypeError('replayJournals() needs a store that implements openTasks(), as all stores of Tandem do');
  const { quietMs = 100 } = options;
  const replayed: ReplayedJournal[] = [];
  for (let after = ''; ;) {
    const page = await store.openTasks(agent.id, after, PAGE);
    for (const record of page)
      replayed.push(summarized(await compareTask(store, agent, record, { quietMs, recordAfter })));
    const last = page.at(-1);
    if (last === undefined) return replayed;
    after = last.id;
  }
}

function summarized(task: ComparedTask): ReplayedJournal {
  const { recorded, asked, error } = task;
  const matches = recorded.length === 0 && error === undefined;
  const problems = [
    ...asked.map((entry) => `new ${entry}`),
    ...(recorded.length === 0 ? [] : [`never asked for: ${recorded.join(', ')}`]),
    ...(error === undefined ? [] : [`failed: ${error instanceof Error ? error.message : JSON.stringify(error)}`]),
  ];
  return { ...task, matches, summary: matches ? 'matches' : problems.join('; ') };
}
