import type { Handler } from '../../src/engine/handler.ts';
import { type Cluster, cluster, type ClusterOptions, type Node } from './faults.ts';
import { ANN } from './harness.ts';

/** Sent to be stored, and run by whoever comes for it. */
export const STORED = { returnImmediately: true, elsewhere: true } as const;
export const SECOND = 1000;

/** Engines that only work while somebody waits for them. */
export function hosts(run: Handler, options: ClusterOptions): Cluster {
  return cluster(run, { onDemand: true, ...options });
}

export async function stateOf({ engine }: Node, taskId: string): Promise<string> {
  return (await engine.get(ANN, taskId)).status.state.replace('TASK_STATE_', '').toLowerCase();
}
