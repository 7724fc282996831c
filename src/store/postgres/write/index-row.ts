import { A2AError } from '../../../errors.ts';
import type { NewTask } from '../../store.ts';

/** An index row of PostgreSQL has at most 2704 bytes. The headers and padding of five columns and a timestamp take some of them. */
const MAX_BYTES = 2640;
/** The UTF-8 bytes of one UTF-16 code unit. */
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Checks that the names of a task fit into the indexes of lists. A task enters these indexes only when it becomes visible, by a
 * write of its run, and that write would fail forever. So the check runs before the task is created. Names that are too long for
 * the other indexes fail at once.
 *
 * @throws A2AError `INVALID_PARAMS`
 */
export function assertFitsIndexes({ tenant, owner, contextId, id }: NewTask): void {
  const names = tenant + owner + contextId + id;
  if (names.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES || Buffer.byteLength(names) <= MAX_BYTES) return;
  const description = 'is too long, together with the tenant and your caller id';
  throw new A2AError('INVALID_PARAMS', `message.contextId: ${description}. Use a shorter id`, {
    violations: [{ field: 'message.contextId', description }],
  });
}
