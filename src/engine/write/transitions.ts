import type { Task, TaskStatus } from '../../model/task.ts';
import type { Transition, Transitions } from '../../model/transitions.ts';
import type { Store, TaskEvent, TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { shown, type TaskAccess } from '../tasks/task-access.ts';
import { PAGE_PARTS, pagedTask } from '../tasks/task-page.ts';

/** The maximum number of state changes in one response, the latest. */
const MAX_TRANSITIONS = 100;

/**
 * The approximate size of the events that are read to find them, because a task may have any number of chunks between two
 * states.
 */
const SCAN_BYTES = 8 * 2 ** 20;

/** The approximate size of a page of events. The first page has a fixed number of events. */
const PAGE_BYTES = 2 ** 18;
const FIRST_PAGE = 64;
const LARGEST_PAGE = 1024;

/** A task with its state changes. */
export interface TaskWithTransitions extends Transitions {
  /** The task as `get()` returns it. */
  readonly task: Task;
}

/**
 * Returns a task as `readTask` does, and its state changes up to its current state.
 *
 * @throws A2AError `TASK_NOT_FOUND`
 */
export async function readTransitions(
  { store }: EngineContext,
  access: TaskAccess,
  taskId: string,
  historyLength?: number,
): Promise<TaskWithTransitions> {
  const parts = historyLength === undefined ? PAGE_PARTS : { ...PAGE_PARTS, history: historyLength };
  const stored = shown(access, taskId, await store.read(access, taskId, parts));
  return { task: pagedTask(stored), ...(await transitionsOf(store, stored.record)) };
}

/**
 * Reads the events backwards from the last one, so that the cost is limited however long the log is. Consecutive events
 * with the same state are one change, with the time of the first. If the first event is not reached, because retention
 * removed it or a limit was hit, the result is marked as truncated.
 */
async function transitionsOf(store: Store, record: TaskRecord): Promise<Transitions> {
  const found: Transition[] = [transitionOf(record.status)];
  const oldestFirst = (truncated: boolean): Transitions => ({ transitions: found.toReversed(), truncated });
  let end = record.lastEvent;
  let limit = FIRST_PAGE;
  let bytes = 0;
  while (end > 0) {
    if (bytes >= SCAN_BYTES) return oldestFirst(true);
    const after = Math.max(0, end - limit);
    const events = await store.events(record.id, after, end - after);
    for (const event of events.toReversed()) {
      bytes += event.body.length;
      const status = statusOf(event);
      if (status === undefined) continue;
      const transition = transitionOf(status);
      if (found.at(-1)?.state === transition.state) found[found.length - 1] = transition;
      else if (found.length === MAX_TRANSITIONS) return oldestFirst(true);
      else found.push(transition);
    }
    if (events.length < end - after) return oldestFirst(true);
    limit = pageAfter(events);
    end = after;
  }
  return oldestFirst(false);
}

function transitionOf({ state, timestamp }: TaskStatus): Transition {
  return timestamp === undefined ? { state } : { state, timestamp };
}

/** The status that an event reports; artifact events report none. */
function statusOf({ kind, body }: TaskEvent): TaskStatus | undefined {
  if (kind === 'artifact') return undefined;
  const { statusUpdate, task } = JSON.parse(body) as { statusUpdate?: { status: TaskStatus }; task?: Task };
  return statusUpdate?.status ?? task?.status;
}

function pageAfter(events: readonly TaskEvent[]): number {
  const bytes = events.reduce((sum, { body }) => sum + body.length, 1);
  return Math.min(LARGEST_PAGE, Math.max(1, Math.floor((events.length * PAGE_BYTES) / bytes)));
}
