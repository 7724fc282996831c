import type { Input, SendMessageConfiguration } from '../../../model/operation.ts';
import { defined } from '../../../support/defined.ts';
import { type Codec, defaulted, isObject, isSet, object, optional, required } from '../../codec.ts';
import { operation, type OperationCodecs } from '../../dialect.ts';
import { fromUser } from '../../user-role.ts';
import { count, idOrEmpty, noParams, nothing, strings, struct } from '../../values.ts';
import { returnImmediately, withBlocking } from '../blocking.ts';
import { protoPushConfig as pushConfig } from '../push.ts';
import { sendResultOf, streamItemOf, taskResultOf } from '../style.ts';
import { card } from './card.ts';
import { message } from './message.ts';
import { agreedId, type IdCandidates, taskName } from './names.ts';
import {
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
  pushConfigList,
  taskPushConfig,
} from './push.ts';

/** 0 and absence are the same here, and mean the whole history. */
const historyLength = defaulted(count);

const configurationMembers: Codec<SendMessageConfiguration> = withBlocking(
  object<SendMessageConfiguration>({
    acceptedOutputModes: defaulted(strings),
    taskPushNotificationConfig: optional(pushConfig, { wire: 'pushNotification' }),
    historyLength,
    returnImmediately,
  }),
);

/**
 * Serializers of the protocol definition omit false values, so a configuration without `blocking` means that the send
 * should not wait. No configuration at all means that it should.
 */
const configuration: Codec<SendMessageConfiguration> = {
  decode(d, json) {
    const value = configurationMembers.decode(d, json);
    return isObject(json) && !isSet(json['blocking']) ? { ...value, returnImmediately: true } : value;
  },
  encode: configurationMembers.encode,
};

const sendParams: Codec<Input<'SendMessage'>> = object<Omit<Input<'SendMessage'>, 'tenant'>>({
  // The field `request` has the JSON name `message`.
  message: required(fromUser(message), { aliases: ['request'] }),
  configuration: optional(configuration),
  metadata: optional(struct),
});

/** gRPC requests contain the resource name of the task, REST requests its id. */
interface TaskAddress {
  readonly name?: string;
  readonly id?: string;
  readonly historyLength?: number;
}

const taskAddress = object<TaskAddress>({
  name: optional(taskName),
  id: defaulted(idOrEmpty),
  historyLength,
});

const getParams: Codec<Input<'GetTask'>> = {
  decode(d, json) {
    const { name, id, ...rest } = taskAddress.decode(d, json);
    const taskIds: IdCandidates = [
      ['id', id],
      ['name', name],
    ];
    return { id: agreedId(d, taskIds, 'name') ?? '', ...rest };
  },
  encode: ({ id, historyLength: length }) => taskAddress.encode(defined({ name: id, historyLength: length })),
};

const taskParams: Codec<Input<'CancelTask'> & Input<'SubscribeToTask'>> = {
  decode: (d, json) => ({ id: getParams.decode(d, json).id }),
  encode: ({ id }) => getParams.encode({ id }),
};

/** The methods of gRPC; REST uses paths instead. */
export const operations: OperationCodecs = {
  SendMessage: operation('SendMessage', sendParams, sendResultOf('proto')),
  SendStreamingMessage: operation('SendStreamingMessage', sendParams, streamItemOf('proto')),
  GetTask: operation('GetTask', getParams, taskResultOf('proto')),
  CancelTask: operation('CancelTask', taskParams, taskResultOf('proto')),
  SubscribeToTask: operation('TaskSubscription', taskParams, streamItemOf('proto')),
  CreateTaskPushNotificationConfig: operation('CreateTaskPushNotificationConfig', createPushConfig, taskPushConfig),
  GetTaskPushNotificationConfig: operation('GetTaskPushNotificationConfig', getPushConfig, taskPushConfig),
  ListTaskPushNotificationConfigs: operation('ListTaskPushNotificationConfig', listPushConfigs, pushConfigList),
  DeleteTaskPushNotificationConfig: operation('DeleteTaskPushNotificationConfig', deletePushConfig, nothing),
  GetExtendedAgentCard: operation('GetAgentCard', noParams, card),
};
