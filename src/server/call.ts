import type { Caller } from '../engine/handler.ts';
import type { TaskAccess } from '../engine/task-access.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import { requireTenant } from './auth/scopes.ts';
import type { Service } from './service.ts';

/** What an operation knows of the request that asks for it, whatever binding it came by. */
export interface Call {
  readonly dialect: Dialect;
  readonly caller: Caller;
  /** The extensions that the caller asked for, as far as the agent has them. */
  readonly extensions: readonly string[];
  readonly idempotencyKey: string | undefined;
  /** `Last-Event-ID`: the caller comes back for the rest of a stream. */
  readonly lastEventId: string | undefined;
  /** Aborts when the caller is gone. */
  readonly signal: LeaveSignal;
}

/**
 * Whose tasks a call can see, of this agent alone. The tenant is the caller's word, which only ever narrows what is his.
 *
 * @throws A2AError `PERMISSION_DENIED` if his credentials are for other tenants.
 */
export function accessOf(
  { agent }: Service,
  { caller }: Pick<Call, 'caller'>,
  { tenant = '' }: { readonly tenant?: string },
): Required<TaskAccess> {
  requireTenant(caller, tenant);
  return { tenant, owner: caller.id, agent: agent.id };
}
