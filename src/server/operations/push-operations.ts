import type { NewPushConfig } from '../../engine/outbox/push-configs.ts';
import { A2AError, invalidField } from '../../errors.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import { AddressRejected } from '../../push/address-guard.ts';
import type { PushConfigRecord } from '../../store/store.ts';
import { taskNamed, underName } from './aliases.ts';
import { type RequestContext } from '../../host/request-context.ts';
import { encodePushTarget, type PushTarget } from '../../host/outbound/push-target.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';

/** The response contains the secrets of the request, because the caller already has them. */
import type { Perform } from './operation.ts';

export const createPushConfig: Perform<'CreateTaskPushNotificationConfig'> = async (mounted, context, input) => {
  requirePush(mounted);
  const { taskId = '' } = input;
  if (taskId === '') throw invalidField('taskId', 'expected the id of the task');
  const { access, id, alias } = await taskNamed(mounted, context, input, taskId);
  if (input.url === '' && context.dialect.hasDefaultPushConfig) {
    // In 0.1 an empty URL deletes the only config of a task.
    await mounted.host.engine.deletePushConfig(access, id, id);
    return input;
  }
  const config = newConfig(mounted, { dialect: context.dialect, alias }, input);
  const record = await underName(mounted.host.engine.setPushConfig(access, id, config), id, alias);
  return shown(record, alias);
};

export const getPushConfig: Perform<'GetTaskPushNotificationConfig'> = async (mounted, context, input) => {
  requirePush(mounted);
  const { access, id, alias } = await taskNamed(mounted, context, input, input.taskId);
  if (input.id !== undefined)
    return withoutCredentials(shown(await mounted.host.engine.getPushConfig(access, id, input.id), alias));
  // Only older versions omit the id: the default config, otherwise any.
  const records = await mounted.host.engine.listPushConfigs(access, id);
  const record = records.find((each) => each.id === id) ?? records[0];
  return withoutCredentials(
    shown(record ?? (await underName(mounted.host.engine.getPushConfig(access, id, id), id, alias)), alias),
  );
};

export const listPushConfigs: Perform<'ListTaskPushNotificationConfigs'> = async (mounted, context, input) => {
  requirePush(mounted);
  const { access, id, alias } = await taskNamed(mounted, context, input, input.taskId);
  const { pageSize = 0, pageToken = '' } = input;
  const range = {
    ...(pageSize > 0 && { limit: pageSize + 1 }),
    ...(pageToken !== '' && { after: pageToken }),
  };
  const records = await mounted.host.engine.listPushConfigs(access, id, range);
  const page = pageSize > 0 ? records.slice(0, pageSize) : records;
  const nextPageToken = page.length < records.length ? (page.at(-1)?.id ?? '') : '';
  return { configs: page.map((record) => withoutCredentials(shown(record, alias))), nextPageToken };
};

/** Succeeds if the config does not exist (1.0 §3.1.10). */
export const deletePushConfig: Perform<'DeleteTaskPushNotificationConfig'> = async (mounted, context, input) => {
  requirePush(mounted);
  const { access, id } = await taskNamed(mounted, context, input, input.taskId);
  await mounted.host.engine.deletePushConfig(access, id, input.id);
  return null;
};

/** A config inside a message. It applies to the task of the message, so it must not name one (1.0 §3.2.2). */
export function inlinePushConfig(
  mounted: MountedAgent,
  context: RequestContext,
  config: TaskPushNotificationConfig | undefined,
  taskName: string | undefined,
): NewPushConfig | undefined {
  if (config === undefined) return undefined;
  requirePush(mounted);
  const path = 'configuration.taskPushNotificationConfig.';
  if (config.taskId !== undefined && config.taskId !== '') {
    throw invalidField(`${path}taskId`, 'must not be set: the config applies to the task of the message');
  }
  const alias = context.dialect.clientNamesTasks ? taskName : undefined;
  return newConfig(mounted, { dialect: context.dialect, alias }, config, path);
}

/** @param path The path of the config in the request, for errors. */
function newConfig(
  { host }: MountedAgent,
  pushTarget: PushTarget,
  config: TaskPushNotificationConfig,
  path = '',
): NewPushConfig {
  const [field, problem] = tooLong(config) ?? [];
  if (field !== undefined && problem !== undefined)
    throw invalidField(field === '' ? path.slice(0, -1) || 'taskPushNotificationConfig' : path + field, problem);
  const { url, token = '', authentication: { scheme, credentials = '' } = { scheme: 'Bearer' } } = config;
  try {
    host.outbound.pushGuard.admit(url);
  } catch (error) {
    if (error instanceof AddressRejected) throw invalidField(`${path}url`, error.message, { guard: 'address' });
    throw error;
  }
  if (!HEADER_TEXT.test(token)) throw invalidField(`${path}token`, UNFIT);
  if (!SCHEME.test(scheme))
    throw invalidField(`${path}authentication.scheme`, 'expected an HTTP authentication scheme such as "Bearer"');
  if (!HEADER_TEXT.test(credentials)) throw invalidField(`${path}authentication.credentials`, UNFIT);
  const isDefault = pushTarget.dialect.hasDefaultPushConfig;
  return { config, dialect: encodePushTarget(pushTarget), isDefault };
}

/** Secrets are sent in headers, where a line break would start another header. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;
const UNFIT = 'must contain only printable ASCII characters, because it is sent as a header';
const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/;

function shown({ config }: PushConfigRecord, alias: string | undefined): TaskPushNotificationConfig {
  return alias === undefined ? config : { ...config, taskId: alias };
}

/** Reads omit the credentials. A placeholder would be worse, because a client could write it back. */
function withoutCredentials(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  const { authentication } = config;
  return authentication === undefined ? config : { ...config, authentication: { scheme: authentication.scheme } };
}

/** @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED` (1.0 §3.3.4) */
function requirePush({ pushNotifications }: MountedAgent): void {
  if (pushNotifications) return;
  throw new A2AError(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'This agent does not support push notifications: poll the task or subscribe to it',
  );
}

/** The largest number of characters per member. A push configuration is stored for each task, and sent with each notification. */
const MAX_CHARACTERS = {
  url: 2048,
  id: 256,
  token: 4096,
  'authentication.scheme': 64,
  'authentication.credentials': 8192,
};

/** The limit for the whole configuration, including unknown members. */
const MAX_WHOLE = 16_384;

/** The first member that is too long, with the problem; undefined if there is none. */
function tooLong(config: TaskPushNotificationConfig): readonly [field: string, problem: string] | undefined {
  const { url, id = '', token = '', authentication } = config;
  const { scheme = '', credentials = '' } = authentication ?? {};
  const lengths = { url, id, token, 'authentication.scheme': scheme, 'authentication.credentials': credentials };
  for (const name of Object.keys(MAX_CHARACTERS) as (keyof typeof MAX_CHARACTERS)[])
    if (lengths[name].length > MAX_CHARACTERS[name]) return [name, atMost(MAX_CHARACTERS[name])];
  return JSON.stringify(config).length > MAX_WHOLE ? ['', atMost(MAX_WHOLE)] : undefined;
}

function atMost(characters: number): string {
  return `must have at most ${characters} characters`;
}
