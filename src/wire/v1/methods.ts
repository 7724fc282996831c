import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageConfiguration,
  SendMessageRequest,
  SubscribeToTaskRequest,
} from '../../model/operation.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, defaulted, expected, objectAsReceived, optional, required } from '../codec.ts';
import type { OperationCodecs } from '../dialect.ts';
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

const authentication: Codec<AuthenticationInfo> = objectAsReceived<AuthenticationInfo>({
  scheme: required(nonEmptyString),
  credentials: defaulted(string),
});

const pushConfig: Codec<TaskPushNotificationConfig> = objectAsReceived<TaskPushNotificationConfig>({
  tenant: defaulted(idOrEmpty),
  id: defaulted(idOrEmpty),
  taskId: defaulted(idOrEmpty),
  url: required(nonEmptyString),
  token: defaulted(string),
  authentication: optional(authentication),
});

/** 1.0 has no default config: the id is required (1.0 §3.1.8). */
const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = objectAsReceived<
  Required<Pick<GetTaskPushNotificationConfigRequest, 'taskId' | 'id'>> & { readonly tenant?: string }
>({ tenant: defaulted(idOrEmpty), taskId: required(id), id: required(id) });

const deletePushConfig: Codec<DeleteTaskPushNotificationConfigRequest> =
  objectAsReceived<DeleteTaskPushNotificationConfigRequest>({
    tenant: defaulted(idOrEmpty),
    taskId: required(id),
    id: required(id),
  });

const listPushConfigs: Codec<ListTaskPushNotificationConfigsRequest> =
  objectAsReceived<ListTaskPushNotificationConfigsRequest>({
    tenant: defaulted(idOrEmpty),
    taskId: required(id),
    pageSize: defaulted(count),
    pageToken: defaulted(idOrEmpty),
  });

const pushConfigList: Codec<ListTaskPushNotificationConfigsResponse> =
  objectAsReceived<ListTaskPushNotificationConfigsResponse>({
    configs: optional(list(pushConfig)),
    nextPageToken: defaulted(string),
  });

const configuration: Codec<SendMessageConfiguration> = objectAsReceived<SendMessageConfiguration>({
  acceptedOutputModes: defaulted(strings),
  taskPushNotificationConfig: optional(pushConfig),
  historyLength: optional(count),
  returnImmediately: defaulted(boolean),
});

const sendMembers: Codec<SendMessageRequest> = objectAsReceived<SendMessageRequest>({
  tenant: defaulted(idOrEmpty),
  message: required(fromUser(message)),
  configuration: optional(configuration),
  metadata: optional(struct),
});

const sendParams: Codec<SendMessageRequest> = {
  decode: sendMembers.decode,
  encode: (value) => (hasUnknown(value.message) ? { ...value, message: message.encode(value.message) } : value),
};

const getParams: Codec<GetTaskRequest> = objectAsReceived<GetTaskRequest>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
  historyLength: optional(count),
});

const listParams: Codec<ListTasksRequest> = objectAsReceived<ListTasksRequest>({
  tenant: defaulted(idOrEmpty),
  contextId: defaulted(idOrEmpty),
  status: { ...optional(taskState), isAbsent: (state) => state === 'TASK_STATE_UNSPECIFIED' },
  pageSize: optional(within(1, 100)),
  pageToken: defaulted(idOrEmpty),
  historyLength: optional(count),
  statusTimestampAfter: optional(timestamp),
  includeArtifacts: optional(boolean),
});

const listMembers: Codec<ListTasksResponse> = objectAsReceived<ListTasksResponse>({
  tasks: expected(list(task), () => []),
  nextPageToken: expected(string, () => ''),
  pageSize: expected(int32, () => 0),
  totalSize: expected(int32, () => 0),
});

const taskList: Codec<ListTasksResponse> = {
  decode: listMembers.decode,
  encode: (value) =>
    value.tasks.some((one) => one.history?.some(hasUnknown) === true)
      ? { ...value, tasks: value.tasks.map(task.encode) }
      : value,
};

const cancelParams: Codec<CancelTaskRequest> = objectAsReceived<CancelTaskRequest>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
  metadata: optional(struct),
});

const subscribeParams: Codec<SubscribeToTaskRequest> = objectAsReceived<SubscribeToTaskRequest>({
  tenant: defaulted(idOrEmpty),
  id: required(id),
});

const cardParams: Codec<GetExtendedAgentCardRequest> = objectAsReceived<GetExtendedAgentCardRequest>({
  tenant: defaulted(idOrEmpty),
});

/** JSON-RPC and gRPC use the names of the protocol definition (1.0 §5.3, §9.4). */
export const operations: OperationCodecs = {
  SendMessage: { method: 'SendMessage', params: sendParams, result: sendMessageResponse },
  SendStreamingMessage: { method: 'SendStreamingMessage', params: sendParams, result: streamResponse },
  GetTask: { method: 'GetTask', params: getParams, result: task },
  ListTasks: { method: 'ListTasks', params: listParams, result: taskList },
  CancelTask: { method: 'CancelTask', params: cancelParams, result: task },
  SubscribeToTask: { method: 'SubscribeToTask', params: subscribeParams, result: streamResponse },
  CreateTaskPushNotificationConfig: {
    method: 'CreateTaskPushNotificationConfig',
    params: pushConfig,
    result: pushConfig,
  },
  GetTaskPushNotificationConfig: {
    method: 'GetTaskPushNotificationConfig',
    params: getPushConfig,
    result: pushConfig,
  },
  ListTaskPushNotificationConfigs: {
    method: 'ListTaskPushNotificationConfigs',
    params: listPushConfigs,
    result: pushConfigList,
  },
  DeleteTaskPushNotificationConfig: {
    method: 'DeleteTaskPushNotificationConfig',
    params: deletePushConfig,
    result: nothing,
  },
  GetExtendedAgentCard: { method: 'GetExtendedAgentCard', params: cardParams, result: card },
};
