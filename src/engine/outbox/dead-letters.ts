import { A2AError } from '../../errors.ts';
import type { Task } from '../../model/task.ts';
import type { DeadLetterRecord, PushConfigName } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { type PushTransport, currentTask, type DeliveryResult, attemptDelivery } from './delivery.ts';
import { notFound } from '../tasks/task-access.ts';

/** A push notification that could not be delivered, for operators of the server. */
export interface DeadLetter extends PushConfigName {
  /** The id of the delivery. A receiver that got it after all recognises it by this id. */
  readonly id: string;
  /** The tenant of the task. */
  readonly tenant: string;
  /** The owner of the task. */
  readonly owner: string;
  /** The host that did not accept it. */
  readonly receiver: string;
  /** The event that was not delivered. */
  readonly event: DeadLetterRecord['event'];
  /** Why the last attempt failed. */
  readonly reason: string;
  /** How many attempts were made. */
  readonly attempts: number;
  /** When the last attempt failed, in milliseconds since 1970. */
  readonly time: number;
  /** Why the push configuration is disabled, if it is. */
  readonly disabled?: string;
}

/** The range of a list of dead letters. */
export interface DeadLetterRange {
  /** The maximum number of dead letters; 100 if not set. */
  readonly limit?: number;
  /** The id of the last dead letter of the previous page. */
  readonly after?: string;
}

/** The result of `redeliver`. */
export interface Redelivered {
  /** How many dead letters were delivered and removed. */
  readonly delivered: number;
  /** The first dead letter that failed again. It and all later ones are kept. */
  readonly failed?: {
    /** The id of the dead letter. */
    readonly id: string;
    /** Why the attempt failed. */
    readonly reason: string;
  };
}

const PAGE = 100;

export async function listDeadLetters(
  { store, agents }: EngineContext,
  { limit = PAGE, after }: DeadLetterRange,
): Promise<readonly DeadLetter[]> {
  const range = after === undefined ? { limit } : { limit, after };
  const records = await store.deadLetters({ agents: [...agents.keys()], ...range });
  return records.map(({ config: _, ...letter }) => letter);
}

/**
 * Sends one dead letter again, or all dead letters of a push configuration, in their order and independently of current
 * deliveries. Each is tried once. A disabled configuration is enabled again and receives the events since then.
 *
 * @throws A2AError `INVALID_PARAMS` if the dead letter or the push configuration does not exist.
 */
export async function redeliver(
  engine: EngineContext,
  pushTransport: PushTransport,
  which: string | PushConfigName,
  signal: AbortSignal,
): Promise<Redelivered> {
  const { store, agents } = engine;
  const query = typeof which === 'string' ? { id: which } : { of: which };
  let delivered = 0;
  let toResume = typeof which === 'string' ? undefined : which;
  for (;;) {
    const letters = await store.deadLetters({ agents: [...agents.keys()], ...query, limit: PAGE });
    if (letters.length === 0 && typeof which === 'string')
      throw new A2AError('INVALID_PARAMS', `Dead letter ${which} does not exist`);
    for (const letter of letters) {
      const result = await send(engine, pushTransport, letter, signal);
      engine.observers.metrics?.pushAttempted(result.kind === 'delivered' ? 'delivered' : 'dead');
      if (result.kind === 'failed') return { delivered, failed: { id: letter.id, reason: result.reason } };
      await store.dropDeadLetter(letter.id);
      delivered += 1;
      // A configuration that is not disabled keeps its position.
      toResume = letter.disabled === undefined ? undefined : letter;
    }
    if (letters.length === PAGE) continue;
    if (toResume !== undefined && !(await store.resumePush(toResume)) && delivered === 0)
      throw new A2AError('INVALID_PARAMS', `Task ${toResume.taskId} has no push configuration ${toResume.configId}`);
    return { delivered };
  }
}

async function send(
  { store, observers }: EngineContext,
  pushTransport: PushTransport,
  { id, attempts, taskId, tenant, owner, config, event }: DeadLetterRecord,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const stored = await store.read({ tenant, owner }, taskId, { history: 0 });
  if (stored === undefined) throw notFound(taskId);
  const { record } = stored;
  const taskView = (): Promise<Task> => currentTask(store, record, taskId);
  const planned = { id, attempt: attempts + 1, task: record, config, event, taskView };
  return attemptDelivery(observers, pushTransport, planned, signal);
}
