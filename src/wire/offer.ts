import type { ProtocolVersion } from './version.ts';

/** Systems that have their own dialect, in which a server can respond. `select.ts` has the dialects. */
export const PROFILE_NAMES = ['rxjs', 'agent-native', 'corvid'] as const;

/** Name of a profile. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** The path to which peers of a profile send their requests. The card of the profile is below it. */
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

/** A binding of the protocol. */
export type Binding = (typeof BINDINGS)[number];

/** The versions, bindings and profiles of an endpoint. */
export interface Offer {
  /** Supported versions. */
  readonly versions: readonly ProtocolVersion[];
  /** Supported bindings, the preferred one first. Default: all. */
  readonly bindings?: readonly Binding[];
  /** A call without a version header is 0.3, even if its method name exists only in 1.0 (1.0 §3.6.2). */
  readonly strict?: boolean;
  /** The profile in whose form the endpoint responds; the standard form if not set. */
  readonly profile?: ProfileName;
  /** The profiles that are mounted beside the standard endpoints. */
  readonly profiles?: readonly ProfileName[];
  /** The response format for 0.3 REST requests whose body does not show a style. */
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
