import { A2AError } from '../../errors.ts';
import type { TaskRecord, TaskWrite } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import type { OpenQuestion } from '../questions/open-questions.ts';
import { isTurnQuestion } from '../run/outcome.ts';
import { readQuestions, toQuestionEnd } from './answer-question.ts';
import { changeTask } from './change-task.ts';
import { shown, type TaskAccess } from './task-access.ts';

/**
 * Passes a credential to a task that waits for it: to the oldest question for one, or to the question with an id. The task resumes. Only
 * the handler sees the credential, and it is deleted when the task ends.
 *
 * @throws A2AError `TASK_NOT_FOUND`, or `UNSUPPORTED_OPERATION` if the task does not wait for a credential.
 */
export async function authorize(
  engine: EngineContext,
  access: TaskAccess,
  taskId: string,
  credential: string,
  questionId?: string,
): Promise<TaskRecord> {
  let tries = 0;
  const { record } = await changeTask(engine, {
    taskId,
    action: 'authorize the task',
    faultPoint: 'after-authorize',
    read: async () => shown(access, taskId, await engine.store.read(access, taskId, { history: 0 })).record,
    plan: (now) => authorized(engine, now, { credential, questionId, tries: tries++ }),
  });
  return record;
}

interface Credential {
  readonly credential: string;
  readonly questionId: string | undefined;
  readonly tries: number;
}

async function authorized(
  engine: EngineContext,
  record: TaskRecord,
  { credential, questionId, tries }: Credential,
): Promise<TaskWrite> {
  const { id, question: shownKey, status, canceling } = record;
  const isAsked = shownKey !== undefined && !canceling && !isTurnQuestion(shownKey);
  const questions = isAsked ? await readQuestions(engine.store, record) : undefined;
  const waits = ({ id: itsId, asked }: OpenQuestion): boolean =>
    asked.credential !== undefined && (questionId === undefined || itsId === questionId);
  const question = questions?.open.find(waits);
  if (questions === undefined || question === undefined) {
    throw new A2AError('UNSUPPORTED_OPERATION', `Task ${id} does not wait for authorization`, {
      details: { taskId: id, state: status.state },
    });
  }
  const answer = { kind: 'answer', key: question.key, body: { value: credential }, sensitive: true } as const;
  return toQuestionEnd(engine, record, questions, { question, answer, tries });
}
