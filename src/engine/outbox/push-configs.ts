import { A2AError } from '../../errors.ts';
import type { TaskPushNotificationConfig } from '../../model/push.ts';
import type { PushConfigRecord, Scope } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { isPlain } from '../../support/json/json-value.ts';
import { notFound, shown, type TaskAccess } from '../tasks/task-access.ts';

/** A push configuration that a caller registers. */
export interface NewPushConfig {
  /** The configuration as received. If it has no id, it gets one. */
  readonly config: TaskPushNotificationConfig;
  /**
   * Whether a configuration without an id is the default one of the task: it gets the id of the task and replaces the
   * previous default.
   */
  readonly isDefault?: boolean;
  /** The protocol version of the request. Notifications use the same version. */
  readonly dialect: string;
}

/** The range of a list of push configurations; all of them if not set. */
export interface PushConfigRange {
  /** The maximum number of configurations. */
  readonly limit?: number;
  /** The id of the last configuration of the previous page. */
  readonly after?: string;
}

/** A configuration nests objects only two levels deep. */
const MAX_DEPTH = 8;

/** Rejects a configuration that cannot be stored and read back. */
export function assertStorablePush({ config }: NewPushConfig): void {
  if (isPlain(config, MAX_DEPTH)) return;
  throw new A2AError('INVALID_PARAMS', `A push configuration must be plain JSON, at most ${MAX_DEPTH} levels deep`);
}

/** The record that is stored for a configuration. */
export function pushConfigOf(
  { newId, clock }: Pick<EngineContext, 'newId' | 'clock'>,
  taskId: string,
  { config, dialect, isDefault = false }: NewPushConfig,
): PushConfigRecord {
  const id = config.id === undefined || config.id === '' ? (isDefault ? taskId : newId()) : config.id;
  return { id, config: { ...config, id, taskId }, dialect, createdAt: clock.now() };
}

export async function setPushConfig(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  given: NewPushConfig,
): Promise<PushConfigRecord> {
  assertStorablePush(given);
  await assertWithin(engine, access, taskId);
  return putPushConfig(engine, access, taskId, pushConfigOf(engine, taskId, given));
}

async function putPushConfig(
  { store, maxPushConfigs, pushConfigChanged }: EngineContext,
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
    `Task ${taskId} has reached its limit of ${maxPushConfigs} push configurations. Delete or replace one.`,
    { details: { taskId, limit: 'pushConfigsPerTask', maxPushConfigs: String(maxPushConfigs) } },
  );
}

export async function getPushConfig(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  id: string,
): Promise<PushConfigRecord> {
  await assertWithin(engine, access, taskId);
  const found = await engine.store.pushConfigs(access, taskId, { id, limit: 1 });
  if (found === undefined) throw notFound(taskId);
  const [record] = found;
  if (record === undefined) throw pushConfigNotFound(taskId, id);
  return record;
}

export async function listPushConfigs(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  range: PushConfigRange,
): Promise<readonly PushConfigRecord[]> {
  await assertWithin(engine, access, taskId);
  const found = await engine.store.pushConfigs(access, taskId, { limit: Number.POSITIVE_INFINITY, ...range });
  if (found === undefined) throw notFound(taskId);
  return found;
}

export async function deletePushConfig(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  id: string,
): Promise<boolean> {
  await assertWithin(engine, access, taskId);
  const deleted = await engine.store.deletePushConfig(access, taskId, id);
  if (deleted === undefined) throw notFound(taskId);
  await engine.pushConfigChanged({ taskId, configId: id });
  return deleted;
}

/** Checks the agent of the task. The store checks only the owner; the agent of a task never changes. */
async function assertWithin({ store }: EngineContext, access: TaskAccess, taskId: string): Promise<void> {
  if (access.agent !== undefined) shown(access, taskId, await store.read(access, taskId, { history: 0 }));
}

/** A missing configuration is reported as a missing task (1.0 §3.1.8), with a message that names the configuration. */
function pushConfigNotFound(taskId: string, configId: string): A2AError {
  return new A2AError('TASK_NOT_FOUND', `Task ${taskId} has no push configuration ${configId}`, {
    details: { taskId, configId },
  });
}
