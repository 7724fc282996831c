import type { JsonObject } from '../../model/json.ts';
import type { Message, Role } from '../../model/message.ts';
import type { GetTaskRequest, SendMessageRequest } from '../../model/operation.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { defined } from '../../support/defined.ts';
import { normalizeTimestamp } from '../../support/timestamp.ts';
import { type Codec, defaulted, isObject, member, object, optional, required } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { Reader } from '../reader.ts';
import { id, idOrEmpty, list, string, struct, timestamp, words } from '../values.ts';

/**
 * One platform's own REST form, met at `/a2a/tasks/send` and `/a2a/tasks/{id}`: the request is a text, the task is flat
 * with its state at the top and everything said in `messages`. It knows four states and no artifacts.
 */

const role = words<Role>({ user: 'ROLE_USER', agent: 'ROLE_AGENT' }, 'ROLE_UNSPECIFIED');

/** Going out, an end that is not a success is a failure, and a pause is still work. */
const state = words<TaskState>(
  {
    failed: 'TASK_STATE_FAILED',
    submitted: 'TASK_STATE_SUBMITTED',
    working: 'TASK_STATE_WORKING',
    completed: 'TASK_STATE_COMPLETED',
  },
  'TASK_STATE_UNSPECIFIED',
);

function flatState(value: TaskState): TaskState {
  if (value === 'TASK_STATE_CANCELED' || value === 'TASK_STATE_REJECTED') return 'TASK_STATE_FAILED';
  return isTerminal(value) || value === 'TASK_STATE_SUBMITTED' ? value : 'TASK_STATE_WORKING';
}

interface FlatPart {
  readonly text: string;
}

interface FlatMessage {
  readonly role: Role;
  readonly parts: readonly FlatPart[];
}

