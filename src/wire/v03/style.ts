import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import { type Codec, isObject, isSet } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { oneOf } from '../values.ts';
import { artifactUpdate, kindOf, sendMessageResponse, statusUpdate, streamResponse } from './event.ts';
import { message } from './message.ts';
import * as proto from './proto/event.ts';
import { message as protoMessage } from './proto/message.ts';
import { task as protoTask } from './proto/task.ts';
import { task } from './task.ts';

/**
 * The 0.3 specification contradicts itself on REST bodies, so three styles exist: the JSON of its protocol definition
 * (`proto`); the tagged objects of JSON-RPC, wrapped in a member with their type (`kind`); and the same without the
 * wrapper. Each has a dialect that encodes it. `Style` does not distinguish the last two, because they differ only in the wrapper.
 * Responses of servers are decoded in any style.
 */
export type Style = 'proto' | 'kind';

const CODECS = {
  proto: {
    task: protoTask,
    message: protoMessage,
    statusUpdate: proto.statusUpdate,
    artifactUpdate: proto.artifactUpdate,
  },
  kind: { task, message, statusUpdate, artifactUpdate },
};

/** Decodes a response whose style is not recognized. */
const WHOLE = {
  proto: { item: proto.streamResponse, result: proto.sendMessageResponse },
  kind: { item: streamResponse, result: sendMessageResponse },
};

type Member = keyof (typeof CODECS)['kind'];

/** The members that wrap an object, with all their names. */
const WRAPPERS: ReadonlyMap<string, Member> = new Map<string, Member>([
  ['task', 'task'],
  ['message', 'message'],
  ['msg', 'message'],
  ['statusUpdate', 'statusUpdate'],
  ['status_update', 'statusUpdate'],
  ['artifactUpdate', 'artifactUpdate'],
  ['artifact_update', 'artifactUpdate'],
]);

const MEMBER_OF_KIND = {
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
} as const;

/** The style of an object that is or contains a message or a state; `undefined` if neither shows a style. */
export function styleOf(json: JsonObject): Style | undefined {
  const { content, role, kind, parts, status, artifact } = json;
  if (isSet(content) || isEnumOf('ROLE_', role)) return 'proto';
  if (isSet(kind) || isSet(parts) || isSet(role)) return 'kind';
  if (isObject(status) && isSet(status['state'])) return isEnumOf('TASK_STATE_', status['state']) ? 'proto' : 'kind';
  const artifactParts = isObject(artifact) ? artifact['parts'] : undefined;
  const part: unknown = Array.isArray(artifactParts) ? artifactParts[0] : undefined;
  if (!isObject(part)) return undefined;
  return isSet(part['kind']) || isSet(part['type']) ? 'kind' : 'proto';
}

/** Whether a value is the name or the number of an enum in a protocol definition. */
function isEnumOf(prefix: string, word: unknown): boolean {
  return typeof word === 'number' || (typeof word === 'string' && word.startsWith(prefix));
}

interface Found {
  readonly member: Member;
  readonly inner: JsonObject;
  /** The wrapper, if there is one. */
  readonly key?: string;
}

/** The content of a response or a stream item in any style; `undefined` if it is ambiguous. */
function find(json: unknown): Found | undefined {
  if (!isObject(json)) return undefined;
  if (typeof json['kind'] !== 'string') {
    const [key = '', ...others] = Object.keys(json).filter((name) => WRAPPERS.has(name) && isObject(json[name]));
    if (others.length > 0) return undefined;
    const [member, inner] = [WRAPPERS.get(key), json[key]];
    if (member !== undefined && isObject(inner)) return { member, inner, key };
  }
  const kind = kindOf(json) ?? (isSet(json['content']) ? 'message' : undefined);
  return kind && { member: MEMBER_OF_KIND[kind], inner: json };
}

function readAnyStyle<T extends object>(style: Style, whole: Codec<T>, members: readonly Member[]): Codec<T>['decode'] {
  return (d: Decoder, json: unknown): T => {
    const found = find(json);
    if (found === undefined || !members.includes(found.member)) return whole.decode(d, json);
    const { member, inner, key } = found;
    const codec: Codec<unknown> = CODECS[styleOf(inner) ?? style][member];
    const value = key === undefined ? codec.decode(d, inner) : d.at(key, () => codec.decode(d, inner));
    return { [member]: value } as T;
  };
}

/** One stream item: decoded in any style, encoded in the given one. */
export function streamItemOf(style: Style): Codec<StreamResponse> {
  const { encode } = oneOf<StreamResponse>(CODECS[style]);
  return { decode: readAnyStyle(style, WHOLE[style].item, [...WRAPPERS.values()]), encode };
}

/** The response to a send: decoded in any style, encoded in the given one. */
export function sendResultOf(style: Style): Codec<SendMessageResponse> {
  const { encode } = oneOf<SendMessageResponse>(CODECS[style]);
  return { decode: readAnyStyle(style, WHOLE[style].result, ['task', 'message']), encode };
}

/** A task: decoded in any style, encoded in the given one. */
export function taskResultOf(style: Style): Codec<Task> {
  return {
    decode(d, json) {
      const found = find(json);
      const { inner, key } = found?.member === 'task' ? found : { inner: json, key: undefined };
      const codec = CODECS[(isObject(inner) && styleOf(inner)) || style].task;
      return key === undefined ? codec.decode(d, inner) : d.at(key, () => codec.decode(d, inner));
    },
    encode: CODECS[style].task.encode,
  };
}

/** Whether an item, wrapped or not, is the final status event. */
export function endsStream(item: unknown): boolean {
  return find(item)?.inner['final'] === true;
}

/** Webhooks of 0.3 have the tagged format regardless of the style of the config: the specification shows no other. */
export const webhook: Codec<StreamResponse> = { decode: streamItemOf('kind').decode, encode: streamResponse.encode };
