import type { TaskPushNotificationConfig } from '../model/push.ts';
import type { Writable } from '../support/writable.ts';
import type { ClaimedPush, DeadLetterRecord, NewDeadLetter, PushHolding } from './push.ts';

/** The rows that the SQL stores read, in the order of their columns. */

/** The first three columns define the due order; each store has its own. */
export type DueRow = readonly [
  ...place: [number, number, number],
  receiver: string,
  taskId: string,
  tenant: string,
  owner: string,
  id: string,
  dialect: string,
  createdAt: number,
  config: string,
  told: number,
  attempts: number,
  failingSince: number | null,
  givenUp: number,
  fence: number,
];

export type LetterRow = readonly [
  id: string,
  number: number,
  kind: NewDeadLetter['event']['kind'],
  body: string,
  reason: string,
  attempts: number,
  time: number,
  taskId: string,
  tenant: string,
  owner: string,
  configId: string,
  receiver: string,
  disabled: string | null,
  dialect: string,
  createdAt: number,
  config: string,
];

export function toHolding([, , , receiver, taskId, tenant, owner, configId]: DueRow): PushHolding {
  return { taskId, configId, tenant, owner, receiver };
}

/** @param fence The fencing number of the claim. */
export function toClaimed(row: DueRow, fence: number): ClaimedPush {
  const [, , , receiver, taskId, tenant, owner, id, dialect, createdAt, config] = row;
  const [told, attempts, failingSince, givenUp] = [row[11], row[12], row[13], row[14]];
  const parsed = JSON.parse(config) as TaskPushNotificationConfig;
  const claimed: Writable<ClaimedPush> = {
    taskId,
    configId: id,
    tenant,
    owner,
    config: { id, config: parsed, dialect, createdAt },
    receiver,
    fence,
    told,
    attempts,
    givenUp,
  };
  if (failingSince !== null) claimed.failingSince = failingSince;
  return claimed;
}

export function toDeadLetter(row: LetterRow): DeadLetterRecord {
  const [id, number, kind, body, reason, attempts, time, taskId, tenant, owner, configId, receiver, disabled] = row;
  const [dialect, createdAt, config] = [row[13], row[14], row[15]];
  const parsed = JSON.parse(config) as TaskPushNotificationConfig;
  const letter: Writable<DeadLetterRecord> = {
    id,
    event: { number, kind, body },
    reason: JSON.parse(reason) as string,
    attempts,
    time,
    taskId,
    tenant,
    owner,
    configId,
    config: { id: configId, config: parsed, dialect, createdAt },
    receiver,
  };
  if (disabled !== null) letter.disabled = JSON.parse(disabled) as string;
  return letter;
}