interface FlatTask {
  readonly id: string;
  readonly state: TaskState;
  readonly messages: readonly FlatMessage[];
  readonly sessionId?: string;
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

const flatTask: Codec<FlatTask> = object<FlatTask>({
  id: required(id),
  state: required(state),
  messages: required(
    list(
      object<FlatMessage>({
        role: required(role),
        parts: required(list(object<FlatPart>({ text: required(string) }, { tag: ['type', 'text'] }))),
      }),
    ),
  ),
  sessionId: defaulted(idOrEmpty),
  createdAt: optional(timestamp),
  updatedAt: optional(timestamp),
});

const CREATED_AT = 'createdAt';

const task: Codec<Task> = {
  decode(r, json) {
    const flat = flatTask.decode(r, json);
    const messages = (flat.messages ?? []).map((message): Message => ({ messageId: r.newId(), ...message }));
    const last = messages.findLast((message) => message.role === 'ROLE_AGENT');
    return defined({
      id: flat.id,
      contextId: flat.sessionId,
      // The answer is the last thing the agent said.
      status: defined({
        state: flat.state,
        message: isTerminal(flat.state) ? last : undefined,
        timestamp: flat.updatedAt,
      }),
      history: messages,
      metadata: flat.createdAt === undefined ? undefined : { [CREATED_AT]: flat.createdAt },
    });
  },
  encode(value) {
    const { status, history = [], artifacts = [] } = value;
    const said = history.map((message) => flatMessage(message.role, wholeText(message.parts)));
    // Its peers read the last message of the agent: the result of a completed task, the reason of a failed one.
    const result = flatMessage(
      'ROLE_AGENT',
      artifacts
        .map(({ parts }) => resultText(parts))
        .filter((text) => text !== '')
        .join('\n'),
    );
    const isNew = !history.some(({ messageId }) => messageId === status.message?.messageId);
    const remark = flatMessage('ROLE_AGENT', isNew ? wholeText(status.message?.parts ?? []) : '');
    const isCompleted = status.state === 'TASK_STATE_COMPLETED';
    return flatTask.encode(
      defined({
        id: value.id,
        state: flatState(status.state),
        messages: [...said, ...(isCompleted ? [remark, result] : [result, remark])].filter(hasText),
        sessionId: value.contextId,
        createdAt: createdAt(value) ?? status.timestamp,
        updatedAt: status.timestamp,
      }),
    );
  },
};

/** Where reading keeps it; a value of the user's own under that name is no time. */
function createdAt({ metadata }: Task): string | undefined {
  const kept = metadata?.[CREATED_AT];
  return typeof kept === 'string' ? normalizeTimestamp(kept)?.text : undefined;
}

/** A message whose text is in one part, which is all that its peers read. */
function flatMessage(role: Role, text: string): FlatMessage {
  return { role, parts: [{ text }] };
}

function hasText({ parts: [part] }: FlatMessage): boolean {
  return part !== undefined && part.text !== '';
}

function wholeText(parts: Message['parts']): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

/** The text of an artifact; one without any text shows its data. */
function resultText(parts: Message['parts']): string {
  const text = wholeText(parts);
  if (text !== '') return text;
  return parts.flatMap((part) => ('data' in part ? [JSON.stringify(part.data)] : [])).join('\n');
}

function textsOf(parts: Message['parts']): readonly FlatPart[] {
  return parts.flatMap((part) => ('text' in part ? [{ text: part.text }] : []));
}

/** The body is the text itself, at the top or under `params`, with hints beside it that become metadata. */
const sendParams: Codec<SendMessageRequest> = {
  decode(r, json) {
    const inner = isObject(json) ? json['params'] : undefined;
    return isObject(inner) ? r.at('params', () => decodeBody(r, inner)) : decodeBody(r, isObject(json) ? json : {});
  },
  encode: ({ message, metadata }) => ({
    params: {
      ...metadata,
      message: textsOf(message.parts)
        .map(({ text }) => text)
        .join('\n'),
    },
  }),
};

function decodeBody(r: Reader, body: JsonObject): SendMessageRequest {
  const { message: _, ...hints } = body;
  const text = member(r, body, 'message', someText);
  requireWhole(r, body, 'timeoutMs', MAX_TIMEOUT_MS);
  requireWhole(r, body, 'depth', MAX_DEPTH);
  const message: Message = { messageId: r.newId(), role: 'ROLE_USER', parts: [{ text }] };
  return Object.keys(hints).length === 0 ? { message } : { message, metadata: struct.decode(r, hints) };
}

/** The longest time that a caller may give a task; the limit of the agent applies as well. */
const MAX_TIMEOUT_MS = 600_000;

/** How many agents a request may have passed through. */
const MAX_DEPTH = 3;

function requireWhole(r: Reader, body: JsonObject, key: string, most: number): void {
  const value = body[key];
  if (value === undefined || value === null) return;
  if (!Number.isSafeInteger(value) || Number(value) < 1 || Number(value) > most)
    r.violate(`a whole number from 1 to ${most}`, key);
}

/** The time that a request gives its task, of params that were decoded without a violation. */
function timeoutMsOf(params: unknown): number | undefined {
  const outer = isObject(params) ? params : {};
  const { timeoutMs } = isObject(outer['params']) ? outer['params'] : outer;
  return typeof timeoutMs === 'number' ? timeoutMs : undefined;
}

/** Errors of REST are an object with a text. */
const errors = createErrorCodec({
  http: { CONTENT_TYPE_NOT_SUPPORTED: 415 },
  data: () => undefined,
  restBody: ({ code, message }) => ({ error: code === 'TASK_NOT_FOUND' ? 'Task not found' : message }),
});

const someText: Codec<string> = {
  decode(r, json) {
    if (typeof json === 'string' && json.trim() !== '') return string.decode(r, json);
    r.violate('a text that is not blank');
    return '';
  },
  encode: (text) => text,
};

const getParams: Codec<GetTaskRequest> = object<Pick<GetTaskRequest, 'id'>>({ id: required(id) });

/** The flat form as a dialect of its own, built on the cards of another one. */
export function createFlatTaskDialect(base: Dialect): Dialect {
  return {
    ...base,
    name: 'flat-task',
    profile: 'corvid',
    operations: {
      SendMessage: {
        method: 'tasks/send',
        params: sendParams,
        result: { decode: (r, json) => ({ task: task.decode(r, json) }), encode: encodeSendResult },
      },
      GetTask: { method: 'tasks/get', params: getParams, result: task },
    },
    methodAliases: {},
    errors,
    sendReturnsAtOnce: true,
    timeoutMsOf,
    restPath: (operation, taskId = '') =>
      operation === 'GetTask'
        ? { verb: 'GET', path: `/a2a/tasks/${encodeURIComponent(taskId)}` }
        : { verb: 'POST', path: '/a2a/tasks/send' },
  };
}

/** A bare message is a task that is done at once. */
function encodeSendResult(result: { readonly task: Task } | { readonly message: Message }): unknown {
  if ('task' in result) return task.encode(result.task);
  const { message } = result;
  return task.encode({ id: message.taskId ?? message.messageId, status: { state: 'TASK_STATE_COMPLETED', message } });
}
