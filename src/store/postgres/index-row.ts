import { A2AError } from '../../errors.ts';
import type { NewTask } from '../store.ts';

/** PostgreSQL takes 2704 bytes, of which the headers and gaps of five columns and a time take some. */
const MAX_BYTES = 2640;
/** Of what JavaScript counts as one character. */
const MAX_BYTES_PER_CHARACTER = 3;

/**
 * Whether the indexes of lists have room for a task. They get it only when it can be seen, by a write of its run, which
 * would then be refused for ever: so it is asked for before the task is made. What is too long for the others, PostgreSQL
 * refuses at once.
 *
 * @throws A2AError `INVALID_PARAMS`
 */
export function assertFitsIndexes({ tenant, owner, contextId, id }: NewTask): void {
  const names = tenant + owner + contextId + id;
  if (names.length * MAX_BYTES_PER_CHARACTER <= MAX_BYTES || Buffer.byteLength(names) <= MAX_BYTES) return;
  const description = 'too long, together with the tenant and with the id that your credentials give you';
  throw new A2AError('INVALID_PARAMS', `message.contextId: ${description}: take a shorter one`, {
    violations: [{ field: 'message.contextId', description }],
  });
}
