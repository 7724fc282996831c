import type { Codec } from '../codec.ts';
import { isObject, isSet } from '../codec.ts';
import type { Dialect, StreamEncoder } from '../dialect.ts';
import { createStreamEncoder } from './event.ts';
import { v03 } from './index.ts';
import { operations, sharedOperations } from './methods.ts';
import * as proto from './proto/push.ts';
import { endsStream, sendResultOf, type Style, streamItemOf, styleOf, taskResultOf, webhook } from './style.ts';

/**
 * The style of a REST request, in which the server also responds. `undefined` if the body does not show one, as most
 * requests have no body; the option `restStyle` decides then.
 */
export function detectStyle(body: unknown): Style | undefined {
  if (!isObject(body)) return undefined;
  const message = body['message'] ?? body['request'];
  if (isObject(message)) return styleOf(message);
  const places = isObject(body['config']) ? [body, body['config']] : [body];
  // Push configs and cancellations contain resource names or plain ids.
  if (places.some((json) => isSet(json['name']) || isSet(json['parent']) || isSet(json['configId']))) return 'proto';
  return places.some((json) => isSet(json['taskId'])) ? 'kind' : undefined;
}

/** Decodes both styles. */
function readLike<T>(decoder: Codec<T>, writer: Codec<T>): Codec<T> {
  return { decode: decoder.decode, encode: writer.encode };
}

const { CreateTaskPushNotificationConfig, GetTaskPushNotificationConfig, ListTaskPushNotificationConfigs } =
  sharedOperations;

const pushResult = readLike(proto.taskPushConfig, GetTaskPushNotificationConfig.result);

/** The events of JSON-RPC, each wrapped in a member with its type. */
function createWrappingEncoder(): StreamEncoder {
  const encoder = createStreamEncoder();
  return {
    encode: (event, closes) => encoder.encode(event, closes).map((item) => ({ [Object.keys(event)[0] ?? '']: item })),
  };
}

/** A2A 0.3 over REST as in its prose: the objects of JSON-RPC, with wrapped results and stream items. */
export const v03Kind: Dialect = {
  ...v03,
  name: 'v03-kind',
  operations: {
    ...operations,
    SendMessage: { ...sharedOperations.SendMessage, result: sendResultOf('kind') },
    SendStreamingMessage: { ...sharedOperations.SendStreamingMessage, result: streamItemOf('kind') },
    GetTask: { ...sharedOperations.GetTask, result: taskResultOf('kind') },
    CancelTask: { ...sharedOperations.CancelTask, result: taskResultOf('kind') },
    SubscribeToTask: { ...sharedOperations.SubscribeToTask, result: streamItemOf('kind') },
    CreateTaskPushNotificationConfig: {
      ...CreateTaskPushNotificationConfig,
      params: readLike(proto.createPushConfig, CreateTaskPushNotificationConfig.params),
      result: pushResult,
    },
    GetTaskPushNotificationConfig: { ...GetTaskPushNotificationConfig, result: pushResult },
    ListTaskPushNotificationConfigs: {
      ...ListTaskPushNotificationConfigs,
      result: readLike(proto.pushConfigList, ListTaskPushNotificationConfigs.result),
    },
  },
  createStreamEncoder: createWrappingEncoder,
  endsStream,
  webhook,
  pushesWholeTasks: true,
};
