import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
} from '../../model/operation.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, defaulted, objectAsReceived, optional, required } from '../codec.ts';
import { count, id, list, string } from '../values.ts';

const authentication: Codec<AuthenticationInfo> = objectAsReceived<AuthenticationInfo>({
  scheme: required(id),
  credentials: defaulted(string),
});

export const pushConfig: Codec<TaskPushNotificationConfig> = objectAsReceived<TaskPushNotificationConfig>({
  tenant: defaulted(string),
  id: defaulted(string),
  taskId: defaulted(string),
  url: required(id),
  token: defaulted(string),
  authentication: optional(authentication),
});

/** 1.0 has no default config: the id is required (1.0 §3.1.8). */
export const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = objectAsReceived<
  Required<Pick<GetTaskPushNotificationConfigRequest, 'taskId' | 'id'>> & { readonly tenant?: string }
>({ tenant: defaulted(string), taskId: required(id), id: required(id) });

export const deletePushConfig: Codec<DeleteTaskPushNotificationConfigRequest> =
  objectAsReceived<DeleteTaskPushNotificationConfigRequest>({
    tenant: defaulted(string),
    taskId: required(id),
    id: required(id),
  });

export const listPushConfigs: Codec<ListTaskPushNotificationConfigsRequest> =
  objectAsReceived<ListTaskPushNotificationConfigsRequest>({
    tenant: defaulted(string),
    taskId: required(id),
    pageSize: defaulted(count),
    pageToken: defaulted(string),
  });

export const pushConfigList: Codec<ListTaskPushNotificationConfigsResponse> =
  objectAsReceived<ListTaskPushNotificationConfigsResponse>({
    configs: optional(list(pushConfig)),
    nextPageToken: defaulted(string),
  });
