import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
} from '../../model/operation.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, defaulted, objectAsReceived, optional, required } from '../codec.ts';
import { count, id, idOrEmpty, list, someText, string } from '../values.ts';

const authentication: Codec<AuthenticationInfo> = objectAsReceived<AuthenticationInfo>({
  scheme: required(someText),
  credentials: defaulted(string),
});

export const pushConfig: Codec<TaskPushNotificationConfig> = objectAsReceived<TaskPushNotificationConfig>({
  tenant: defaulted(idOrEmpty),
  id: defaulted(idOrEmpty),
  taskId: defaulted(idOrEmpty),
  url: required(someText),
  token: defaulted(string),
  authentication: optional(authentication),
});

/** 1.0 has no default config: the id is required (1.0 §3.1.8). */
export const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = objectAsReceived<
  Required<Pick<GetTaskPushNotificationConfigRequest, 'taskId' | 'id'>> & { readonly tenant?: string }
>({ tenant: defaulted(idOrEmpty), taskId: required(id), id: required(id) });

export const deletePushConfig: Codec<DeleteTaskPushNotificationConfigRequest> =
  objectAsReceived<DeleteTaskPushNotificationConfigRequest>({
    tenant: defaulted(idOrEmpty),
    taskId: required(id),
    id: required(id),
  });

export const listPushConfigs: Codec<ListTaskPushNotificationConfigsRequest> =
  objectAsReceived<ListTaskPushNotificationConfigsRequest>({
    tenant: defaulted(idOrEmpty),
    taskId: required(id),
    pageSize: defaulted(count),
    pageToken: defaulted(idOrEmpty),
  });

export const pushConfigList: Codec<ListTaskPushNotificationConfigsResponse> =
  objectAsReceived<ListTaskPushNotificationConfigsResponse>({
    configs: optional(list(pushConfig)),
    nextPageToken: defaulted(string),
  });
