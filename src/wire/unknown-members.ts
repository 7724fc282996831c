import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { Part } from '../model/part.ts';
import type { Task } from '../model/task.ts';
import type { UnknownMembers } from '../model/unknown-members.ts';
import type { Decoder } from './decoder.ts';

/** Keeps the unknown members of one type of object in one version. */
export interface UnknownMemberRule {
  readonly version: UnknownMembers['version'];
  /** Names that do not count as unknown: those of the type in any version, even if this version does not have them. */
  readonly defined: ReadonlySet<string>;
}

/** The names of a message in all versions, and those that known deviations of peers use. */
const OF_MESSAGES: ReadonlySet<string> = new Set([
  'kind',
  'type',
  'role',
  'parts',
  'content',
  'metadata',
  'extensions',
  'inputRequest',
  'messageId',
  'message_id',
  'contextId',
  'context_id',
  'taskId',
  'task_id',
  'referenceTaskIds',
  'reference_task_ids',
]);

/** The names of a part in all versions. */
const OF_PARTS: ReadonlySet<string> = new Set([
  'kind',
  'type',
  'text',
  'raw',
  'url',
  'data',
  'file',
  'metadata',
  'filename',
  'mediaType',
  'media_type',
]);

export function unknownInMessages(version: UnknownMembers['version']): UnknownMemberRule {
  return { version, defined: OF_MESSAGES };
}

export function unknownInParts(version: UnknownMembers['version']): UnknownMemberRule {
  return { version, defined: OF_PARTS };
}

/** Names that could change the prototype of an object that they are copied to. */
const UNSAFE: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Returns the unknown members of an object in a request; `undefined` if there are none to keep. A member that is too
 * large, nests too deeply or has an unsafe name is dropped with a warning and not rejected, because the protocol asks
 * receivers to ignore unknown members.
 *
 * Only for requests: messages of a peer are not stored, and the client provides them as received.
 */
export function keepUnknown(d: Decoder, json: JsonObject, rule: UnknownMemberRule): UnknownMembers | undefined {
  if (d.role !== 'request') return undefined;
  let members: Record<string, JsonValue> | undefined;
  for (const name in json) {
    if (rule.defined.has(name)) continue;
    const value = json[name];
    if (value === undefined) continue;
    const room = UNSAFE.has(name) ? -1 : roomAfter(value, d.unknownRoom - name.length - 4, d.limits.maxDepth - d.depth);
    if (room < 0) {
      d.warn('unknown-member-dropped', 'dropped a member that the protocol does not define', name);
      continue;
    }
    d.unknownRoom = room;
    members ??= {};
    members[name] = value;
  }
  return members && { version: rule.version, members };
}

/** The part with the unknown members of its wire format, if there are any to keep. */
export function withUnknown(d: Decoder, wire: JsonObject, rule: UnknownMemberRule, part: Part): Part {
  for (const name in wire) {
    if (rule.defined.has(name)) continue;
    const unknownMembers = keepUnknown(d, wire, rule);
    return unknownMembers === undefined ? part : { ...part, unknownMembers };
  }
  return part;
}

/**
 * The characters that remain of `room` after a value; negative if it does not fit, nests too deeply or contains an
 * unsafe name.
 */
function roomAfter(value: JsonValue, room: number, levels: number): number {
  if (typeof value === 'string') return room - value.length - 2;
  if (typeof value !== 'object' || value === null) return room - String(value).length;
  if (levels <= 0) return -1;
  let left = room - 2;
  // The names of a list are indexes, which are not encoded.
  const isList = Array.isArray(value);
  const members = value as JsonObject;
  for (const name in members) {
    if (left < 0 || UNSAFE.has(name)) return -1;
    left = roomAfter(members[name] ?? null, left - (isList ? 1 : name.length + 4), levels - 1);
  }
  return left;
}

/** Adds the unknown members to an encoded object, if they are of the same version. */
export function encodeUnknown(
  out: Record<string, unknown>,
  unknown: UnknownMembers | undefined,
  rule: UnknownMemberRule,
): void {
  if (unknown === undefined || unknown.version !== rule.version) return;
  const { members } = unknown;
  for (const name in members) if (!UNSAFE.has(name) && !rule.defined.has(name)) out[name] = members[name];
}

export function hasUnknown({ unknownMembers, parts }: Message): boolean {
  if (unknownMembers !== undefined) return true;
  for (const part of parts) if (part.unknownMembers !== undefined) return true;
  return false;
}

/** Applies `change` to the messages of a task that have unknown members. Returns the task itself if none has. */
export function changeUnknown(task: Task, change: (message: Message) => Message): Task {
  const { history } = task;
  // Only the messages of callers have unknown members, and these are in the history.
  if (history === undefined || !history.some(hasUnknown)) return task;
  return { ...task, history: history.map((message) => (hasUnknown(message) ? change(message) : message)) };
}

/**
 * Moves the unknown members of one version to another, for versions with the same codec. Drops those of all other
 * versions.
 */
export function moveUnknown(message: Message, from: UnknownMembers['version'], to: UnknownMembers['version']): Message {
  if (!hasUnknown(message)) return message;
  const moved = <T extends Message | Part>({ unknownMembers, ...known }: T): T =>
    (unknownMembers?.version === from
      ? { ...known, unknownMembers: { version: to, members: unknownMembers.members } }
      : known) as T;
  return { ...moved(message), parts: message.parts.map(moved) };
}
