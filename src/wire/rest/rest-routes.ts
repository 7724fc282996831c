import { A2AError } from '../../errors.ts';
import type { OperationName } from '../../model/operation.ts';

export type RestVerb = 'GET' | 'POST' | 'DELETE';

/** The operation of a REST request, and the ids in its path. */
export interface RestMatch {
  readonly operation: OperationName;
  /** The prefix of 0.3 paths is `/v1`. 1.0 has none. */
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

/**
 * The 0.3 paths under `/v1` differ in one name. Both names are accepted there, because 1.0 may be mounted under `/v1`.
 */
const ROUTES_03: readonly Route[] = [{ operation: 'GetExtendedAgentCard', verbs: ['GET'], path: ['card'] }, ...ROUTES];

const RESERVED = new Set(['v1', 'tasks', 'extendedAgentCard', '.well-known']);

/** Names that cannot be a tenant, because paths that start with them have another meaning. */
export function isReservedTenant(name: string): boolean {
  return RESERVED.has(name) || name.startsWith('message:');
}

/**
 * Returns the operation of a REST request. `path` is percent-encoded, without the query and without the prefix under
 * which the agent is mounted. `undefined` if no such path exists.
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
    // Only these two literals are verbs, and only at the end of a path, so ids may contain any other colon.
    const mayHaveVerb = pattern === '{task}' && i === path.length - 1;
    if (!segment.endsWith(ending) || (mayHaveVerb && /:(cancel|subscribe)$/.test(segment))) return undefined;
    const id = decodeSegment(segment.slice(0, segment.length - ending.length));
    if (id === undefined) return undefined;
    ids[name] = id;
  }
  return ids;
}

/** Percent-decoded once, never twice. An empty or malformed segment is not an id. */
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
  // URL parsers treat these as path steps, even if they are percent-encoded.
  if (id === '.' || id === '..') throw new A2AError('INVALID_PARAMS', `The id "${id}" is not allowed in a URL path`);
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new A2AError('INVALID_PARAMS', 'An id with an unpaired surrogate is not allowed in a URL path', { cause });
  }
}
