import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { TaskAccess } from '../engine/task-access.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Binding } from '../wire/offer.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import type { WaitUntil } from './http.ts';
import type { Service } from './service.ts';

/** What an operation knows of the request that asks for it, whatever binding it came by. */
export interface Call {
  readonly dialect: Dialect;
  /** Where the caller sees the agent. */
  readonly base: string;
  readonly binding: Binding;
  readonly caller: Caller;
  /** The extensions that the caller asked for, as far as the agent has them. */
  readonly extensions: readonly string[];
  /** Whether the caller asks for an extension of the server; if so, the response names it. */
  activate(uri: string): boolean;
  readonly idempotencyKey: string | undefined;
  /** The longest working time that the caller gives a new task, if its dialect can say so. */
  readonly timeoutMs?: number | undefined;
  /** Where in a trace the call is, if it is in one. What comes of it stays there. */
  readonly trace: TraceContext | undefined;
  /** `Last-Event-ID`: the caller comes back for the rest of a stream. */
  readonly lastEventId: string | undefined;
  /** Aborts when the caller is gone. */
  readonly signal: LeaveSignal;
  /** The address that the request came from, if anybody knows. */
  readonly remoteAddress: string | undefined;
  /** Against whose share of slots and queue new tasks count, if not against the caller's. */
  readonly fairnessKey: string | undefined;
  /** Keeps the process awake after the answer, where the host can do so. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** Owns nothing: no caller is called so. */
const NOBODY = '';

/**
 * Whose tasks a call can see, of this agent alone. The tenant is the caller's word, which only ever narrows what is his:
 * in one that is not his there is nothing to be seen, found out by the same steps as for any other.
 */
export function accessOf(
  { agent }: Service,
  { caller }: Pick<Call, 'caller'>,
  { tenant = '' }: Tenanted,
): Required<TaskAccess> {
  if (caller.id === NOBODY) throw new Error('An authenticator let in a caller without an id');
  return { tenant, owner: isOwnTenant(caller, tenant) ? caller.id : NOBODY, agent: agent.id };
}

/** For what makes something in a tenant. @throws A2AError `PERMISSION_DENIED`, whether there is such a tenant or not. */
export function requireTenant({ caller }: Pick<Call, 'caller'>, { tenant = '' }: Tenanted): void {
  if (!isOwnTenant(caller, tenant)) throw new A2AError('PERMISSION_DENIED', 'This tenant is not yours');
}

interface Tenanted {
  readonly tenant?: string;
}

/** Who names no tenant is among his own. */
function isOwnTenant({ tenants }: Caller, tenant: string): boolean {
  return tenants === undefined || tenant === '' || tenants.includes(tenant);
}
