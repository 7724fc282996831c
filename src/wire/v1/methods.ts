import type { Input, Output, SendMessageConfiguration } from '../../model/operation.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, defaulted, expected, objectAsReceived, optional, required } from '../codec.ts';
import { operation, type OperationCodecs } from '../dialect.ts';
import { hasUnknown } from '../unknown-members.ts';
import { fromUser } from '../user-role.ts';
import {
  boolean,
  count,
  id,
  idOrEmpty,
  int32,
  list,
  nonEmptyString,
  nothing,
  string,
  strings,
  struct,
  timestamp,
  within,
} from '../values.ts';
import { card } from './card.ts';
import { sendMessageResponse, streamResponse } from './event.ts';
import { message } from './message.ts';
import { task, taskState } from './task.ts';

const authentication = objectAsReceived<AuthenticationInfo>({
  scheme: required(nonEmptyString),
  credentials: defaulted(string),
});

const pushConfig = objectAsReceived<TaskPushNotificationConfig>({
  tenant: defaulted(idOrEmpty),
  id: defaulted(idOrEmpty),
  taskId: defaulted(idOrEmpty),
  url: required(nonEmptyString),
  token: defaulted(string),
  authentication: optional(authentication),
});

/** 1.0 has no default config: the id is required (1.0 §3.1.8). */
const getPushConfig: Codec<Input<'GetTaskPushNotificationConfig'>> = objectAsReceived<
  Required<Pick<Input<'GetTaskPushNotificationConfig'>, 'taskId' | 'id'>> & { readonly tenant?: string }
>({ tenant: defaulted(idOrEmpty), taskId: required(id), id: required(id) });

const deletePushConfig = objectAsReceived<Input<'DeleteTaskPushNotificationConfig'>>({
  tenant: defaulted(idOrEmpty),
  taskId: required(id),
  id: required(id),
});

const listPushConfigs = objectAsReceived<Input<'ListTaskPushNotificationConfigs'>>({
  tenant: defaulted(idOrEmpty),
  taskId: required(id),
  pageSize: defaulted(count),
  pageToken: defaulted(idOrEmpty),
});

const pushConfigList = objectAsReceived<Output<'ListTaskPushNotificationConfigs'>>({
  configs: optional(list(pushConfig)),
  nextPageToken: defaulted(string),
});

const configuration = objectAsReceived<SendMessageConfiguration>({
  acceptedOutputModes: defaulted(strings),
  taskPushNotificationConfig: optional(pushConfig),
  historyLength: optional(count),
  returnImmediately: defaulted(boolean),
});

const sendMembers = objectAsReceived<Input<'SendMessage'>>({
  tenant: defaulted(idOrEmpty),
  message: required(fromUser(message)),
  configuration: optional(configuration),
  metadata: optional(struct),
});

const sendParams: Codec<Input<'SendMessage'>> = {
  decode: sendMembers.decode,
  encode: (value) => (hasUnknown(value.message) ? { ...value, message: message.encode(value.message) } : value),
};

const getParams = objectAsReceived<Input<'GetTask'>>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
  historyLength: optional(count),
});

const listParams = objectAsReceived<Input<'ListTasks'>>({
  tenant: defaulted(idOrEmpty),
  contextId: defaulted(idOrEmpty),
  status: { ...optional(taskState), isAbsent: (state) => state === 'TASK_STATE_UNSPECIFIED' },
  pageSize: optional(within(1, 100)),
  pageToken: defaulted(idOrEmpty),
  historyLength: optional(count),
  statusTimestampAfter: optional(timestamp),
  includeArtifacts: optional(boolean),
});

const listMembers = objectAsReceived<Output<'ListTasks'>>({
  tasks: expected(list(task), () => []),
  nextPageToken: expected(string, () => ''),
  pageSize: expected(int32, () => 0),
  totalSize: expected(int32, () => 0),
});

const taskList: Codec<Output<'ListTasks'>> = {
  decode: listMembers.decode,
  encode: (value) =>
    value.tasks.some((one) => one.history?.some(hasUnknown) === true)
      ? { ...value, tasks: value.tasks.map(task.encode) }
      : value,
};

const cancelParams = objectAsReceived<Input<'CancelTask'>>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
  metadata: optional(struct),
});

const subscribeParams = objectAsReceived<Input<'SubscribeToTask'>>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
});

const cardParams = objectAsReceived<Input<'GetExtendedAgentCard'>>({
  tenant: defaulted(idOrEmpty),
});

/** JSON-RPC and gRPC use the names of the protocol definition (1.0 §5.3, §9.4). */
export const operations: OperationCodecs = {
  SendMessage: operation('SendMessage', sendParams, sendMessageResponse),
  SendStreamingMessage: operation('SendStreamingMessage', sendParams, streamResponse),
  GetTask: operation('GetTask', getParams, task),
  ListTasks: operation('ListTasks', listParams, taskList),
  CancelTask: operation('CancelTask', cancelParams, task),
  SubscribeToTask: operation('SubscribeToTask', subscribeParams, streamResponse),
  CreateTaskPushNotificationConfig: operation('CreateTaskPushNotificationConfig', pushConfig, pushConfig),
  GetTaskPushNotificationConfig: operation('GetTaskPushNotificationConfig', getPushConfig, pushConfig),
  ListTaskPushNotificationConfigs: operation('ListTaskPushNotificationConfigs', listPushConfigs, pushConfigList),
  DeleteTaskPushNotificationConfig: operation('DeleteTaskPushNotificationConfig', deletePushConfig, nothing),
  GetExtendedAgentCard: operation('GetExtendedAgentCard', cardParams, card),
};
