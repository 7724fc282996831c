import type { GetTaskPushNotificationConfigRequest } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, object, required } from '../codec.ts';
import { createTaskPushConfigCodec, pushConfig as laterConfig } from '../v03/push.ts';
import { id } from '../values.ts';

/** A task of 0.1 has one config at most, so configs have no ids. */
function withoutId(codec: Codec<TaskPushNotificationConfig>): Codec<TaskPushNotificationConfig> {
  return { decode: codec.decode, encode: ({ id: _, ...config }) => codec.encode(config) };
}

export const pushConfig = withoutId(laterConfig);

export const taskPushConfig = withoutId(createTaskPushConfigCodec('id'));

export const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = object<
  Pick<GetTaskPushNotificationConfigRequest, 'taskId'>
>({ taskId: required(id, { wire: 'id' }) });
