import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';
import { isObject } from './codec.ts';
import { type Dialect, operationOf } from './dialect.ts';
import { type FlatTaskMatch, hasBinding, matchFlatTask, type Offer, type ProfileName } from './offer.ts';
import { answerInStatus } from './profiles/answer-in-status.ts';
import { artifactIds, chunkPart } from './profiles/artifacts.ts';
import { asyncFlag, getAsStream, strayIds, tasksSendAlias } from './profiles/request-params.ts';
import { fileData, typeTag } from './profiles/parts.ts';
import { createFlatTaskDialect } from './profiles/flat-task.ts';
import { privateErrors } from './profiles/private-errors.ts';
import type { Profile } from './profiles/profile.ts';
import { snapshotStream } from './profiles/snapshot-stream.ts';
import { toolParts } from './profiles/tool-parts.ts';
import type { Repair, Warning } from './decoder.ts';
import { v01 as official01 } from './v01/index.ts';
import { v02 as official02 } from './v02/index.ts';
import { v03 as official03 } from './v03/index.ts';
import { v03Proto as official03Proto } from './v03/proto/index.ts';
import { withRestCard } from './v03/proto/rest-card.ts';
import { detectStyle, v03Kind as official03Kind } from './v03/rest.ts';
import { v1 } from './v1/index.ts';
import type { ProtocolVersion, RequestedVersion } from './version.ts';

/** The repairs for deviating peers. Not applied in strict mode. */
export const repairs: readonly Repair[] = [
  strayIds,
  asyncFlag,
  getAsStream,
  typeTag,
  toolParts,
  fileData,
  chunkPart,
  artifactIds,
].flatMap((profile) => profile.repairs ?? []);

/** All dialects except 1.0 are exported with the repairs. For 1.0, no deviations are known yet. */
function lenient(dialect: Dialect): Dialect {
  return { ...dialect, repairs };
}

const v01 = lenient(official01);
const v02 = lenient(official02);
const v03 = lenient(official03);
const v03Proto = lenient(official03Proto);
const v03Kind = lenient(official03Kind);

/** The REST dialect of a server. Clients use the protocol definition without the changed card. */
const served03Proto = withRestCard(v03Proto);

/** All dialects by name. */
export const dialects = {
  v1,
  v03,
  'v03-proto': v03Proto,
  'v03-kind': v03Kind,
  v02,
  v01,
  'flat-task': createFlatTaskDialect(v03),
} as const satisfies Record<string, Dialect>;

const BY_VERSION: Readonly<Record<ProtocolVersion, Dialect>> = { '1.0': v1, '0.3': v03, '0.2': v02, '0.1': v01 };

/** The deviations that make up the dialect of each profile. */
const PROFILES = {
  /** Looopy's RxJS agent: private error numbers, `tasks/get` that streams, tool parts and input requests. */
  rxjs: [privateErrors, getAsStream, toolParts],
  /** agent-native: parts tagged `type`, streams of whole tasks under id 0, the response in the status. */
  'agent-native': [typeTag, snapshotStream, answerInStatus],
} as const satisfies Record<Exclude<ProfileName, 'corvid'>, readonly Profile[]>;

/** The dialect of the response, with the operation or the error of the request. */
export type Selection =
  | {
      readonly dialect: Dialect;
      readonly operation: OperationName;
      /** Several versions have this method, so the dialect of the task should be used if it is known. */
      readonly shared: boolean;
      readonly warnings: readonly Warning[];
      readonly error?: never;
    }
  | { readonly dialect: Dialect; readonly operation?: never; readonly error: A2AError };

/** Methods with the same name in 0.1, 0.2 and 0.3. */
const SHARED = new Set(['tasks/get', 'tasks/cancel', 'tasks/resubscribe']);

/** Selects the dialect of a JSON-RPC call: by its version header, else by its method, else by its params. */
export function selectRpc(method: string, params: unknown, version: RequestedVersion, offer: Offer): Selection {
  if (version.kind === 'absent') return selectByMethod(method, params, offer);
  if (version.kind === 'known' && offer.versions.includes(version.version)) {
    // An explicit version takes precedence over the dialect of the task.
    return callOf(profiled(BY_VERSION[version.version], offer), method, false);
  }
  // A caller of a known version can decode the errors of that version. Others get those of 1.0.
  const dialect = version.kind === 'known' ? BY_VERSION[version.version] : v1;
  return { dialect, error: versionNotSupported(textOf(version), offer.versions) };
}

/** No version means 0.3 (1.0 §3.6.2), unless the method exists only in another version. */
function selectByMethod(method: string, params: unknown, offer: Offer): Selection {
  const lenient = offer.strict !== true;
  const offers = (version: ProtocolVersion): boolean => offer.versions.includes(version);
  if (lenient && offers('1.0') && operationOf(v1, method) !== undefined) return callOf(v1, method);

  const base = offers('0.3') ? v03 : offers('0.2') ? v02 : undefined;
  const alias = lenient && base !== undefined ? tasksSendAlias(method, params) : undefined;
  if (base !== undefined && alias !== undefined) return { dialect: profiled(base, offer), ...alias, shared: false };
  if (offers('0.1') && (base === undefined || operationOf(base, method) === undefined)) {
    if (base === undefined || operationOf(v01, method) !== undefined) return callOf(v01, method);
  }
  if (base !== undefined) return callOf(profiled(base, offer), method);
  return { dialect: v1, error: versionNotSupported('0.3', offer.versions) };
}

/** The dialect of the response to a request whose path contains the operation, and the error if it is rejected. */
export interface PathSelection {
  readonly dialect: Dialect;
  readonly error?: A2AError;
}

