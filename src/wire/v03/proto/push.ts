import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
} from '../../../model/operation.ts';
import type { TaskPushNotificationConfig } from '../../../model/push.ts';
import { defined } from '../../../support/defined.ts';
import { type Codec, defaulted, isObject, isSet, object, optional } from '../../codec.ts';
import type { Reader } from '../../reader.ts';
import { count, idOrEmpty, list, string } from '../../values.ts';
import { protoPushConfig as pushConfig } from '../push.ts';
import { agreed, type ConfigName, configName, newConfigName, type Said, taskName } from './names.ts';

/** A config with its task, which is part of its name; the other styles have `taskId`. */
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

const namedConfig: Codec<NamedConfig> = object<NamedConfig>(namedConfigFields);

/** What to create. The prose of 0.3 has `config` alone, its protocol definition makes `config` the body of the request. */
interface NewConfig extends NamedConfig {
  readonly parent?: string;
  readonly configId?: string;
  readonly config?: NamedConfig;
}

/** The prose does not say which of its two kinds of config it means. */
const eitherConfig: Codec<NamedConfig> = {
  decode(r, json) {
    const isPlain = isObject(json) && isSet(json['url']) && !isSet(json['pushNotificationConfig']);
    return isPlain ? { pushNotificationConfig: pushConfig.decode(r, json) } : namedConfig.decode(r, json);
  },
  encode: namedConfig.encode,
};

const newConfig: Codec<NewConfig> = object<NewConfig>({
  parent: optional(taskName),
  configId: defaulted(idOrEmpty),
  config: optional(eitherConfig),
  ...namedConfigFields,
});

function join(r: Reader, outer: NewConfig, inner: NamedConfig, needed: string): TaskPushNotificationConfig {
  const config = inner.pushNotificationConfig ?? outer.pushNotificationConfig;
  if (config === undefined) r.violate('the member pushNotificationConfig', 'pushNotificationConfig');
  const taskIds: Said = [
    ['taskId', outer.taskId],
    ['parent', outer.parent],
    ['name', outer.name?.taskId],
    ['config.taskId', inner.taskId],
    ['config.name', inner.name?.taskId],
  ];
  const ids: Said = [
    ['configId', outer.configId],
    ['pushNotificationConfig.id', config?.id],
    ['name', outer.name?.id],
    ['config.name', inner.name?.id],
  ];
  return defined({ url: '', ...config, taskId: agreed(r, taskIds, needed), id: agreed(r, ids) });
}

/** A config without an id goes by its task's. */
function named({ taskId = '', id = taskId, ...config }: TaskPushNotificationConfig): Named {
  return { name: { taskId, id }, pushNotificationConfig: { ...config, id } };
}

interface Named extends NamedConfig {
  readonly name: Required<ConfigName>;
  readonly pushNotificationConfig: TaskPushNotificationConfig;
}

/** `{name, pushNotificationConfig}`, or as the other styles have it, `{taskId, pushNotificationConfig}`. */
export const taskPushConfig: Codec<TaskPushNotificationConfig> = {
  decode: (r, json) => join(r, namedConfig.decode(r, json), {}, 'name'),
  encode: (config) => namedConfig.encode(named(config)),
};

/**
 * `{parent, configId, config}`; over REST, where the path says whose config it is, also `config` alone, the config itself
 * or `{taskId, pushNotificationConfig}`.
 */
export const createPushConfig: Codec<TaskPushNotificationConfig> = {
  decode(r, json) {
    const { config = {}, ...outer } = newConfig.decode(r, json);
    return join(r, outer, config, 'parent');
  },
  encode(value) {
    const config = named(value);
    return newConfig.encode({ parent: config.name.taskId, configId: config.name.id, config });
  },
};

/** gRPC names the config; over REST its path arrives as two ids. */
interface ConfigAddress {
  readonly name?: ConfigName;
  readonly id?: string;
  readonly pushNotificationConfigId?: string;
}

const configAddress: Codec<ConfigAddress> = object<ConfigAddress>({
  name: optional(configName),
  id: defaulted(idOrEmpty),
  pushNotificationConfigId: defaulted(idOrEmpty),
});

/** Each request must name its config: "the one the task has" cannot be asked for. */
const pushConfigAddress: Codec<Required<ConfigName>> = {
  decode(r, json) {
    const { name, id, pushNotificationConfigId } = configAddress.decode(r, json);
    const taskIds: Said = [
      ['id', id],
      ['name', name?.taskId],
    ];
    const configIds: Said = [
      ['pushNotificationConfigId', pushNotificationConfigId],
      ['name', name?.id],
    ];
    const taskId = agreed(r, taskIds, 'name') ?? '';
    return { taskId, id: agreed(r, configIds, name === undefined ? 'pushNotificationConfigId' : undefined) ?? '' };
  },
  encode: (name) => configAddress.encode({ name }),
};

export const getPushConfig: Codec<GetTaskPushNotificationConfigRequest> = {
  decode: pushConfigAddress.decode,
  encode: ({ taskId, id = taskId }) => pushConfigAddress.encode({ taskId, id }),
};

export const deletePushConfig: Codec<DeleteTaskPushNotificationConfigRequest> = {
  decode: pushConfigAddress.decode,
  encode: ({ taskId, id }) => pushConfigAddress.encode({ taskId, id }),
};

interface ListAddress extends Omit<ListTaskPushNotificationConfigsRequest, 'tenant' | 'taskId'> {
  readonly parent?: string;
  readonly id?: string;
}

const listAddress: Codec<ListAddress> = object<ListAddress>({
  parent: optional(taskName),
  id: defaulted(idOrEmpty),
  pageSize: defaulted(count),
  pageToken: defaulted(idOrEmpty),
});

export const listPushConfigs: Codec<ListTaskPushNotificationConfigsRequest> = {
  decode(r, json) {
    const { parent, id, ...page } = listAddress.decode(r, json);
    const taskIds: Said = [
      ['id', id],
      ['parent', parent],
    ];
    return { taskId: agreed(r, taskIds, 'parent') ?? '', ...page };
  },
  encode: ({ tenant: _, taskId, ...page }) => listAddress.encode({ parent: taskId, ...page }),
};

const configList: Codec<ListTaskPushNotificationConfigsResponse> = object<ListTaskPushNotificationConfigsResponse>({
  configs: optional(list(taskPushConfig)),
  nextPageToken: defaulted(string),
});

const configs = list(taskPushConfig);

/** Pages of configs; the other styles answer with the bare list. */
export const pushConfigList: Codec<ListTaskPushNotificationConfigsResponse> = {
  decode: (r, json) => (Array.isArray(json) ? { configs: configs.decode(r, json) } : configList.decode(r, json)),
  encode: configList.encode,
};
