import type {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from '../../../model/operation.ts';
import { defined } from '../../../support/defined.ts';
import { type Codec, defaulted, isObject, isSet, object, optional, required } from '../../codec.ts';
import type { OperationCodecs } from '../../dialect.ts';
import { fromUser } from '../../inbound.ts';
import { count, idOrEmpty, noParams, nothing, strings, struct } from '../../values.ts';
import { returnImmediately, sayingBlocking } from '../blocking.ts';
import { protoPushConfig as pushConfig } from '../push.ts';
import { sendResultOf, streamItemOf, taskResultOf } from '../style.ts';
import { card } from './card.ts';
import { message } from './message.ts';
import { agreed, type Said, taskName } from './names.ts';
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  pushConfigList,
  taskPushConfig,
} from './push.ts';

/** 0 and nothing are the same number here, and mean the whole history. */
const historyLength = defaulted(count);

const configurationMembers: Codec<SendMessageConfiguration> = sayingBlocking(
  object<SendMessageConfiguration>({
    acceptedOutputModes: defaulted(strings),
    taskPushNotificationConfig: optional(pushConfig, { wire: 'pushNotification' }),
    historyLength,
    returnImmediately,
  }),
);

/**
 * Writers of this form are serialisers of the protocol definition, which leave out what is false: a configuration
 * without `blocking` asks not to wait. No configuration at all asks to wait.
 */
const configuration: Codec<SendMessageConfiguration> = {
  decode(r, json) {
    const value = configurationMembers.decode(r, json);
    return isObject(json) && !isSet(json['blocking']) ? { ...value, returnImmediately: true } : value;
  },
  encode: configurationMembers.encode,
};

const sendParams: Codec<SendMessageRequest> = object<Omit<SendMessageRequest, 'tenant'>>({
  // The field is called `request`, and `message` in JSON.
  message: required(fromUser(message), { aliases: ['request'] }),
  configuration: optional(configuration),
  metadata: optional(struct),
});

/** gRPC names the task; over REST its path arrives as an id. */
interface TaskAddress {
  readonly name?: string;
  readonly id?: string;
  readonly historyLength?: number;
}

const taskAddress: Codec<TaskAddress> = object<TaskAddress>({
  name: optional(taskName),
  id: defaulted(idOrEmpty),
  historyLength,
});

const getParams: Codec<GetTaskRequest> = {
  decode(r, json) {
    const { name, id, ...rest } = taskAddress.decode(r, json);
    const taskIds: Said = [
      ['id', id],
      ['name', name],
    ];
    return { id: agreed(r, taskIds, 'name') ?? '', ...rest };
  },
  encode: ({ id, historyLength: length }) => taskAddress.encode(defined({ name: id, historyLength: length })),
};

const taskParams: Codec<CancelTaskRequest & SubscribeToTaskRequest> = {
  decode: (r, json) => ({ id: getParams.decode(r, json).id }),
  encode: ({ id }) => getParams.encode({ id }),
};

/** The methods of gRPC; REST has paths instead. */
export const operations: OperationCodecs = {
  SendMessage: { method: 'SendMessage', params: sendParams, result: sendResultOf('proto') },
  SendStreamingMessage: { method: 'SendStreamingMessage', params: sendParams, result: streamItemOf('proto') },
  GetTask: { method: 'GetTask', params: getParams, result: taskResultOf('proto') },
  CancelTask: { method: 'CancelTask', params: taskParams, result: taskResultOf('proto') },
  SubscribeToTask: { method: 'TaskSubscription', params: taskParams, result: streamItemOf('proto') },
  CreateTaskPushNotificationConfig: {
    method: 'CreateTaskPushNotificationConfig',
    params: createPushConfig,
    result: taskPushConfig,
  },
  GetTaskPushNotificationConfig: {
    method: 'GetTaskPushNotificationConfig',
    params: getPushConfig,
    result: taskPushConfig,
  },
  ListTaskPushNotificationConfigs: {
    method: 'ListTaskPushNotificationConfig',
    params: listPushConfigs,
    result: pushConfigList,
  },
  DeleteTaskPushNotificationConfig: {
    method: 'DeleteTaskPushNotificationConfig',
    params: deletePushConfig,
    result: nothing,
  },
  GetExtendedAgentCard: { method: 'GetAgentCard', params: noParams, result: card },
};
