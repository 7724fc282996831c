import { A2AError } from '../errors.ts';
import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { PushConfigRecord, Scope } from '../store/store.ts';
import type { Core } from './core.ts';
import { isPlain } from './json-value.ts';
import { notFound, pushConfigNotFound } from './not-found.ts';
import { shown, type TaskAccess } from './task-access.ts';

/** Where a caller wants to be told of a task. */
export interface NewPushConfig {
  /** One without an id gets one. */
  readonly config: TaskPushNotificationConfig;
  /** One without an id is the task's own: it gets the id of the task, and takes the place of the one before. */
  readonly isDefault?: boolean;
  /** The dialect it was asked for in: what is sent there is in the same. */
  readonly dialect: string;
}

/** Where a list of them begins and ends; all of them if nothing is said. */
export interface PushConfigRange {
  readonly limit?: number;
  /** The id with which the page before this one ended. */
  readonly after?: string;
}

/** A config is an object of objects, and no more. */
const MAX_DEPTH = 8;

/** What cannot be stored and read again is refused before it is stored. */
export function assertStorablePush({ config }: NewPushConfig): void {
  if (isPlain(config, MAX_DEPTH)) return;
  throw new A2AError('INVALID_PARAMS', `A push configuration must be plain JSON, at most ${MAX_DEPTH} levels deep`);
}

/** As it is stored for a task. */
export function pushConfigOf(
  { newId, clock }: Pick<Core, 'newId' | 'clock'>,
  taskId: string,
  { config, dialect, isDefault = false }: NewPushConfig,
): PushConfigRecord {
  const id = config.id === undefined || config.id === '' ? (isDefault ? taskId : newId()) : config.id;
  return { id, config: { ...config, id, taskId }, dialect, createdAt: clock.now() };
}

export async function setPushConfig(
  core: Core,
  access: TaskAccess,
  taskId: string,
  given: NewPushConfig,
): Promise<PushConfigRecord> {
  assertStorablePush(given);
  await assertWithin(core, access, taskId);
  return putPushConfig(core, access, taskId, pushConfigOf(core, taskId, given));
}

async function putPushConfig(
  { store, maxPushConfigs, pushConfigChanged }: Core,
  scope: Scope,
  taskId: string,
  record: PushConfigRecord,
): Promise<PushConfigRecord> {
  const put = await store.putPushConfig(scope, taskId, record, maxPushConfigs);
  if (put === undefined) throw notFound(taskId);
  if (put.kind === 'stored') {
    await pushConfigChanged({ taskId, configId: record.id });
    return put.record;
  }
  throw noRoomForPush(taskId, maxPushConfigs);
}

export function noRoomForPush(taskId: string, maxPushConfigs: number): A2AError {
  return new A2AError(
    'UNSUPPORTED_OPERATION',
    `Task ${taskId} has ${maxPushConfigs} push configurations, and no room for more: delete or replace one`,
    { details: { taskId, limit: 'pushConfigsPerTask', maxPushConfigs: String(maxPushConfigs) } },
  );
}

export async function getPushConfig(
  core: Core,
  access: TaskAccess,
  taskId: string,
  id: string,
): Promise<PushConfigRecord> {
  await assertWithin(core, access, taskId);
  const found = await core.store.pushConfigs(access, taskId, { id, limit: 1 });
  if (found === undefined) throw notFound(taskId);
  const [record] = found;
  if (record === undefined) throw pushConfigNotFound(taskId, id);
  return record;
}

export async function listPushConfigs(
  core: Core,
  access: TaskAccess,
  taskId: string,
  range: PushConfigRange,
): Promise<readonly PushConfigRecord[]> {
  await assertWithin(core, access, taskId);
  const found = await core.store.pushConfigs(access, taskId, { limit: Number.POSITIVE_INFINITY, ...range });
  if (found === undefined) throw notFound(taskId);
  return found;
}

export async function deletePushConfig(core: Core, access: TaskAccess, taskId: string, id: string): Promise<boolean> {
  await assertWithin(core, access, taskId);
  const deleted = await core.store.deletePushConfig(access, taskId, id);
  if (deleted === undefined) throw notFound(taskId);
  await core.pushConfigChanged({ taskId, configId: id });
  return deleted;
}

/** The store knows owners; the agent of a task, which never changes, is looked at here. */
async function assertWithin({ store }: Core, access: TaskAccess, taskId: string): Promise<void> {
  if (access.agent !== undefined) shown(access, taskId, await store.read(access, taskId, { history: 0 }));
}
