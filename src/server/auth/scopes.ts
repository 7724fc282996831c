import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';

/** The first of the scopes that a caller does not have. */
export function lacksScope({ scopes: given = [] }: Caller, scopes: readonly string[]): string | undefined {
  return scopes.find((scope) => !given.includes(scope));
}

/**
 * @param skillId The skill that the caller has named, and that needs the scopes.
 * @throws A2AError `PERMISSION_DENIED` that names the scopes which a caller lacks, and nothing that the caller has not named.
 */
export function requireScopes(caller: Caller, scopes: readonly string[], skillId?: string): void {
  if (scopes.length === 0) return;
  const missing = scopes.filter((scope) => caller.scopes?.includes(scope) !== true);
  if (missing.length === 0) return;
  const scope = missing.join(' ');
  throw new A2AError('PERMISSION_DENIED', `This needs the scope ${missing.join(', ')}`, {
    details: { error: 'insufficient_scope', scope, ...(skillId !== undefined && { skillId }) },
  });
}
