import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { TaskAccess } from '../engine/tasks/task-access.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { Span } from '../observe/tracer.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { Binding } from '../wire/offer.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import type { Agent } from '../agent/agent.ts';
import type { WaitUntil } from './http.ts';

/** An inbound request for an operation, independent of how it arrived. Its large responses count for `caller`. */
export interface RequestContext {
  readonly dialect: Dialect;
  /** The URL of the agent as the caller sees it. */
  readonly base: string;
  readonly binding: Binding;
  readonly caller: Caller;
  /** The requested extensions that the agent declares. */
  readonly extensions: readonly string[];
  /** Whether the caller requests an extension of the server. If so, the response lists it. */
  activate(uri: string): boolean;
  readonly idempotencyKey: string | undefined;
  /** The time limit that the caller sets for a new task, if its dialect supports one. */
  readonly timeoutMs?: number | undefined;
  /** The trace context of the request, if any. Work that results from the request belongs to the same trace. */
  readonly trace: TraceContext | undefined;
  /** `Last-Event-ID`, if the caller resumes a stream. */
  readonly lastEventId: string | undefined;
  /** Aborts when the client disconnects. */
  readonly signal: LeaveSignal;
  /** The IP address of the client, if known. */
  readonly remoteAddress: string | undefined;
  /** Whether the request comes from this machine, and not through a trusted proxy. */
  readonly isLocal: boolean;
  /** Whether the hold of a large response is released when the response is sent or abandoned. Otherwise it is not counted. */
  readonly releasesHold: boolean;
  /** The trace context of the caller. */
  readonly parent: TraceContext | undefined;
  /** Makes a span the trace context of the request. */
  becomes(span: Span): void;
  /** The key whose share of slots and queue new tasks count against, if it is not the caller. */
  readonly fairnessKey: string | undefined;
  /** Keeps the process awake after the response, if the host supports it. */
  readonly waitUntil?: WaitUntil | undefined;
}

/** An owner without tasks, because no caller can have this id. */
const NOBODY = '';

/**
 * The scope of tasks that a request can access, of this agent only. The request chooses the tenant, which can only narrow the scope: in
 * the tenant of another caller it finds nothing, by the same steps, so that timing reveals nothing.
 */
export function accessOf(
  { agent }: { readonly agent: Pick<Agent, 'id'> },
  { caller }: Pick<RequestContext, 'caller'>,
  { tenant = '' }: Tenanted,
): Required<TaskAccess> {
  if (caller.id === NOBODY) throw new Error('An authenticator accepted a caller without an id');
  return { tenant, owner: isOwnTenant(caller, tenant) ? caller.id : NOBODY, agent: agent.id };
}

/** For operations that create something in a tenant. @throws A2AError `PERMISSION_DENIED`, whether the tenant exists or not. */
export function requireTenant({ caller }: Pick<RequestContext, 'caller'>, { tenant = '' }: Tenanted): void {
  if (!isOwnTenant(caller, tenant)) throw new A2AError('PERMISSION_DENIED', 'You do not have access to this tenant');
}

interface Tenanted {
  readonly tenant?: string;
}

/** Without a tenant, callers access their own data. */
function isOwnTenant({ tenants }: Caller, tenant: string): boolean {
  return tenants === undefined || tenant === '' || tenants.includes(tenant);
}
