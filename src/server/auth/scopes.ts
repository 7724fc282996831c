import type { Caller } from '../../engine/handler.ts';
import { A2AError } from '../../errors.ts';

/** @throws A2AError `PERMISSION_DENIED` that names the scopes which a caller lacks, and nothing else. */
export function requireScopes(caller: Caller, scopes: readonly string[]): void {
  if (scopes.length === 0) return;
  const missing = scopes.filter((scope) => caller.scopes?.includes(scope) !== true);
  if (missing.length === 0) return;
  const scope = missing.join(' ');
  throw new A2AError('PERMISSION_DENIED', `This needs a permission that your credentials do not have: ${scope}`, {
    details: { error: 'insufficient_scope', scope },
  });
}

/** @throws A2AError `PERMISSION_DENIED`, whether or not there is such a tenant. */
export function requireTenant({ tenants }: Caller, tenant: string): void {
  if (tenants === undefined || tenant === '' || tenants.includes(tenant)) return;
  throw new A2AError('PERMISSION_DENIED', 'Your credentials are not for this tenant', {
    details: { error: 'wrong_tenant' },
  });
}
