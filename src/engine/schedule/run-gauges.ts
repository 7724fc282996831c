import type { EngineContext } from '../engine-context.ts';
import type { Runs } from './runs.ts';
import type { Slots } from './slots.ts';
import type { SuspendedRuns } from './suspended-runs.ts';

/** Registers the gauges for the load of this node. */
export function showRuns({ observers, agents, memory }: EngineContext, runs: Runs, suspended: SuspendedRuns): void {
  const { metrics } = observers;
  if (metrics === undefined) return;
  const each = (read: (slots: Slots) => number) => () =>
    Array.from(agents.values(), (agent) => [[agent.id], read(runs.slots(agent))] as const);
  metrics.gauge(
    'tandem_runs',
    'Runs at work on this node; each holds a slot and a lease',
    ['agent'],
    each(({ taken }) => taken),
  );
  metrics.gauge(
    'tandem_queue',
    'Tasks that wait on this node for a slot',
    ['agent'],
    each(({ waiting }) => waiting),
  );
  metrics.gauge('tandem_suspended_runs', 'Runs that wait in memory for an answer or a timer', [], () => [
    [[], suspended.size],
  ]);
  metrics.gauge('tandem_run_bytes', 'Bytes that the runs at work on this node hold in memory', [], () => [
    [[], memory.bytes],
  ]);
}
