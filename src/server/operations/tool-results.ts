import type { Submission } from '../../engine/tasks/submission.ts';
import type { TaskAccess } from '../../engine/tasks/task-access.ts';
import { A2AError, invalidField } from '../../errors.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import type { Task } from '../../model/task.ts';
import type { Dialect, ToolResult } from '../../wire/dialect.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';

/** The number of referenced tasks that are searched for the question. */
const MAX_REFERENCES = 10;

/** A message that answers the question with this id; without an id it answers none. */
type ToolAnswer = Pick<Submission, 'message' | 'answers'>;

/**
 * A message with the result of a client-side tool, as an answer to the task that asked for it: the message refers to the task and
 * names the question, and need not be addressed to the task. The handler gets the result in place of the parts.
 *
 * Only tasks of the caller are looked at. If no question is open, the message may be a repeat, which the engine recognises: a
 * message with one result that refers to one task is addressed to that task, and the engine rejects it unless it is a repeat.
 *
 * @throws A2AError `TASK_NOT_FOUND`, or `INVALID_PARAMS` if none of several tasks asks this.
 */
export async function answerByToolResult(
  { host: { engine } }: MountedAgent,
  toolResultIn: NonNullable<Dialect['toolResultIn']>,
  access: Required<TaskAccess>,
  message: Message,
): Promise<ToolAnswer> {
  const results = message.parts.flatMap((part) => toolResultIn(part) ?? []);
  const references = message.taskId === undefined ? (message.referenceTaskIds ?? []) : [message.taskId];
  const [first] = references;
  if (results.length === 0 || first === undefined) return { message };
  const found: string[] = [];
  let missing: A2AError | undefined;
  for (const taskId of references.slice(0, MAX_REFERENCES)) {
    let task: Task;
    try {
      task = await engine.get(access, taskId, { historyLength: 0 });
    } catch (error) {
      if (!A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
      missing ??= error;
      continue;
    }
    found.push(taskId);
    const result = results.find(({ toolUseId }) => toolUseId === openQuestionOf(task));
    if (result !== undefined) return answerTo(taskId, message, result);
  }
  const [only, ...others] = results;
  const [taskId, ...furtherTasks] = new Set(found);
  if (only !== undefined && taskId !== undefined && others.length + furtherTasks.length === 0) {
    return answerTo(taskId, message, only);
  }
  if (missing !== undefined) throw missing;
  const description = 'expected the requestId of an open question of the task';
  throw invalidField('message.parts.toolUseId', description, { taskId: first });
}

function answerTo(taskId: string, message: Message, result: ToolResult): ToolAnswer {
  return { message: { ...message, taskId, parts: [partOf(result)] }, answers: result.toolUseId };
}

/** The id of the question that a task asks, which is that of the message. */
function openQuestionOf({ status: { state, message } }: Task): string | undefined {
  return state === 'TASK_STATE_INPUT_REQUIRED' ? message?.messageId : undefined;
}

/** A result `{ value }` is that value: the form in which clients send what a person has entered. */
function partOf({ result }: ToolResult): Part {
  const value: JsonValue = isWrapped(result) ? result.value : result;
  return typeof value === 'string' ? { text: value } : { data: value };
}

function isWrapped(result: JsonValue): result is { readonly value: JsonValue } {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return false;
  const [key, ...others] = Object.keys(result);
  return key === 'value' && others.length === 0;
}
