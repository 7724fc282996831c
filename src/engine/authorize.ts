import { A2AError } from '../errors.ts';
import type { TaskStatus } from '../model/task.ts';
import type { TaskRecord, TaskWrite } from '../store/store.ts';
import type { Core } from './core.ts';
import { statusEvent } from './event-body.ts';
import { isTurnQuestion } from './outcome.ts';
import { openQuestion } from './question.ts';
import { timeAfter } from './status-time.ts';
import { shown, type TaskAccess } from './task-access.ts';

/** As often as it takes; but a task that changes under our hands again and again is not waiting. */
const MAX_TRIES = 20;

/**
 * Gives a task the credential that it waits for, which came by another way than a message. It goes on by itself; the
 * credential is for its handler alone, and forgotten when the task ends.
 *
 * @throws A2AError `TASK_NOT_FOUND`, and `UNSUPPORTED_OPERATION` if it waits for none.
 */
export async function authorize(
  core: Core,
  access: TaskAccess,
  taskId: string,
  credential: string,
): Promise<TaskRecord> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { record } = shown(access, taskId, await core.store.read(access, taskId, { history: 0 }));
    await assertWaiting(core, record);
    const write = authorized(core, record, credential);
    const result = await core.store.append(write);
    core.faultPoint('after-authorize');
    if (result.kind !== 'appended') continue;
    const events = (write.events ?? []).map((event, i) => ({ ...event, number: result.firstEvent + i }));
    core.observers.metrics?.stateReached(result.record);
    core.feed.tell(taskId, { kind: 'written', record: result.record, events });
    return result.record;
  }
  throw new A2AError('UNAVAILABLE', `Task ${taskId} changes too fast`, { retryAfterMs: core.pollMs });
}

async function assertWaiting({ store }: Core, record: TaskRecord): Promise<void> {
  const { id, question, status, canceling } = record;
  const isAsked = question !== undefined && !canceling && !isTurnQuestion(question);
  const asked = isAsked ? openQuestion(await store.journal(id), question) : undefined;
  if (asked?.credential !== undefined) return;
  throw new A2AError('UNSUPPORTED_OPERATION', `Task ${id} waits for no authorization`, {
    details: { taskId: id, state: status.state },
  });
}

function authorized({ clock, node }: Core, record: TaskRecord, credential: string): TaskWrite {
  const { id, question = '', status } = record;
  const working: TaskStatus = { state: 'TASK_STATE_WORKING', timestamp: timeAfter(status, clock.now()) };
  return {
    taskId: id,
    by: node,
    guard: { question, canceling: false },
    events: [statusEvent(record, working)],
    status: working,
    history: status.message === undefined ? [] : [status.message],
    journal: [{ kind: 'answer', key: question, body: { value: credential } }],
    question: null,
    wakeAt: clock.now(),
  };
}
