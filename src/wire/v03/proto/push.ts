import type { Input, Output } from '../../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../../model/push.ts';
import { defined } from '../../../support/defined.ts';
import { type Codec, defaulted, isObject, isSet, object, optional } from '../../codec.ts';
import type { Decoder } from '../../decoder.ts';
import { count, idOrEmpty, list, string } from '../../values.ts';
import { protoPushConfig as pushConfig } from '../push.ts';
import { agreedId, type ConfigName, configName, newConfigName, type IdCandidates, taskName } from './names.ts';

/** A config with its task, whose id is part of its name; the other styles have `taskId`. */
interface NamedConfig {
  readonly name?: ConfigName;
  readonly taskId?: string;
  readonly pushNotificationConfig?: TaskPushNotificationConfig;
}

const namedConfigFields = {
  name: optional(newConfigName),
  taskId: defaulted(idOrEmpty),
  pushNotificationConfig: optional(pushConfig),
};

const namedConfig = object<NamedConfig>(namedConfigFields);

/**
 * The config to create. The prose of 0.3 has only `config`; its protocol definition makes `config` the body of the
 * request.
 */
interface NewConfig extends NamedConfig {
  readonly parent?: string;
  readonly configId?: string;
  readonly config?: NamedConfig;
}

/** The prose does not specify which of its two types of config it means. */
const eitherConfig: Codec<NamedConfig> = {
  decode(d, json) {
    const isPlain = isObject(json) && isSet(json['url']) && !isSet(json['pushNotificationConfig']);
    return isPlain ? { pushNotificationConfig: pushConfig.decode(d, json) } : namedConfig.decode(d, json);
  },
  encode: namedConfig.encode,
};

const newConfig = object<NewConfig>({
  parent: optional(taskName),
  configId: defaulted(idOrEmpty),
  config: optional(eitherConfig),
  ...namedConfigFields,
});

function join(d: Decoder, outer: NewConfig, inner: NamedConfig, needed: string): TaskPushNotificationConfig {
  const config = inner.pushNotificationConfig ?? outer.pushNotificationConfig;
  if (config === undefined) d.violate('the member pushNotificationConfig', 'pushNotificationConfig');
  const taskIds: IdCandidates = [
    ['taskId', outer.taskId],
    ['parent', outer.parent],
    ['name', outer.name?.taskId],
    ['config.taskId', inner.taskId],
    ['config.name', inner.name?.taskId],
  ];
  const ids: IdCandidates = [
    ['configId', outer.configId],
    ['pushNotificationConfig.id', config?.id],
    ['name', outer.name?.id],
    ['config.name', inner.name?.id],
  ];
  return defined({ url: '', ...config, taskId: agreedId(d, taskIds, needed), id: agreedId(d, ids) });
}

/** A config without an id gets the id of its task. */
function named({ taskId = '', id = taskId, ...config }: TaskPushNotificationConfig): Named {
  return { name: { taskId, id }, pushNotificationConfig: { ...config, id } };
}

interface Named extends NamedConfig {
  readonly name: Required<ConfigName>;
  readonly pushNotificationConfig: TaskPushNotificationConfig;
}

/** `{name, pushNotificationConfig}`, or `{taskId, pushNotificationConfig}` as in the other styles. */
export const taskPushConfig: Codec<TaskPushNotificationConfig> = {
  decode: (d, json) => join(d, namedConfig.decode(d, json), {}, 'name'),
  encode: (config) => namedConfig.encode(named(config)),
};

/**
 * `{parent, configId, config}`. Over REST, where the path contains the task id, also only `config`, the config itself
 * or `{taskId, pushNotificationConfig}`.
 */
export const createPushConfig: Codec<TaskPushNotificationConfig> = {
  decode(d, json) {
    const { config = {}, ...outer } = newConfig.decode(d, json);
    return join(d, outer, config, 'parent');
  },
  encode(value) {
    const config = named(value);
    return newConfig.encode({ parent: config.name.taskId, configId: config.name.id, config });
  },
};

/** gRPC requests contain the resource name of the config, REST requests two ids. */
interface ConfigAddress {
  readonly name?: ConfigName;
  readonly id?: string;
  readonly pushNotificationConfigId?: string;
}

const configAddress = object<ConfigAddress>({
  name: optional(configName),
  id: defaulted(idOrEmpty),
  pushNotificationConfigId: defaulted(idOrEmpty),
});

/** Each request must contain the id of a config; there is no default config. */
const pushConfigAddress: Codec<Required<ConfigName>> = {
  decode(d, json) {
    const { name, id, pushNotificationConfigId } = configAddress.decode(d, json);
    const taskIds: IdCandidates = [
      ['id', id],
      ['name', name?.taskId],
    ];
    const configIds: IdCandidates = [
      ['pushNotificationConfigId', pushNotificationConfigId],
      ['name', name?.id],
    ];
    const taskId = agreedId(d, taskIds, 'name') ?? '';
    return { taskId, id: agreedId(d, configIds, name === undefined ? 'pushNotificationConfigId' : undefined) ?? '' };
  },
  encode: (name) => configAddress.encode({ name }),
};

export const getPushConfig: Codec<Input<'GetTaskPushNotificationConfig'>> = {
  decode: pushConfigAddress.decode,
  encode: ({ taskId, id = taskId }) => pushConfigAddress.encode({ taskId, id }),
};

export const deletePushConfig: Codec<Input<'DeleteTaskPushNotificationConfig'>> = {
  decode: pushConfigAddress.decode,
  encode: ({ taskId, id }) => pushConfigAddress.encode({ taskId, id }),
};

interface ListAddress extends Omit<Input<'ListTaskPushNotificationConfigs'>, 'tenant' | 'taskId'> {
  readonly parent?: string;
  readonly id?: string;
}

const listAddress = object<ListAddress>({
  parent: optional(taskName),
  id: defaulted(idOrEmpty),
  pageSize: defaulted(count),
  pageToken: defaulted(idOrEmpty),
});

export const listPushConfigs: Codec<Input<'ListTaskPushNotificationConfigs'>> = {
  decode(d, json) {
    const { parent, id, ...page } = listAddress.decode(d, json);
    const taskIds: IdCandidates = [
      ['id', id],
      ['parent', parent],
    ];
    return { taskId: agreedId(d, taskIds, 'parent') ?? '', ...page };
  },
  encode: ({ tenant: _, taskId, ...page }) => listAddress.encode({ parent: taskId, ...page }),
};

const configList = object<Output<'ListTaskPushNotificationConfigs'>>({
  configs: optional(list(taskPushConfig)),
  nextPageToken: defaulted(string),
});

const configs = list(taskPushConfig);

/** Pages of configs; the other styles return only the list. */
export const pushConfigList: Codec<Output<'ListTaskPushNotificationConfigs'>> = {
  decode: (d, json) => (Array.isArray(json) ? { configs: configs.decode(d, json) } : configList.decode(d, json)),
  encode: configList.encode,
};
