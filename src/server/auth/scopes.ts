import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';

/** The first of the scopes that a caller does not have. */
export function lacksScope({ scopes: given = [] }: Caller, scopes: readonly string[]): string | undefined {
  return scopes.find((scope) => !given.includes(scope));
}

/** @throws A2AError `PERMISSION_DENIED` that names the first scope which the caller lacks. */
export function requireScopes(caller: Caller, scopes: readonly string[]): void {
  const scope = lacksScope(caller, scopes);
  if (scope === undefined) return;
  throw new A2AError('PERMISSION_DENIED', `This needs the scope ${scope}`, { details: { scope } });
}
