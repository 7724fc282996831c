import type { Caller } from '../engine/handler.ts';
import type { TaskAccess } from '../engine/task-access.ts';
import type { TraceContext } from '../observe/trace-context.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { LeaveSignal } from '../support/leave-signal.ts';
import type { Service } from './service.ts';

/** By which way a request came, in the words of a card. */
export type Binding = 'JSONRPC' | 'HTTP+JSON';

/** What an operation knows of the request that asks for it, whatever binding it came by. */
export interface Call {
  readonly dialect: Dialect;
  readonly binding: Binding;
  readonly caller: Caller;
  /** The extensions that the caller asked for, as far as the agent has them. */
  readonly extensions: readonly string[];
  readonly idempotencyKey: string | undefined;
  /** Where in a trace the call is, if it is in one. What comes of it stays there. */
  readonly trace: TraceContext | undefined;
  /** `Last-Event-ID`: the caller comes back for the rest of a stream. */
  readonly lastEventId: string | undefined;
  /** Aborts when the caller is gone. */
  readonly signal: LeaveSignal;
}

/** Whose tasks a call can see, of this agent alone. The tenant is the caller's word, which only ever narrows what is his. */
export function accessOf(
  { agent }: Service,
  { caller }: Pick<Call, 'caller'>,
  { tenant = '' }: { readonly tenant?: string },
): Required<TaskAccess> {
  return { tenant, owner: caller.id, agent: agent.id };
}
