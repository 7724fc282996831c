import type { ProtocolVersion } from './dialect.ts';

/** Kinds of peers that a mount can answer in their own way; `select.ts` knows how. */
export const PROFILE_NAMES = ['rxjs', 'agent-native', 'corvid'] as const;

export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The bindings that a server can offer, as cards name them. */
export const BINDINGS = ['JSONRPC', 'HTTP+JSON'] as const;

export type Binding = (typeof BINDINGS)[number];

/** What an endpoint offers. */
export interface Offer {
  /** The versions it answers to. */
  readonly versions: readonly ProtocolVersion[];
  /** The bindings it answers to, the preferred one first; all if not set. */
  readonly bindings?: readonly Binding[];
  /** A call without a version header is 0.3, even if its method name can only be of 1.0 (1.0 §3.6.2). */
  readonly strict?: boolean;
  readonly profile?: ProfileName;
  /** How to answer REST requests of 0.3 that show no style of their own. */
  readonly restStyle?: 'proto' | 'kind' | 'kind-bare';
}

export function offersBinding({ bindings }: Offer, binding: Binding): boolean {
  return bindings === undefined || bindings.includes(binding);
}

/** Versions before 0.3 have JSON-RPC only. */
export function hasBinding(version: ProtocolVersion, binding: Binding): boolean {
  return binding === 'JSONRPC' || version === '1.0' || version === '0.3';
}

export interface FlatTaskMatch {
  readonly operation: 'SendMessage' | 'GetTask';
  readonly taskId?: string;
}

/** The operation of a request at the paths of the flat form, where only a mount with its profile answers. */
export function matchFlatTask(verb: string, path: string, { profile }: Offer): FlatTaskMatch | undefined {
  if (profile !== 'corvid') return undefined;
  if (verb === 'POST' && path === '/a2a/tasks/send') return { operation: 'SendMessage' };
  const [, segment] = /^\/a2a\/tasks\/([^/]+)$/.exec(path) ?? [];
  if (verb !== 'GET' || segment === undefined) return undefined;
  try {
    return { operation: 'GetTask', taskId: decodeURIComponent(segment) };
  } catch {
    return undefined;
  }
}
