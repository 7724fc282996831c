import type { JsonObject, JsonValue } from '../model/json.ts';
import { isObject } from './codec.ts';
import type { ProtocolVersion } from './version.ts';

/** The dialect of an object without context, such as a webhook body, a stored row or a pasted example. */
export type PayloadKind = 'v1' | 'v03' | 'v03-proto' | 'v03-kind' | 'v01' | 'flat-task';

/** Detects the dialect by its characteristic members; `undefined` if none matches. */
export function classifyPayload(json: unknown): PayloadKind | undefined {
  if (!isObject(json)) return undefined;
  if (typeof json['state'] === 'string' && Array.isArray(json['messages'])) return 'flat-task';
  if (typeof json['kind'] === 'string') return 'v03';
  if (isNotificationOf01(json)) return 'v01';
  const inner = soleWrapped(json);
  if (inner !== undefined) return classifyWrapped(inner);
  if (!isObject(json['status']) && !isObject(json['artifact'])) return undefined;
  // Untagged. 0.1 calls these ids `id` and `sessionId` and has no `kind`; a part tagged `type` proves nothing,
  // because systems that claim 0.3 use it, too.
  return 'contextId' in json || 'taskId' in json || some(json, ([key]) => key === 'kind') ? 'v03' : 'v01';
}

/**
 * The webhook example of 0.1, `{eventType, taskId, status, summary}`, whose status may be the bare state. `eventType`
 * identifies it: an object with only an id and a string status could come from any system.
 */
function isNotificationOf01({ eventType, taskId, status }: JsonObject): boolean {
  return (
    typeof eventType === 'string' && typeof taskId === 'string' && (typeof status === 'string' || isObject(status))
  );
}

const WRAPPERS = ['task', 'message', 'statusUpdate', 'artifactUpdate'] as const;

function soleWrapped(json: JsonObject): JsonObject | undefined {
  const wrapped = WRAPPERS.map((key) => json[key]).filter(isObject);
  return wrapped.length === 1 ? wrapped[0] : undefined;
}

function classifyWrapped(inner: JsonObject): PayloadKind {
  if (some(inner, ([key, value]) => isKindOf03(key, value))) return 'v03-kind';
  return some(inner, ([key, value]) => isProtoOf03(key, value)) ? 'v03-proto' : 'v1';
}

/** Members that only the protocol definition of 0.3 has. */
function isProtoOf03(key: string, value: JsonValue): boolean {
  return (
    (key === 'content' && Array.isArray(value)) ||
    value === 'TASK_STATE_CANCELLED' ||
    key === 'final' ||
    (key === 'file' && isObject(value) && ('fileWithBytes' in value || 'fileWithUri' in value))
  );
}

/** Tags and lowercase enum values, which the protocol definitions of 0.3 and 1.0 do not use. */
function isKindOf03(key: string, value: JsonValue): boolean {
  return (
    key === 'kind' ||
    (key === 'role' && (value === 'user' || value === 'agent')) ||
    (key === 'state' && typeof value === 'string' && !value.startsWith('TASK_STATE_'))
  );
}

/** Whether any member satisfies the test, down to the depth of parts. Skips metadata and data, which belong to users. */
function some(json: JsonValue | undefined, test: (entry: [string, JsonValue]) => boolean, depth = 6): boolean {
  if (depth === 0 || typeof json !== 'object' || json === null) return false;
  if (Array.isArray(json)) return json.some((item: JsonValue) => some(item, test, depth - 1));
  return Object.entries(json as JsonObject).some(
    (entry) => test(entry) || (entry[0] !== 'metadata' && entry[0] !== 'data' && some(entry[1], test, depth - 1)),
  );
}

/**
 * Detects the version of a card by its interfaces, then by its `protocolVersion`, then by members that only one version
 * has. Cards of 0.1 and early 0.2 can look alike; for these, `unstated` is the version to assume.
 */
export function classifyCard(json: unknown, unstated?: ProtocolVersion): ProtocolVersion | undefined {
  if (!isObject(json)) return undefined;
  if (Array.isArray(json['supportedInterfaces']) && json['supportedInterfaces'].length > 0) return '1.0';
  if (typeof json['url'] !== 'string') return undefined;
  const stated = json['protocolVersion'];
  if (typeof stated === 'string') return /^0\.[012](\.|$)/.test(stated) ? '0.2' : '0.3';
  const isOf02 = ['securitySchemes', 'supportsAuthenticatedExtendedCard', 'additionalInterfaces'].some(
    (key) => key in json,
  );
  if (isOf02) return '0.2';
  return unstated ?? (isObject(json['authentication']) ? '0.1' : '0.2');
}
