import type { TaskRecord } from '../../store/store.ts';
import { sha256 } from '../../support/secret/sha256.ts';
import { originOf } from '../replay/load-task.ts';
import { CallError } from './call.ts';
import type { Lineage } from './peers.ts';

/** The lineage of the calls that a task makes. */
export function lineageOfCalls(task: TaskRecord, deadline: number | undefined): Lineage {
  const { lineage } = originOf(task);
  const until = earlier(lineage?.deadline, deadline);
  return {
    root: lineage?.root ?? task.id,
    parent: task.id,
    depth: (lineage?.depth ?? 0) + 1,
    path: [...(lineage?.path ?? []), task.agent],
    ...(until !== undefined && { deadline: until }),
  };
}

/** @throws CallError `rejected` with a message that a model can read: for calls that are nested too deeply, and for cycles. */
export function assertMayCall({ depth, path }: Lineage, peer: string, maxDepth: number): void {
  const chain = [...path, peer].join(' › ');
  if (depth > maxDepth)
    throw new CallError(
      `The call was rejected: agents may call each other ${maxDepth} levels deep, and ${chain} is level ${depth}. Answer without this call.`,
      'rejected',
    );
  if (path.at(-1) === peer)
    throw new CallError(`The call was rejected: ${peer} cannot call itself. Answer without this call.`, 'rejected');
  if (path.includes(peer))
    throw new CallError(
      `The call was rejected: ${peer} is already waiting for this task (${chain}). Answer without this call.`,
      'rejected',
    );
}

/**
 * The context of a task's calls to one peer: the same for all tasks of a conversation. Callers choose the context of their own tasks, so
 * the digest has to be one for which they cannot construct the context of another caller.
 */
export async function contextIdOfCall({ tenant, owner, contextId }: TaskRecord, peer: string): Promise<string> {
  const hash = await sha256(JSON.stringify([owner, tenant, contextId, peer]));
  return `call-${hash.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

export function earlier(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return other === undefined ? one : Math.min(one, other);
}