/** Selects the dialect of a REST request: by its version header, else by its path and the style of its body. */
export function selectRest(prefix: '' | '/v1', body: unknown, version: RequestedVersion, offer: Offer): PathSelection {
  const implied = prefix === '' || isOf1(body) ? '1.0' : '0.3';
  const requested = version.kind === 'absent' ? implied : textOf(version);
  const dialect = requested === '0.3' ? restDialectOf03(body, offer) : v1;
  const versions = offer.versions.filter((version) => hasBinding(version, 'HTTP+JSON'));
  return versions.some((version) => version === requested)
    ? { dialect }
    : { dialect, error: versionNotSupported(requested, versions, ' over REST') };
}

/** A 1.0 message can arrive under `/v1` if the agent is mounted there. */
function isOf1(body: unknown): boolean {
  const message = isObject(body) ? body['message'] : undefined;
  if (!isObject(message) || !Array.isArray(message['parts'])) return false;
  const { role } = message;
  const hasKind = message['parts'].some((part) => isObject(part) && 'kind' in part);
  return typeof role === 'string' && role.startsWith('ROLE_') && !hasKind;
}

function restDialectOf03(body: unknown, offer: Offer): Dialect {
  const style = detectStyle(body) ?? offer.restStyle ?? 'proto';
  if (style === 'proto') return served03Proto;
  // The profile has the REST paths of 0.3, so it is recognized by the style of its requests.
  if (offer.profiles?.includes('rxjs') === true) return profileDialect('rxjs');
  return offer.restStyle === 'kind-bare' ? v03 : v03Kind;
}

/** The flat format has separate paths, which exist if its profile is mounted. */
export function selectFlatTask(
  verb: string,
  path: string,
  offer: Offer,
): (FlatTaskMatch & { dialect: Dialect }) | undefined {
  const match = matchFlatTask(verb, path, offer);
  return match && { ...match, dialect: dialects['flat-task'] };
}

/** The JSON-RPC dialect of a version. */
export function dialectOf(version: ProtocolVersion): Dialect {
  return BY_VERSION[version];
}

/** In 0.3, parts that are marked as parts of a tool are encoded with their original kind. */
const client03 = forPeer(v03, toolParts);

const client03Kind = forPeer(v03Kind, toolParts);

/** agent-native expects this dialect but does not declare it. */
const clientAgentNative = forPeer(v03, typeTag, strayIds, asyncFlag);

function forPeer(dialect: Dialect, ...profiles: readonly Profile[]): Dialect {
  return profiles.reduce((current, { forClient }) => forClient?.(current) ?? current, dialect);
}

/**
 * The dialect in which a client calls a URL over a binding; `undefined` if the version does not have the binding.
 * Formats outside the protocol are recognized by their position: agent-native by its path, and the flat format by a
 * REST interface of 0.1, which has no REST.
 */
export function clientDialect(
  binding: 'JSONRPC' | 'HTTP+JSON',
  version: ProtocolVersion,
  url = '',
  restStyle: 'proto' | 'kind' = 'proto',
): Dialect | undefined {
  if (binding === 'JSONRPC') {
    if (version !== '0.3') return BY_VERSION[version];
    return /\/_agent-native\/a2a\/?$/.test(url) ? clientAgentNative : client03;
  }
  return version === '0.3' && restStyle === 'kind' ? client03Kind : REST_BY_VERSION[version];
}

const REST_BY_VERSION: Readonly<Record<ProtocolVersion, Dialect | undefined>> = {
  '1.0': v1,
  // Of the REST styles of 0.3, both reference implementations send this one. All styles are decoded.
  '0.3': v03Proto,
  '0.2': undefined,
  '0.1': dialects['flat-task'],
};

/** Derived from 0.3 once per profile. */
const PROFILED = new Map<ProfileName, Dialect>();

/** The dialect in which a server responds at the path of a profile. */
export function profileDialect(profile: ProfileName): Dialect {
  const known = PROFILED.get(profile);
  if (known !== undefined) return known;
  const dialect = profile === 'corvid' ? dialects['flat-task'] : { ...servedBy(PROFILES[profile]), profile };
  PROFILED.set(profile, dialect);
  return dialect;
}

function servedBy(profiles: readonly Profile[]): Dialect {
  return profiles.reduce((current, { forServer }) => forServer?.(current) ?? current, v03);
}

function profiled(base: Dialect, { profile }: Offer): Dialect {
  return profile === undefined || base !== v03 ? base : profileDialect(profile);
}

function callOf(dialect: Dialect, method: string, shared = SHARED.has(method)): Selection {
  const operation = operationOf(dialect, method);
  if (operation !== undefined) return { dialect, operation, shared, warnings: [] };
  const name = method.slice(0, 100);
  const error = new A2AError('METHOD_NOT_FOUND', `A2A ${dialect.version} has no method ${JSON.stringify(name)}`, {
    details: { method: name },
  });
  return { dialect, error };
}

function textOf(version: Exclude<RequestedVersion, { kind: 'absent' }>): string {
  return version.kind === 'known' ? version.version : version.text;
}

/**
 * Lists only versions that are available over this binding, because a retry with any other version would fail again.
 */
function versionNotSupported(requested: string, versions: readonly ProtocolVersion[], binding = ''): A2AError {
  const supported = [...versions].sort();
  const message =
    supported.length === 0
      ? `This agent does not support A2A${binding}; use another interface from its card`
      : `This agent supports A2A ${supported.join(', ')}${binding}; request one of these versions`;
  return new A2AError('VERSION_NOT_SUPPORTED', message, {
    details: { requestedVersion: requested.slice(0, 32), supportedVersions: supported.join(',') },
  });
}
