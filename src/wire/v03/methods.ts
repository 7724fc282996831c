import type { Input, SendMessageConfiguration } from '../../model/operation.ts';
import { type Codec, defaulted, object, optional, required } from '../codec.ts';
import { operation, type OperationCodecs } from '../dialect.ts';
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
export const sendParams: Codec<Input<'SendMessage'>> = object<Omit<Input<'SendMessage'>, 'tenant'>>(
  {
    message: required(fromUser(message)),
    configuration: optional(configuration),
    metadata: optional(struct),
  },
  { point: 'sendParams' },
);

export const getParams: Codec<Input<'GetTask'>> = object<Omit<Input<'GetTask'>, 'tenant'>>(
  { id: required(id), historyLength: optional(count) },
  { point: 'taskParams' },
);

export const cancelParams: Codec<Input<'CancelTask'>> = object<Omit<Input<'CancelTask'>, 'tenant'>>(
  { id: required(id), metadata: optional(struct) },
  { point: 'taskParams' },
);

export const subscribeParams: Codec<Input<'SubscribeToTask'>> = object<Omit<Input<'SubscribeToTask'>, 'tenant'>>(
  { id: required(id) },
  { point: 'taskParams' },
);

/** The operations of both 0.2 and 0.3: all except the extended card, which 0.2 serves over plain HTTP. */
export const sharedOperations = {
  SendMessage: operation('message/send', sendParams, sendMessageResponse),
  SendStreamingMessage: operation('message/stream', sendParams, streamResponse),
  GetTask: operation('tasks/get', getParams, task),
  CancelTask: operation('tasks/cancel', cancelParams, task),
  SubscribeToTask: operation('tasks/resubscribe', subscribeParams, streamResponse),
  CreateTaskPushNotificationConfig: operation('tasks/pushNotificationConfig/set', taskPushConfig, taskPushConfig),
  GetTaskPushNotificationConfig: operation('tasks/pushNotificationConfig/get', getPushConfig, taskPushConfig),
  ListTaskPushNotificationConfigs: operation('tasks/pushNotificationConfig/list', listPushConfigs, pushConfigList),
  DeleteTaskPushNotificationConfig: operation('tasks/pushNotificationConfig/delete', deletePushConfig, nothing),
} satisfies OperationCodecs;

export const operations: OperationCodecs = {
  ...sharedOperations,
  GetExtendedAgentCard: operation('agent/getAuthenticatedExtendedCard', noParams, card),
};
