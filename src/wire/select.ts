import { A2AError } from '../errors.ts';
import type { OperationName } from '../model/operation.ts';
import { isObject } from './codec.ts';
import { type Dialect, operationOf, type ProtocolVersion } from './dialect.ts';
import { type FlatTaskMatch, matchFlatTask, type Offer, type ProfileName } from './offer.ts';
import { answerInStatus } from './profiles/answer-in-status.ts';
import { artifactIds } from './profiles/artifact-ids.ts';
import { asyncFlag } from './profiles/async-flag.ts';
import { chunkPart } from './profiles/chunk-part.ts';
import { fileData } from './profiles/file-data.ts';
import { createFlatTaskDialect } from './profiles/flat-task.ts';
import { getAsStream } from './profiles/get-as-stream.ts';
import { privateErrors } from './profiles/private-errors.ts';
import type { Profile } from './profiles/profile.ts';
import { snapshotStream } from './profiles/snapshot-stream.ts';
import { strayIds } from './profiles/stray-ids.ts';
import { tasksSendAlias } from './profiles/tasks-send.ts';
import { toolParts } from './profiles/tool-parts.ts';
import { typeTag } from './profiles/type-tag.ts';
import type { Repair, Warning } from './reader.ts';
import { v01 as official01 } from './v01/index.ts';
import { v02 as official02 } from './v02/index.ts';
import { v03 as official03 } from './v03/index.ts';
import { v03Proto as official03Proto } from './v03/proto/index.ts';
import { withRestCard } from './v03/proto/rest-card.ts';
import { detectStyle, v03Kind as official03Kind } from './v03/rest.ts';
import { v1 } from './v1/index.ts';
import type { RequestedVersion } from './version.ts';

/** What deviating peers are read by, unless reading is strict. */
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

/** Dialects leave this file lenient; nobody has to ask for it. 1.0 has no deviations to know yet. */
function lenient(dialect: Dialect): Dialect {
  return { ...dialect, repairs };
}

const v01 = lenient(official01);
const v02 = lenient(official02);
const v03 = lenient(official03);
const v03Proto = lenient(official03Proto);
const v03Kind = lenient(official03Kind);

/** As a server answers over REST; gRPC and the client have the protocol definition as it is. */
const answered03Proto = withRestCard(v03Proto);

/** Every way of speaking the protocol, by name. */
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

/** The dialect to answer in, and the operation that is wanted or the error to answer with. */
export type Selection =
  | {
      readonly dialect: Dialect;
      readonly operation: OperationName;
      /** The method is spelt alike in several versions: the dialect of the task it names should answer, if known. */
      readonly shared: boolean;
      readonly warnings: readonly Warning[];
      readonly error?: never;
    }
  | { readonly dialect: Dialect; readonly operation?: never; readonly error: A2AError };

/** Methods that 0.1, 0.2 and 0.3 spell alike. */
const SHARED = new Set(['tasks/get', 'tasks/cancel', 'tasks/resubscribe']);

/** Which dialect a JSON-RPC call speaks: an explicit version decides; without one the method, then the payload. */
export function selectRpc(method: string, params: unknown, version: RequestedVersion, offer: Offer): Selection {
  if (version.kind === 'absent') return selectByMethod(method, params, offer);
  if (version.kind === 'known' && offer.versions.includes(version.version)) {
    // Who says a version gets that one, whoever made the task.
    return callOf(profiled(BY_VERSION[version.version], offer), method, false);
  }
  // A caller of a version that we know can read that version's errors; any other gets those of 1.0.
  const dialect = version.kind === 'known' ? BY_VERSION[version.version] : v1;
  return { dialect, error: versionNotSupported(textOf(version), offer.versions) };
}

/** An absent version means 0.3 (1.0 §3.6.2), unless the method can only be of another version. */
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

/** The dialect to answer a request in whose path names the operation, or the error to answer it with. */
export interface PathSelection {
  readonly dialect: Dialect;
  readonly error?: A2AError;
}

/** Which dialect a REST request speaks: by its version, else by its path, and the style of its body. */
export function selectRest(prefix: '' | '/v1', body: unknown, version: RequestedVersion, offer: Offer): PathSelection {
  const implied = prefix === '' || isOf1(body) ? '1.0' : '0.3';
  const spoken = version.kind === 'absent' ? implied : textOf(version);
  const dialect = spoken === '0.3' ? restDialectOf03(body, offer) : v1;
  const versions = beyondRpc(offer);
  return versions.some((version) => version === spoken)
    ? { dialect }
    : { dialect, error: versionNotSupported(spoken, versions, ' over REST') };
}

/** REST and gRPC came with 0.3. */
function beyondRpc({ versions }: Offer): readonly ProtocolVersion[] {
  return versions.filter((version) => version === '1.0' || version === '0.3');
}

/** A message of 1.0 can arrive under `/v1` when that is where the agent is mounted. */
function isOf1(body: unknown): boolean {
  const message = isObject(body) ? body['message'] : undefined;
  if (!isObject(message) || !Array.isArray(message['parts'])) return false;
  const { role } = message;
  const hasKind = message['parts'].some((part) => isObject(part) && 'kind' in part);
  return typeof role === 'string' && role.startsWith('ROLE_') && !hasKind;
}

