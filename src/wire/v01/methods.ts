import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { GetTaskRequest, SendMessageConfiguration, SendMessageRequest } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, defaulted, object, optional, required } from '../codec.ts';
import type { OperationCodecs } from '../dialect.ts';
import { fromUser } from '../inbound.ts';
import { cancelParams, getParams, subscribeParams } from '../v03/methods.ts';
import { count, id, idOrEmpty, struct } from '../values.ts';
import type { Writable } from '../../support/writable.ts';
import { sendMessageResponse, streamResponse } from './event.ts';
import { message, type MessageDraft } from './message.ts';
import { getPushConfig, pushConfig, taskPushConfig } from './push.ts';
import { task } from './task.ts';

/** 0.1 says beside the message what later versions say inside it or in a configuration. */
interface SendParams {
  readonly id: string;
  readonly sessionId?: string | undefined;
  readonly message: Message;
  readonly pushNotification?: TaskPushNotificationConfig | undefined;
  readonly historyLength?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

const sendMembers: Codec<SendParams> = object<SendParams>(
  {
    id: required(id),
    sessionId: defaulted(idOrEmpty),
    message: required(fromUser(message)),
    pushNotification: optional(pushConfig),
    historyLength: optional(count),
    metadata: optional(struct),
  },
  { seam: 'sendParams' },
);

function configurationOf({ pushNotification, historyLength }: SendParams): SendMessageConfiguration | undefined {
  if (pushNotification === undefined) return historyLength === undefined ? undefined : { historyLength };
  const configuration = { taskPushNotificationConfig: pushNotification };
  return historyLength === undefined ? configuration : { ...configuration, historyLength };
}

/** The caller names the task, new or known. 0.1 has no way to ask not to wait, so we wait. */
const sendParams: Codec<SendMessageRequest> = {
  decode(r, json) {
    const params = sendMembers.decode(r, json);
    const { id: taskId, sessionId, metadata } = params;
    // Nothing, if it could not be read; else ours alone, so that its ids are set in place. A copy costs twice the rest.
    const said: MessageDraft | undefined = params.message;
    if (said !== undefined) said.taskId = taskId;
    if (said !== undefined && sessionId !== undefined) said.contextId = sessionId;
    const request: Writable<SendMessageRequest> = { message: said };
    const configuration = configurationOf(params);
    if (configuration !== undefined) request.configuration = configuration;
    if (metadata !== undefined) request.metadata = metadata;
    return request;
  },

  encode: ({ message: said, configuration, metadata }) =>
    sendMembers.encode({
      // A message that starts a task lends it its id: sent again, it names the same task instead of starting another.
      id: said.taskId ?? said.messageId,
      sessionId: said.contextId,
      message: said,
      pushNotification: configuration?.taskPushNotificationConfig,
      historyLength: configuration?.historyLength,
      metadata,
    }),
};

/** Who does not ask for history gets none. */
const getTaskParams: Codec<GetTaskRequest> = {
  decode: (r, json) => ({ historyLength: 0, ...getParams.decode(r, json) }),
  encode: getParams.encode,
};

/** 0.1 has no lists, no extended card, and one push config for each task, which is replaced or taken away. */
export const operations: OperationCodecs = {
  SendMessage: { method: 'tasks/send', params: sendParams, result: sendMessageResponse },
  SendStreamingMessage: { method: 'tasks/sendSubscribe', params: sendParams, result: streamResponse },
  GetTask: { method: 'tasks/get', params: getTaskParams, result: task },
  CancelTask: { method: 'tasks/cancel', params: cancelParams, result: task },
  SubscribeToTask: { method: 'tasks/resubscribe', params: subscribeParams, result: streamResponse },
  CreateTaskPushNotificationConfig: {
    method: 'tasks/pushNotification/set',
    params: taskPushConfig,
    result: taskPushConfig,
  },
  GetTaskPushNotificationConfig: {
    method: 'tasks/pushNotification/get',
    params: getPushConfig,
    result: taskPushConfig,
  },
};
