import type { Runnable } from '../engine/runnable.ts';
import { compareTask, type ComparedTask } from '../engine/run/replay-probe.ts';
import { recordAfter } from '../store/guard.ts';
import type { Store } from '../store/store.ts';

/** How the code of an agent compares with the journal of one task. */
export interface ReplayedJournal extends ComparedTask {
  /** Whether the code asks for everything that was compared, and does not fail before that. `false` if nothing was compared. */
  readonly matches: boolean;
  /** The result in one line: `matches`, `new step pay; never asked for: step charge`, or why nothing was compared. */
  readonly summary: string;
}

/** Options of `replayJournals()`. */
export interface ReplayJournalsOptions {
  /** How long a handler may do nothing before its comparison ends, in milliseconds; 100 if not set. */
  readonly quietMs?: number;
  /** Whether ended tasks are compared too: those whose journals were kept with `keepJournal: 'whole'`; `false` if not set. */
  readonly ended?: boolean;
}

const PAGE = 100;
const NOT_KEPT = "cannot be compared: the values of its journal were not kept (keepJournal: 'whole' keeps them)";

/**
 * Runs the handler of an agent against the journals of all its open tasks in a store, before a changed version is deployed, and of
 * its ended tasks if `ended` is set. Each run stops at the first step or question that the journal does not have. The functions
 * of steps are not called and nothing is written, but code outside of steps runs. Of a task with several turns, the last one runs.
 *
 * @example
 * const replayed = await replayJournals(clerk, store);
 * expect(replayed.filter(({ matches }) => !matches)).toEqual([]);
 *
 * @throws TypeError if the store cannot list the tasks of all owners (`allTasks`).
 */
export async function replayJournals(
  agent: Runnable,
  store: Store,
  options: ReplayJournalsOptions = {},
): Promise<readonly ReplayedJournal[]> {
  if (store.allTasks === undefined)
    throw new TypeError('replayJournals() needs a store that implements allTasks(), as all stores of Tandem do');
  const { quietMs = 100, ended = false } = options;
  const query = { agent: agent.id, limit: PAGE, ...(!ended && { hasEnded: false }) };
  const replayed: ReplayedJournal[] = [];
  for (let after = ''; ;) {
    const page = await store.allTasks({ ...query, after });
    for (const record of page)
      replayed.push(summarized(await compareTask(store, agent, record, { quietMs, recordAfter })));
    const last = page.at(-1);
    if (last === undefined) return replayed;
    after = last.id;
  }
}

function summarized(task: ComparedTask): ReplayedJournal {
  const { compared, recorded, asked, error } = task;
  if (compared === 'nothing') return { ...task, matches: false, summary: NOT_KEPT };
  const matches = recorded.length === 0 && error === undefined;
  const problems = [
    ...asked.map((entry) => `new ${entry}`),
    ...(recorded.length === 0 ? [] : [`never asked for: ${recorded.join(', ')}`]),
    ...(error === undefined ? [] : [`failed: ${error instanceof Error ? error.message : JSON.stringify(error)}`]),
  ];
  const summary = matches ? 'matches' : problems.join('; ');
  return { ...task, matches, summary: compared === 'part' ? `${summary} (up to a value that was removed)` : summary };
}
