import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Input, SendMessageConfiguration } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { Writable } from '../../support/writable.ts';
import { type Codec, defaulted, isObject, object, optional, required } from '../codec.ts';
import { operation, type OperationCodecs } from '../dialect.ts';
import { fromUser } from '../user-role.ts';
import { cancelParams, getParams, subscribeParams } from '../v03/methods.ts';
import { createTaskPushConfigCodec, pushConfig as laterConfig } from '../v03/push.ts';
import { count, id, idOrEmpty, struct } from '../values.ts';
import { sendMessageResponse, streamResponse } from './event.ts';
import { message, type MessageDraft } from './message.ts';
import { task } from './task.ts';

/** A 0.1 task has at most one config, so configs have no ids. */
function withoutId(codec: Codec<TaskPushNotificationConfig>): Codec<TaskPushNotificationConfig> {
  return { decode: codec.decode, encode: ({ id: _, ...config }) => codec.encode(config) };
}

export const pushConfig = withoutId(laterConfig);

const setPushConfig = withoutId(createTaskPushConfigCodec('id'));

const taskOnly = object<{ readonly taskId: string }>({
  taskId: required(id, { wire: 'id' }),
});

/**
 * In 0.1, `null` as the config removes the config of the task. The model represents it as a config with an empty `url`.
 * No dialect accepts an empty URL, so it is unambiguous, and code that stores it without a check fails on the URL.
 */
export const taskPushConfig: Codec<TaskPushNotificationConfig> = {
  decode(d, json) {
    if (!isObject(json) || json['pushNotificationConfig'] !== null) return setPushConfig.decode(d, json);
    return { ...taskOnly.decode(d, json), url: '' };
  },
  encode(config) {
    if (config.url !== '') return setPushConfig.encode(config);
    return { id: config.taskId ?? '', pushNotificationConfig: null };
  },
};

export const getPushConfig: Codec<Input<'GetTaskPushNotificationConfig'>> = object<
  Pick<Input<'GetTaskPushNotificationConfig'>, 'taskId'>
>({ taskId: required(id, { wire: 'id' }) });

/** 0.1 has members in the params that later versions have in the message or in the configuration. */
interface SendParams {
  readonly id: string;
  readonly sessionId?: string | undefined;
  readonly message: Message;
  readonly pushNotification?: TaskPushNotificationConfig | undefined;
  readonly historyLength?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

const sendMembers = object<SendParams>(
  {
    id: required(id),
    sessionId: defaulted(idOrEmpty),
    message: required(fromUser(message)),
    pushNotification: optional(pushConfig),
    historyLength: optional(count),
    metadata: optional(struct),
  },
  { point: 'sendParams' },
);

function configurationOf({ pushNotification, historyLength }: SendParams): SendMessageConfiguration | undefined {
  if (pushNotification === undefined) return historyLength === undefined ? undefined : { historyLength };
  const configuration = { taskPushNotificationConfig: pushNotification };
  return historyLength === undefined ? configuration : { ...configuration, historyLength };
}

/** The caller chooses the task id. 0.1 has no `blocking` flag, so a send always waits. */
const sendParams: Codec<Input<'SendMessage'>> = {
  decode(d, json) {
    const params = sendMembers.decode(d, json);
    const { id: taskId, sessionId, metadata } = params;
    // `undefined` after a violation. Otherwise only this function holds the message, so its ids are set in place: a
    // copy costs twice as much as all other steps.
    const said: MessageDraft | undefined = params.message;
    if (said !== undefined) said.taskId = taskId;
    if (said !== undefined && sessionId !== undefined) said.contextId = sessionId;
    const request: Writable<Input<'SendMessage'>> = { message: said };
    const configuration = configurationOf(params);
    if (configuration !== undefined) request.configuration = configuration;
    if (metadata !== undefined) request.metadata = metadata;
    return request;
  },

  encode: ({ message: said, configuration, metadata }) =>
    sendMembers.encode({
      // A new task gets the id of its first message, so that a retry refers to the same task.
      id: said.taskId ?? said.messageId,
      sessionId: said.contextId,
      message: said,
      pushNotification: configuration?.taskPushNotificationConfig,
      historyLength: configuration?.historyLength,
      metadata,
    }),
};

/** 0.1 returns no history unless the caller requests it. */
const getTaskParams: Codec<Input<'GetTask'>> = {
  decode: (d, json) => ({ historyLength: 0, ...getParams.decode(d, json) }),
  encode: getParams.encode,
};

/** 0.1 has no lists, no extended card, and one push config per task, which can be replaced or removed. */
export const operations: OperationCodecs = {
  SendMessage: operation('tasks/send', sendParams, sendMessageResponse),
  SendStreamingMessage: operation('tasks/sendSubscribe', sendParams, streamResponse),
  GetTask: operation('tasks/get', getTaskParams, task),
  CancelTask: operation('tasks/cancel', cancelParams, task),
  SubscribeToTask: operation('tasks/resubscribe', subscribeParams, streamResponse),
  CreateTaskPushNotificationConfig: operation('tasks/pushNotification/set', taskPushConfig, taskPushConfig),
  GetTaskPushNotificationConfig: operation('tasks/pushNotification/get', getPushConfig, taskPushConfig),
};
