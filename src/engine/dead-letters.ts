import { A2AError } from '../errors.ts';
import type { Task } from '../model/task.ts';
import type { DeadLetterRecord, PushConfigName } from '../store/store.ts';
import type { Core } from './core.ts';
import { type Courier, currentTask, type DeliveryResult } from './delivery.ts';
import { notFound } from './not-found.ts';
import { attemptDelivery } from './push-attempt.ts';

/** An event that a receiver could not be told of, for those who run the server. */
export interface DeadLetter extends PushConfigName {
  /** That of its delivery: a receiver knows it if it got it after all. */
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  /** The host that did not take it. */
  readonly receiver: string;
  readonly event: DeadLetterRecord['event'];
  readonly reason: string;
  readonly attempts: number;
  /** When it was given up. */
  readonly time: number;
  /** Why nothing more is sent there, if it is so. */
  readonly disabled?: string;
}

/** Where a list of them begins and ends. */
export interface DeadLetterRange {
  /** 100 if not set. */
  readonly limit?: number;
  /** The id with which the page before this one ended. */
  readonly after?: string;
}

/** What came of sending dead letters again. */
export interface Redelivered {
  readonly delivered: number;
  /** The first one that was not taken: it and those behind it stay. */
  readonly failed?: { readonly id: string; readonly reason: string };
}

const PAGE = 100;

export async function listDeadLetters(
  { store, agents }: Core,
  { limit = PAGE, after }: DeadLetterRange,
): Promise<readonly DeadLetter[]> {
  const range = after === undefined ? { limit } : { limit, after };
  const records = await store.deadLetters({ agents: [...agents.keys()], ...range });
  return records.map(({ config: _, ...letter }) => letter);
}

/**
 * Sends one dead letter again, or all of a push configuration, in their order and beside what is told there now. Each is
 * tried once. A configuration that was disabled is then told of what came since.
 */
export async function redeliver(
  core: Core,
  courier: Courier,
  which: string | PushConfigName,
  signal: AbortSignal,
): Promise<Redelivered> {
  const { store, agents } = core;
  const query = typeof which === 'string' ? { id: which } : { of: which };
  let delivered = 0;
  let toResume = typeof which === 'string' ? undefined : which;
  for (;;) {
    const letters = await store.deadLetters({ agents: [...agents.keys()], ...query, limit: PAGE });
    if (letters.length === 0 && typeof which === 'string')
      throw new A2AError('INVALID_PARAMS', `There is no dead letter ${which}`);
    for (const letter of letters) {
      const result = await send(core, courier, letter, signal);
      core.observers.metrics?.pushAttempted(result.kind === 'delivered' ? 'delivered' : 'dead');
      if (result.kind === 'failed') return { delivered, failed: { id: letter.id, reason: result.reason } };
      await store.dropDeadLetter(letter.id);
      delivered += 1;
      // One that is told of what comes now must not be disturbed.
      toResume = letter.disabled === undefined ? undefined : letter;
    }
    if (letters.length === PAGE) continue;
    if (toResume !== undefined && !(await store.resumePush(toResume)) && delivered === 0)
      throw new A2AError('INVALID_PARAMS', `Task ${toResume.taskId} has no push configuration ${toResume.configId}`);
    return { delivered };
  }
}

async function send(
  { store, observers }: Core,
  courier: Courier,
  { id, attempts, taskId, tenant, owner, config, event }: DeadLetterRecord,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const stored = await store.read({ tenant, owner }, taskId, { history: 0 });
  if (stored === undefined) throw notFound(taskId);
  const { record } = stored;
  const taskView = (): Promise<Task> => currentTask(store, record, taskId);
  const planned = { id, attempt: attempts + 1, task: record, config, event, taskView };
  return attemptDelivery(observers, courier, planned, signal);
}