function restDialectOf03(body: unknown, offer: Offer): Dialect {
  const style = detectStyle(body) ?? offer.restStyle ?? 'proto';
  if (style === 'proto') return answered03Proto;
  // The paths of REST are those of 0.3: the profile is recognised by the style of its requests.
  if (offer.profiles?.includes('rxjs') === true) return profileDialect('rxjs');
  return offer.restStyle === 'kind-bare' ? v03 : v03Kind;
}

/** The flat form has paths of its own, which exist where its profile is mounted. */
export function selectFlatTask(
  verb: string,
  path: string,
  offer: Offer,
): (FlatTaskMatch & { dialect: Dialect }) | undefined {
  const match = matchFlatTask(verb, path, offer);
  return match && { ...match, dialect: dialects['flat-task'] };
}

const GRPC_SERVICES: ReadonlyMap<string, Dialect> = new Map([
  ['lf.a2a.v1.A2AService', v1],
  ['a2a.v1.A2AService', v03Proto],
]);

/**
 * Which dialect a gRPC call speaks: the package in its path decides (`/lf.a2a.v1.A2AService/SendMessage`), a version that
 * is stated must agree. `undefined` if there is no such service.
 */
export function selectGrpc(path: string, version: RequestedVersion, offer: Offer): PathSelection | undefined {
  const dialect = GRPC_SERVICES.get(path.split('/')[1] ?? '');
  if (dialect === undefined) return undefined;
  const spoken = version.kind === 'absent' ? dialect.version : textOf(version);
  if (!offer.versions.includes(dialect.version)) {
    return { dialect, error: versionNotSupported(spoken, beyondRpc(offer), ' over gRPC') };
  }
  if (spoken === dialect.version) return { dialect };
  return { dialect, error: versionNotSupported(spoken, [dialect.version], ' in this gRPC service') };
}

/** The dialect of a version, as spoken over JSON-RPC. */
export function dialectOf(version: ProtocolVersion): Dialect {
  return BY_VERSION[version];
}

/** In 0.3, parts that were marked as a tool's go out as what they are. */
const spoken03 = spokenTo(v03, toolParts);

const spoken03Kind = spokenTo(v03Kind, toolParts);

/** How agent-native wants to be spoken to, which it does not say. */
const spokenToAgentNative = spokenTo(v03, typeTag, strayIds, asyncFlag);

function spokenTo(dialect: Dialect, ...profiles: readonly Profile[]): Dialect {
  return profiles.reduce((current, { speak }) => speak?.(current) ?? current, dialect);
}

/**
 * The dialect in which a client speaks to an address over a binding; none where the version does not have it. What has no
 * name in the protocol is known by where it is: agent-native by its path, and what looks like 0.1 over REST, which 0.1 does
 * not have, is the flat form.
 */
export function spokenDialect(
  binding: 'JSONRPC' | 'HTTP+JSON',
  version: ProtocolVersion,
  url = '',
  restStyle: 'proto' | 'kind' = 'proto',
): Dialect | undefined {
  if (binding === 'JSONRPC') {
    if (version !== '0.3') return BY_VERSION[version];
    return /\/_agent-native\/a2a\/?$/.test(url) ? spokenToAgentNative : spoken03;
  }
  return version === '0.3' && restStyle === 'kind' ? spoken03Kind : REST_BY_VERSION[version];
}

const REST_BY_VERSION: Readonly<Record<ProtocolVersion, Dialect | undefined>> = {
  '1.0': v1,
  // Of the styles that 0.3 has over REST this is what both reference implementations speak; all are read.
  '0.3': v03Proto,
  '0.2': undefined,
  '0.1': dialects['flat-task'],
};

/** Each is derived from 0.3 once. */
const PROFILED = new Map<ProfileName, Dialect>();

/** The dialect in which a server responds at the path of a profile. */
export function profileDialect(profile: ProfileName): Dialect {
  const known = PROFILED.get(profile);
  if (known !== undefined) return known;
  const dialect = profile === 'corvid' ? dialects['flat-task'] : { ...answeredBy(PROFILES[profile]), profile };
  PROFILED.set(profile, dialect);
  return dialect;
}

function answeredBy(profiles: readonly Profile[]): Dialect {
  return profiles.reduce((current, { answer }) => answer?.(current) ?? current, v03);
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

/** Names the versions that the caller can have where it asks: another one would be refused again. */
function versionNotSupported(requested: string, versions: readonly ProtocolVersion[], binding = ''): A2AError {
  const supported = [...versions].sort();
  const message =
    supported.length === 0
      ? `This agent does not speak A2A${binding}; use another interface of its card`
      : `This agent speaks A2A ${supported.join(', ')}${binding}; ask for one of these`;
  return new A2AError('VERSION_NOT_SUPPORTED', message, {
    details: { requestedVersion: requested.slice(0, 32), supportedVersions: supported.join(',') },
  });
}
