import type { ProtocolVersion } from './dialect.ts';

/** Systems with a dialect of their own that a server can respond in; `select.ts` has the dialects. */
export const PROFILE_NAMES = ['rxjs', 'agent-native', 'corvid'] as const;

export type ProfileName = (typeof PROFILE_NAMES)[number];

/** Where the peers of a profile send their requests. The card of the profile is below that path. */
export const PROFILE_PATHS: Readonly<Record<ProfileName, string>> = {
  rxjs: '/api/a2a',
  'agent-native': '/_agent-native/a2a',
  corvid: '/a2a/tasks',
};

/** The offer at the path of a profile: the dialect of that profile, which is derived from 0.3. */
export function profileOffer(profile: ProfileName): Offer {
  return { versions: ['0.3'], bindings: profile === 'corvid' ? ['HTTP+JSON'] : ['JSONRPC'], profile };
}

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
  /** The profile in whose form the endpoint responds; the standard form if not set. */
  readonly profile?: ProfileName;
  /** The profiles that are mounted beside the standard endpoints. */
  readonly profiles?: readonly ProfileName[];
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

/** The operation of a request at the paths of the flat form, which exist where the profile `corvid` is mounted. */
export function matchFlatTask(verb: string, path: string, { profiles }: Offer): FlatTaskMatch | undefined {
  if (profiles?.includes('corvid') !== true) return undefined;
  if (verb === 'POST' && path === '/a2a/tasks/send') return { operation: 'SendMessage' };
  const [, segment] = /^\/a2a\/tasks\/([^/]+)$/.exec(path) ?? [];
  if (verb !== 'GET' || segment === undefined) return undefined;
  try {
    return { operation: 'GetTask', taskId: decodeURIComponent(segment) };
  } catch {
    return undefined;
  }
}
