import type { GetTaskPushNotificationConfigRequest } from '../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { type Codec, isObject, object, required } from '../codec.ts';
import { createTaskPushConfigCodec, pushConfig as laterConfig } from '../v03/push.ts';
import { id } from '../values.ts';

/** A task of 0.1 has one config at most, so configs have no ids. */
function withoutId(codec: Codec<TaskPushNotificationConfig>): Codec<TaskPushNotificationConfig> {
  return { decode: codec.decode, encode: ({ id: _, ...config }) => codec.encode(config) };
}

export const pushConfig = withoutId(laterConfig);

const setPushConfig = withoutId(createTaskPushConfigCodec('id'));

const taskOnly: Codec<{ readonly taskId: string }> = object<{ readonly taskId: string }>({
  taskId: required(id, { wire: 'id' }),
});

/**
 * `null` in place of the config is official here and takes the task's config away. The model says it as a config with an
 * empty `url`: no dialect lets an address be empty, so nothing else reads as that, and who stores it without looking
 * fails on the address.
 */
export const taskPushConfig: Codec<TaskPushNotificationConfig> = {
  decode(r, json) {
    if (!isObject(json) || json['pushNotificationConfig'] !== null) return setPushConfig.decode(r, json);
    return { ...taskOnly.decode(r, json), url: '' };
  },
  encode(config) {
    if (config.url !== '') return setPushConfig.encode(config);
    return { id: config.taskId ?? '', pushNotificationConfig: null };
  },
};

export const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = object<
  Pick<GetTaskPushNotificationConfigRequest, 'taskId'>
>({ taskId: required(id, { wire: 'id' }) });
