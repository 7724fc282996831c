import type { Handler } from '../../src/engine/handler.ts';
import { type Cluster, cluster, type ClusterOptions, type Node } from './cluster.ts';
import { ANN } from './harness.ts';

/** Options of a message that is stored, and run by the node that claims its task. */
export const STORED = { returnImmediately: true, elsewhere: true } as const;
export const SECOND = 1000;

/** Engines that only work while a request waits for them. */
export function onDemandCluster(run: Handler, options: ClusterOptions): Cluster {
  return cluster(run, { onDemand: true, ...options });
}

export async function stateOf({ engine }: Node, taskId: string): Promise<string> {
  return (await engine.get(ANN, taskId)).status.state.replace('TASK_STATE_', '').toLowerCase();
}
