import type { Input, Output } from '../../model/operation.ts';
import type { AuthenticationInfo, TaskPushNotificationConfig } from '../../model/push.ts';
import { defined } from '../../support/defined.ts';
import { type Codec, defaulted, expected, object, optional, required } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { id, idOrEmpty, list, nonEmptyString, string, strings } from '../values.ts';

interface OldAuthentication {
  readonly schemes?: readonly string[];
  readonly credentials?: string;
}

/** As in the JSON schema, in which `schemes` is required. */
const tagged: Codec<OldAuthentication> = object<OldAuthentication & Required<Pick<OldAuthentication, 'schemes'>>>({
  schemes: expected(strings, () => []),
  credentials: defaulted(string),
});

/** As in the protocol definition, in which an absent list and an empty list are the same. */
const proto = object<OldAuthentication>({
  schemes: defaulted(strings),
  credentials: defaulted(string),
});

interface OldConfig {
  readonly id?: string;
  readonly url: string;
  readonly token?: string;
  readonly authentication?: OldAuthentication;
}

/** 1.0 has one scheme instead of a list: the bearer token if the list contains it, else the first. */
function oneScheme(d: Decoder, { schemes = [], credentials }: OldAuthentication): AuthenticationInfo | undefined {
  if (schemes.length > 1) d.warn('push-schemes-reduced', 'used only one of several schemes', 'authentication');
  const scheme = schemes.find((name) => name.toLowerCase() === 'bearer') ?? schemes[0];
  if (scheme === undefined && credentials === undefined) return undefined;
  return defined({ scheme: scheme ?? 'Bearer', credentials });
}

function createPushConfigCodec(authenticationCodec: Codec<OldAuthentication>): Codec<TaskPushNotificationConfig> {
  const oldConfig = object<OldConfig>({
    id: defaulted(idOrEmpty),
    url: required(nonEmptyString),
    token: defaulted(string),
    authentication: optional(authenticationCodec),
  });
  return {
    decode(d, json) {
      const { authentication, ...config } = oldConfig.decode(d, json);
      return defined({ ...config, authentication: authentication && oneScheme(d, authentication) });
    },
    encode: ({ id: configId, url, token, authentication }) =>
      oldConfig.encode(
        defined({
          id: configId,
          url,
          token,
          authentication:
            authentication && defined({ ...authentication, scheme: undefined, schemes: [authentication.scheme] }),
        }),
      ),
  };
}

/** The config inside a send, which has no task and no tenant. */
export const pushConfig = createPushConfigCodec(tagged);

/** The same in the style of the protocol definition. */
export const protoPushConfig = createPushConfigCodec(proto);

interface TaskConfig {
  readonly taskId: string;
  readonly pushNotificationConfig: TaskPushNotificationConfig;
}

/** The config with its task: `{taskId, pushNotificationConfig}`; in 0.1 the task's id is called `id`. */
export function createTaskPushConfigCodec(taskIdName: 'taskId' | 'id'): Codec<TaskPushNotificationConfig> {
  const outer = object<TaskConfig>({
    taskId: required(id, { wire: taskIdName }),
    pushNotificationConfig: required(pushConfig),
  });
  return {
    decode(d, json) {
      const { taskId, pushNotificationConfig } = outer.decode(d, json);
      return { ...pushNotificationConfig, taskId };
    },
    encode: ({ taskId = '', ...config }) => outer.encode({ taskId, pushNotificationConfig: config }),
  };
}

export const taskPushConfig = createTaskPushConfigCodec('taskId');

export const getPushConfig: Codec<Input<'GetTaskPushNotificationConfig'>> = object<
  Omit<Input<'GetTaskPushNotificationConfig'>, 'tenant'>
>({ taskId: required(id, { wire: 'id' }), id: defaulted(idOrEmpty, { wire: 'pushNotificationConfigId' }) });

export const deletePushConfig: Codec<Input<'DeleteTaskPushNotificationConfig'>> = object<
  Omit<Input<'DeleteTaskPushNotificationConfig'>, 'tenant'>
>({ taskId: required(id, { wire: 'id' }), id: required(id, { wire: 'pushNotificationConfigId' }) });

/** There is no pagination before 1.0: a response contains all configs. */
export const listPushConfigs: Codec<Input<'ListTaskPushNotificationConfigs'>> = object<
  Pick<Input<'ListTaskPushNotificationConfigs'>, 'taskId'>
>({ taskId: required(id, { wire: 'id' }) });

const configs = list(taskPushConfig);

export const pushConfigList: Codec<Output<'ListTaskPushNotificationConfigs'>> = {
  decode: (d, json) => ({ configs: configs.decode(d, json) }),
  encode: (value) => configs.encode(value.configs ?? []),
};
