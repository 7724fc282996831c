import type { NewPushConfig } from '../engine/push-configs.ts';
import { A2AError } from '../errors.ts';
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
} from '../model/operation.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import { AddressRefused } from '../push/address-guard.ts';
import type { PushConfigRecord } from '../store/store.ts';
import { underName } from './aliases.ts';
import { type Call, accessOf } from './call.ts';
import { tooLong } from './push-config-limits.ts';
import { encodeRegistrant, type Registrant } from './registrant.ts';
import type { Service } from './service.ts';
import { taskNamed } from './task-name.ts';

/** Says it with all that was given, secrets too: its caller has them anyway. */
export async function createPushConfig(
  service: Service,
  call: Call,
  input: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  requirePush(service);
  const { taskId = '' } = input;
  if (taskId === '') throw invalid('taskId', 'expected the id of the task');
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, taskId);
  if (input.url === '' && call.dialect.hasDefaultPushConfig) {
    // How 0.1 takes its one config away.
    await service.engine.deletePushConfig(access, id, id);
    return input;
  }
  const config = newConfig(service, { dialect: call.dialect, alias }, input);
  const record = await underName(service.engine.setPushConfig(access, id, config), id, alias);
  return shown(record, alias);
}

export async function getPushConfig(
  service: Service,
  call: Call,
  input: GetTaskPushNotificationConfigRequest,
): Promise<TaskPushNotificationConfig> {
  requirePush(service);
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, input.taskId);
  if (input.id !== undefined)
    return withoutCredentials(shown(await service.engine.getPushConfig(access, id, input.id), alias));
  // Which one is meant only older callers leave open: the default, else any.
  const records = await service.engine.listPushConfigs(access, id);
  const record = records.find((each) => each.id === id) ?? records[0];
  return withoutCredentials(
    shown(record ?? (await underName(service.engine.getPushConfig(access, id, id), id, alias)), alias),
  );
}

export async function listPushConfigs(
  service: Service,
  call: Call,
  input: ListTaskPushNotificationConfigsRequest,
): Promise<ListTaskPushNotificationConfigsResponse> {
  requirePush(service);
  const access = accessOf(service, call, input);
  const { id, alias } = await taskNamed(service, call, access, input.taskId);
  const { pageSize = 0, pageToken = '' } = input;
  const range = {
    ...(pageSize > 0 && { limit: pageSize + 1 }),
    ...(pageToken !== '' && { after: pageToken }),
  };
  const records = await service.engine.listPushConfigs(access, id, range);
  const page = pageSize > 0 ? records.slice(0, pageSize) : records;
  const nextPageToken = page.length < records.length ? (page.at(-1)?.id ?? '') : '';
  return { configs: page.map((record) => withoutCredentials(shown(record, alias))), nextPageToken };
}

/** Harmless if there is none (1.0 §3.1.10). */
export async function deletePushConfig(
  service: Service,
  call: Call,
  input: DeleteTaskPushNotificationConfigRequest,
): Promise<null> {
  requirePush(service);
  const access = accessOf(service, call, input);
  const { id } = await taskNamed(service, call, access, input.taskId);
  await service.engine.deletePushConfig(access, id, input.id);
  return null;
}

/** A config that comes with a message. It is for the task of the message, so it names none (1.0 §3.2.2). */
export function inlinePushConfig(
  service: Service,
  call: Call,
  config: TaskPushNotificationConfig | undefined,
  taskName: string | undefined,
): NewPushConfig | undefined {
  if (config === undefined) return undefined;
  requirePush(service);
  const place = 'configuration.taskPushNotificationConfig.';
  if (config.taskId !== undefined && config.taskId !== '') {
    throw invalid(`${place}taskId`, 'must be left out: it is the task of the message');
  }
  const alias = call.dialect.clientNamesTasks ? taskName : undefined;
  return newConfig(service, { dialect: call.dialect, alias }, config, place);
}

/** `place` is where in the request the config stands. */
function newConfig(
  { pushGuard }: Service,
  registrant: Registrant,
  config: TaskPushNotificationConfig,
  place = '',
): NewPushConfig {
  const [field, problem] = tooLong(config) ?? [];
  if (field !== undefined && problem !== undefined)
    throw invalid(field === '' ? place.slice(0, -1) || 'taskPushNotificationConfig' : place + field, problem);
  const { url, token = '', authentication: { scheme, credentials = '' } = { scheme: 'Bearer' } } = config;
  try {
    pushGuard.admit(url);
  } catch (error) {
    if (error instanceof AddressRefused) throw invalid(`${place}url`, error.message, { guard: 'address' });
    throw error;
  }
  if (!HEADER_TEXT.test(token)) throw invalid(`${place}token`, UNFIT);
  if (!SCHEME.test(scheme)) throw invalid(`${place}authentication.scheme`, 'expected the name of an HTTP scheme');
  if (!HEADER_TEXT.test(credentials)) throw invalid(`${place}authentication.credentials`, UNFIT);
  const isDefault = registrant.dialect.hasDefaultPushConfig;
  return { config, dialect: encodeRegistrant(registrant), isDefault };
}

/** Secrets go into headers, where a line break would begin another one. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;
const UNFIT = 'must have printable ASCII characters only, for it is sent as a header';
const SCHEME = /^[\w!#$%&'*+.^`|~-]+$/;

function shown({ config }: PushConfigRecord, alias: string | undefined): TaskPushNotificationConfig {
  return alias === undefined ? config : { ...config, taskId: alias };
}

/** Who reads a config back knows its secrets, or should not. Left out, for what stands in their place could be written back. */
function withoutCredentials(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  const { authentication } = config;
  return authentication === undefined ? config : { ...config, authentication: { scheme: authentication.scheme } };
}

/** @throws A2AError `PUSH_NOTIFICATION_NOT_SUPPORTED` (1.0 §3.3.4) */
function requirePush({ pushNotifications }: Service): void {
  if (pushNotifications) return;
  throw new A2AError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'This agent sends no push notifications: poll or subscribe');
}

function invalid(field: string, description: string, details: A2AError['details'] = {}): A2AError {
  return new A2AError('INVALID_PARAMS', `${field}: ${description}`, { details, violations: [{ field, description }] });
}
