import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';

export function lacksScope({ scopes: given = [] }: Caller, scopes: readonly string[]): string | undefined {
  return scopes.find((scope) => !given.includes(scope));
}

/**
 * @param skillId The skill that needs the scopes, if the caller has specified it.
 * @throws A2AError `PERMISSION_DENIED` that lists the missing scopes, and reveals no skill that the caller has not specified.
 */
export function requireScopes(caller: Caller, scopes: readonly string[], skillId?: string): void {
  if (scopes.length === 0) return;
  const missing = scopes.filter((scope) => caller.scopes?.includes(scope) !== true);
  if (missing.length === 0) return;
  const scope = missing.join(' ');
  throw new A2AError('PERMISSION_DENIED', `Insufficient scope. Required: ${missing.join(', ')}`, {
    details: { error: 'insufficient_scope', scope, ...(skillId !== undefined && { skillId }) },
  });
}
