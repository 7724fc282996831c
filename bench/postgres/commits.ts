import type { Store } from '../../src/store/store.ts';
import { buildModules, importModule } from '../harness/product.ts';
import { type Spread, ratios, spread } from '../harness/stats.ts';
import { runTask, runTaskRounds, type TaskRound, type TaskRunner } from '../store-tasks.ts';

type PostgresModule = typeof import('../../src/store/postgres/store.ts');

export interface CommitRow {
  readonly name: string;
  readonly cpuUs: Spread;
  readonly tasksPerSecond: Spread;
  readonly rateToSingle: Spread;
  readonly rounds: readonly TaskRound[];
}

/** Concurrent tasks, and the number of tasks with twelve writes per round. */
const LOADS = [
  [1, 5],
  [16, 60],
  [64, 120],
] as const;

/**
 * Compares group commit, with one transaction at a time per process, with one transaction per write at the same load.
 * In the second case each concurrent task has its own store and connection, so only the database can combine disk
 * writes.
 */
export async function measureCommits(
  url: string,
  options: { readonly rounds: number; readonly quick: boolean },
): Promise<readonly CommitRow[]> {
  buildModules();
  const { postgres } = await importModule<PostgresModule>('store/postgres/store.js');
  const together = postgres(url);
  const alone = Array.from({ length: 64 }, () => postgres(url, { connections: 2 }));
  const runners: TaskRunner[] = LOADS.flatMap(([inFlight, tasks]) => [
    { name: `${inFlight} in flight, each alone`, inFlight, tasks, run: inTurn(alone.slice(0, inFlight)) },
    ...(inFlight === 1
      ? []
      : [{ name: `${inFlight} in flight, together`, inFlight, tasks, run: () => runTask(together) }]),
  ]);
  const measured = await runTaskRounds(
    runners.map((runner) => ({ ...runner, tasks: options.quick ? Math.ceil(runner.tasks / 4) : runner.tasks })),
    { rounds: options.rounds, warmUpRounds: 1 },
  );
  await Promise.all([together, ...alone].map((store) => store.close()));
  return runners.map(({ name, inFlight }) => {
    const rounds = measured.get(name) ?? [];
    const rates = (of: string): readonly number[] => (measured.get(of) ?? []).map((round) => round.tasksPerSecond);
    return {
      name,
      cpuUs: spread(rounds.map(({ cpuUs }) => cpuUs)),
      tasksPerSecond: spread(rates(name)),
      rateToSingle: ratios(rates(name), rates(`${inFlight} in flight, each alone`)),
      rounds,
    };
  });
}

/** One task at a time on each store. */
function inTurn(stores: readonly Store[]): () => Promise<void> {
  const free = [...stores];
  return async () => {
    const store = free.pop();
    if (store === undefined) throw new Error('more tasks in flight than stores');
    await runTask(store);
    free.push(store);
  };
}
