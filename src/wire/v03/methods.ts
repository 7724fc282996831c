import type {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from '../../model/operation.ts';
import { type Codec, defaulted, object, optional, required } from '../codec.ts';
import type { OperationCodecs } from '../dialect.ts';
import { fromUser } from '../user-role.ts';
import { count, id, noParams, nothing, strings, struct } from '../values.ts';
import { returnImmediately, withBlocking } from './blocking.ts';
import { card } from './card.ts';
import { sendMessageResponse, streamResponse } from './event.ts';
import { message } from './message.ts';
import {
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  pushConfig,
  pushConfigList,
  taskPushConfig,
} from './push.ts';
import { task } from './task.ts';

const configuration: Codec<SendMessageConfiguration> = withBlocking(
  object<SendMessageConfiguration>({
    acceptedOutputModes: defaulted(strings),
    taskPushNotificationConfig: optional(pushConfig, { wire: 'pushNotificationConfig' }),
    historyLength: optional(count),
    returnImmediately,
  }),
);

/** Tenants were added in 1.0. Before, they are part of the URL. */
export const sendParams: Codec<SendMessageRequest> = object<Omit<SendMessageRequest, 'tenant'>>(
  {
    message: required(fromUser(message)),
    configuration: optional(configuration),
    metadata: optional(struct),
  },
  { point: 'sendParams' },
);

export const getParams: Codec<GetTaskRequest> = object<Omit<GetTaskRequest, 'tenant'>>(
  { id: required(id), historyLength: optional(count) },
  { point: 'taskParams' },
);

export const cancelParams: Codec<CancelTaskRequest> = object<Omit<CancelTaskRequest, 'tenant'>>(
  { id: required(id), metadata: optional(struct) },
  { point: 'taskParams' },
);

export const subscribeParams: Codec<SubscribeToTaskRequest> = object<Omit<SubscribeToTaskRequest, 'tenant'>>(
  { id: required(id) },
  { point: 'taskParams' },
);

/** The operations of both 0.2 and 0.3: all except the extended card, which 0.2 serves over plain HTTP. */
export const sharedOperations = {
  SendMessage: { method: 'message/send', params: sendParams, result: sendMessageResponse },
  SendStreamingMessage: { method: 'message/stream', params: sendParams, result: streamResponse },
  GetTask: { method: 'tasks/get', params: getParams, result: task },
  CancelTask: { method: 'tasks/cancel', params: cancelParams, result: task },
  SubscribeToTask: { method: 'tasks/resubscribe', params: subscribeParams, result: streamResponse },
  CreateTaskPushNotificationConfig: {
    method: 'tasks/pushNotificationConfig/set',
    params: taskPushConfig,
    result: taskPushConfig,
  },
  GetTaskPushNotificationConfig: {
    method: 'tasks/pushNotificationConfig/get',
    params: getPushConfig,
    result: taskPushConfig,
  },
  ListTaskPushNotificationConfigs: {
    method: 'tasks/pushNotificationConfig/list',
    params: listPushConfigs,
    result: pushConfigList,
  },
  DeleteTaskPushNotificationConfig: {
    method: 'tasks/pushNotificationConfig/delete',
    params: deletePushConfig,
    result: nothing,
  },
} satisfies OperationCodecs;

export const operations: OperationCodecs = {
  ...sharedOperations,
  GetExtendedAgentCard: { method: 'agent/getAuthenticatedExtendedCard', params: noParams, result: card },
};
