import { A2AError } from '../../errors.ts';
import type { TaskStatus } from '../../model/task.ts';
import type { TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import { statusEvent } from '../replay/event-body.ts';
import { isForwarded } from '../replay/unasked-entries.ts';
import { isTurnQuestion } from '../run/outcome.ts';
import { openQuestion } from '../questions/question.ts';
import { timeAfter } from '../write/status-time.ts';
import { changeTask } from './change-task.ts';
import { shown, type TaskAccess } from './task-access.ts';

/**
 * Passes a credential to a task that waits for it. The task resumes. Only the handler sees the credential, and it is
 * deleted when the task ends.
 *
 * @throws A2AError `TASK_NOT_FOUND`, or `UNSUPPORTED_OPERATION` if the task does not wait for a credential.
 */
export async function authorize(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  credential: string,
): Promise<TaskRecord> {
  const { record } = await changeTask(engine, {
    taskId,
    action: 'authorize the task',
    faultPoint: 'after-authorize',
    read: async () => shown(access, taskId, await engine.store.read(access, taskId, { history: 0 })).record,
    plan: async (now) => {
      await assertWaiting(engine, now);
      return authorized(engine, now, credential);
    },
  });
  return record;
}

async function assertWaiting({ store }: EngineContext, record: TaskRecord): Promise<void> {
  const { id, question, status, canceling } = record;
  const isAsked = question !== undefined && !canceling && !isTurnQuestion(question);
  const asked = isAsked ? openQuestion(await store.journal(id), question) : undefined;
  if (asked?.credential !== undefined) return;
  throw new A2AError('UNSUPPORTED_OPERATION', `Task ${id} does not wait for authorization`, {
    details: { taskId: id, state: status.state },
  });
}

function authorized({ clock }: EngineContext, record: TaskRecord, credential: string): TaskWrite {
  const { id, question = '', status } = record;
  const working: TaskStatus = { state: 'TASK_STATE_WORKING', timestamp: timeAfter(status, clock.now()) };
  return {
    taskId: id,
    guard: { question, canceling: false },
    events: [statusEvent(record, working)],
    status: working,
    history: status.message === undefined ? [] : [status.message],
    journal: [{ kind: 'answer', key: question, body: { value: credential }, sensitive: true }],
    question: null,
    wakeAt: clock.now(),
    ...(isForwarded('question', question) && { callsDue: true as const }),
  };
}
