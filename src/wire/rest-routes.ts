import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';

export type RestVerb = 'GET' | 'POST' | 'DELETE';

/** Which operation a REST request means, and the ids its path holds. */
export interface RestMatch {
  readonly operation: OperationName;
  /** `/v1` is the prefix of 0.3's paths; 1.0 has none. */
  readonly prefix: '' | '/v1';
  readonly tenant?: string;
  readonly taskId?: string;
  readonly configId?: string;
}

/** The path exists, but not with this verb. */
export interface RestWrongVerb {
  readonly allow: readonly RestVerb[];
  readonly tenant?: string;
}

interface Route {
  readonly operation: OperationName;
  readonly verbs: readonly RestVerb[];
  /** `{task}` and `{config}` stand for ids; `{task}:cancel` for an id with a literal ending. */
  readonly path: readonly string[];
}

/** 1.0 §11.3. Subscribe is POST in the prose and GET in the protocol definition, so both are served. */
const ROUTES: readonly Route[] = [
  { operation: 'SendMessage', verbs: ['POST'], path: ['message:send'] },
  { operation: 'SendStreamingMessage', verbs: ['POST'], path: ['message:stream'] },
  { operation: 'ListTasks', verbs: ['GET'], path: ['tasks'] },
  { operation: 'CancelTask', verbs: ['POST'], path: ['tasks', '{task}:cancel'] },
  { operation: 'SubscribeToTask', verbs: ['POST', 'GET'], path: ['tasks', '{task}:subscribe'] },
  { operation: 'GetTask', verbs: ['GET'], path: ['tasks', '{task}'] },
  {
    operation: 'CreateTaskPushNotificationConfig',
    verbs: ['POST'],
    path: ['tasks', '{task}', 'pushNotificationConfigs'],
  },
  {
    operation: 'ListTaskPushNotificationConfigs',
    verbs: ['GET'],
    path: ['tasks', '{task}', 'pushNotificationConfigs'],
  },
  {
    operation: 'GetTaskPushNotificationConfig',
    verbs: ['GET'],
    path: ['tasks', '{task}', 'pushNotificationConfigs', '{config}'],
  },
  {
    operation: 'DeleteTaskPushNotificationConfig',
    verbs: ['DELETE'],
    path: ['tasks', '{task}', 'pushNotificationConfigs', '{config}'],
  },
  { operation: 'GetExtendedAgentCard', verbs: ['GET'], path: ['extendedAgentCard'] },
];

/** The paths of 0.3 under `/v1` differ in one name only; both are known there, for 1.0 may be mounted under it. */
const ROUTES_03: readonly Route[] = [{ operation: 'GetExtendedAgentCard', verbs: ['GET'], path: ['card'] }, ...ROUTES];

const RESERVED = new Set(['v1', 'tasks', 'extendedAgentCard', '.well-known']);

/** Names that can never be a tenant, because a path that starts with them means something else. */
export function isReservedTenant(name: string): boolean {
  return RESERVED.has(name) || name.startsWith('message:');
}

/**
 * Finds the operation of a REST request. `path` is raw, still percent-encoded, without query and without the prefix under
 * which the agent is mounted. `undefined` if there is no such path at all.
 */
export function matchRest(verb: string, path: string): RestMatch | RestWrongVerb | undefined {
  const [head, ...segments] = path.split('/');
  if (head !== '') return undefined;
  if (segments[0] === 'v1') return matchRoutes(ROUTES_03, verb, segments.slice(1), { prefix: '/v1' });
  const plain = matchRoutes(ROUTES, verb, segments, { prefix: '' });
  if (plain !== undefined) return plain;
  const tenant = decodeSegment(segments[0]);
  if (tenant === undefined || isReservedTenant(tenant)) return undefined;
  return matchRoutes(ROUTES, verb, segments.slice(1), { prefix: '', tenant });
}

function matchRoutes(
  routes: readonly Route[],
  verb: string,
  segments: readonly string[],
  base: Pick<RestMatch, 'prefix' | 'tenant'>,
): RestMatch | RestWrongVerb | undefined {
  const allow: RestVerb[] = [];
  for (const { operation, verbs, path } of routes) {
    const ids = matchPath(path, segments);
    if (ids === undefined) continue;
    if ((verbs as readonly string[]).includes(verb)) return { operation, ...base, ...ids };
    allow.push(...verbs);
  }
  if (allow.length === 0) return undefined;
  return base.tenant === undefined ? { allow } : { allow, tenant: base.tenant };
}

function matchPath(
  path: readonly string[],
  segments: readonly string[],
): Pick<RestMatch, 'taskId' | 'configId'> | undefined {
  if (path.length !== segments.length) return undefined;
  const ids: { taskId?: string; configId?: string } = {};
  for (const [i, pattern] of path.entries()) {
    const segment = segments[i] ?? '';
    if (!pattern.startsWith('{')) {
      if (segment !== pattern) return undefined;
      continue;
    }
    const name = pattern.startsWith('{task}') ? 'taskId' : 'configId';
    const ending = pattern.slice(pattern.indexOf('}') + 1);
    // Only these two literals are verbs, and only at the end of a path, so ids may hold any other colon.
    const mayHaveVerb = pattern === '{task}' && i === path.length - 1;
    if (!segment.endsWith(ending) || (mayHaveVerb && /:(cancel|subscribe)$/.test(segment))) return undefined;
    const id = decodeSegment(segment.slice(0, segment.length - ending.length));
    if (id === undefined) return undefined;
    ids[name] = id;
  }
  return ids;
}

/** One percent-decoding, never two; an empty or broken segment is no id. */
function decodeSegment(segment: string | undefined): string | undefined {
  if (segment === undefined || segment === '') return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Verb and path of an operation, for a client. Ids and tenant are percent-encoded as single segments. */
export function restPath(match: RestMatch): { readonly verb: RestVerb; readonly path: string } {
  const route = (match.prefix === '/v1' ? ROUTES_03 : ROUTES).find(({ operation }) => operation === match.operation);
  if (route === undefined) throw new TypeError(`No REST path for ${match.operation}`);
  const { prefix, tenant, taskId = '', configId = '' } = match;
  const segments = route.path.map((pattern) =>
    pattern.replace('{task}', () => encodeSegment(taskId)).replace('{config}', () => encodeSegment(configId)),
  );
  const head = tenant === undefined ? prefix : `${prefix}/${encodeSegment(tenant)}`;
  return { verb: route.verbs[0] ?? 'GET', path: [head, ...segments].join('/') };
}

function encodeSegment(id: string): string {
  // Written or encoded, whoever reads an address takes these for steps of the path.
  if (id === '.' || id === '..') throw new A2AError('INVALID_PARAMS', `The id ${id} cannot stand in a path`);
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new A2AError('INVALID_PARAMS', 'An id with half a character in it cannot stand in a path', { cause });
  }
}
