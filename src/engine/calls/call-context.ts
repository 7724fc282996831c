import type { TaskRecord } from '../../store/store.ts';
import { sha256 } from '../../support/secret/sha256.ts';

/**
 * The context of a task's calls to one peer: the same for all tasks of a conversation. Callers choose the context of their own tasks, so
 * the digest has to be one for which they cannot construct the context of another caller.
 */
export async function contextIdOfCall({ tenant, owner, contextId }: TaskRecord, peer: string): Promise<string> {
  const hash = await sha256(JSON.stringify([owner, tenant, contextId, peer]));
  return `call-${hash.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}
