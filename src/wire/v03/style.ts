import type { StreamResponse } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import { type Codec, isObject, isSet } from '../codec.ts';
import type { Reader } from '../reader.ts';
import { oneOf } from '../values.ts';
import { artifactUpdate, kindOf, sendMessageResponse, statusUpdate, streamResponse } from './event.ts';
import { message } from './message.ts';
import * as proto from './proto/event.ts';
import { message as protoMessage } from './proto/message.ts';
import { task as protoTask } from './proto/task.ts';
import { task } from './task.ts';

/**
 * The text of 0.3 contradicts itself on REST bodies, so three styles are met: the JSON of its protocol definition
 * (`proto`); the tagged objects of JSON-RPC, wrapped by a member that names them (`kind`); and these without the wrapper.
 * Each has a dialect that writes it. What a server answers is read in any of them.
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

/** What decodes an answer in which nothing is recognised. */
const WHOLE = {
  proto: { item: proto.streamResponse, result: proto.sendMessageResponse },
  kind: { item: streamResponse, result: sendMessageResponse },
};

type Member = keyof (typeof CODECS)['kind'];

/** The members that wrap an object, under all their names. */
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

/** The style of an object that is, or holds, a message or a state; `undefined` if it does not show. */
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

/** Whether a word of an enum is that of a protocol definition, which is also known by its number. */
function isEnumOf(prefix: string, word: unknown): boolean {
  return typeof word === 'number' || (typeof word === 'string' && word.startsWith(prefix));
}

interface Found {
  readonly member: Member;
  readonly inner: JsonObject;
  /** The wrapper, if there is one. */
  readonly key?: string;
}

/** What an answer or a stream item holds, in any style; `undefined` if that is unclear. */
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
  return (r: Reader, json: unknown): T => {
    const found = find(json);
    if (found === undefined || !members.includes(found.member)) return whole.decode(r, json);
    const { member, inner, key } = found;
    const codec: Codec<unknown> = CODECS[styleOf(inner) ?? style][member];
    const value = key === undefined ? codec.decode(r, inner) : r.at(key, () => codec.decode(r, inner));
    return { [member]: value } as T;
  };
}

/** One item of a stream: read in any style, written in the given one. */
export function streamItemOf(style: Style): Codec<StreamResponse> {
  const { encode } = oneOf<StreamResponse>(CODECS[style]);
  return { decode: readAnyStyle(style, WHOLE[style].item, [...WRAPPERS.values()]), encode };
}

/** The answer to a send: read in any style, written in the given one. */
export function sendResultOf(style: Style): Codec<SendMessageResponse> {
  const { encode } = oneOf<SendMessageResponse>(CODECS[style]);
  return { decode: readAnyStyle(style, WHOLE[style].result, ['task', 'message']), encode };
}

/** A task by itself: read in any style, written in the given one. */
export function taskResultOf(style: Style): Codec<Task> {
  return {
    decode(r, json) {
      const found = find(json);
      const { inner, key } = found?.member === 'task' ? found : { inner: json, key: undefined };
      const codec = CODECS[(isObject(inner) && styleOf(inner)) || style].task;
      return key === undefined ? codec.decode(r, inner) : r.at(key, () => codec.decode(r, inner));
    },
    encode: CODECS[style].task.encode,
  };
}

/** Whether an item, wrapped or not, is a status event that says that no other follows. */
export function endsStream(item: unknown): boolean {
  return find(item)?.inner['final'] === true;
}

/** Webhooks of 0.3 get the tagged form however the config came in: that is the one form the text shows. */
export const webhook: Codec<StreamResponse> = { decode: streamItemOf('kind').decode, encode: streamResponse.encode };
