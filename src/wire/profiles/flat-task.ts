import type { JsonObject } from '../../model/json.ts';
import type { Message, Role } from '../../model/message.ts';
import type { GetTaskRequest, SendMessageRequest } from '../../model/operation.ts';
import { isTerminal, type TaskState } from '../../model/state.ts';
import type { Task } from '../../model/task.ts';
import { defined } from '../../support/defined.ts';
import { normalizeTimestamp } from '../../support/time/timestamp.ts';
import { type Codec, defaulted, isObject, member, object, optional, required } from '../codec.ts';
import type { Dialect } from '../dialect.ts';
import { createErrorCodec } from '../error-codec.ts';
import type { Decoder } from '../decoder.ts';
import { id, idOrEmpty, list, string, struct, timestamp, stringEnum } from '../values.ts';

/**
 * The proprietary REST format of one platform at `/a2a/tasks/send` and `/a2a/tasks/{id}`: the request is a text, and
 * the task is flat, with its state at the top level and all texts in `messages`. It has four states and no artifacts.
 */

const role = stringEnum<Role>({ user: 'ROLE_USER', agent: 'ROLE_AGENT' }, 'ROLE_UNSPECIFIED');

/** Encoding maps every unsuccessful end to failed, and every pause to working. */
const state = stringEnum<TaskState>(
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

const flatTask = object<FlatTask>({
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
  decode(d, json) {
    const flat = flatTask.decode(d, json);
    const messages = (flat.messages ?? []).map((message): Message => ({ messageId: d.newId(), ...message }));
    const last = messages.findLast((message) => message.role === 'ROLE_AGENT');
    return defined({
      id: flat.id,
      contextId: flat.sessionId,
      // The last message of the agent is the result.
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
    // Peers use the last message of the agent: the result of a completed task, or the reason of a failed one.
    const result = flatMessage(
      'ROLE_AGENT',
      artifacts
        .map(({ parts }) => resultText(parts))
        .filter((text) => text !== '')
        .join('\n'),
    );
    const isNew = !history.some(({ messageId }) => messageId === status.message?.messageId);
    const statusMessage = flatMessage('ROLE_AGENT', isNew ? wholeText(status.message?.parts ?? []) : '');
    const isCompleted = status.state === 'TASK_STATE_COMPLETED';
    return flatTask.encode(
      defined({
        id: value.id,
        state: flatState(status.state),
        messages: [...said, ...(isCompleted ? [statusMessage, result] : [result, statusMessage])].filter(hasText),
        sessionId: value.contextId,
        createdAt: createdAt(value) ?? status.timestamp,
        updatedAt: status.timestamp,
      }),
    );
  },
};

/** Decoding stores the creation time under this key. A user's value that is not a time is ignored. */
function createdAt({ metadata }: Task): string | undefined {
  const kept = metadata?.[CREATED_AT];
  return typeof kept === 'string' ? normalizeTimestamp(kept)?.text : undefined;
}

/** A message whose text is in one part, because peers use only that part. */
function flatMessage(role: Role, text: string): FlatMessage {
  return { role, parts: [{ text }] };
}

function hasText({ parts: [part] }: FlatMessage): boolean {
  return part !== undefined && part.text !== '';
}

function wholeText(parts: Message['parts']): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

/** The text of an artifact, or its data if it has no text. */
function resultText(parts: Message['parts']): string {
  const text = wholeText(parts);
  if (text !== '') return text;
  return parts.flatMap((part) => ('data' in part ? [JSON.stringify(part.data)] : [])).join('\n');
}

function textsOf(parts: Message['parts']): readonly FlatPart[] {
  return parts.flatMap((part) => ('text' in part ? [{ text: part.text }] : []));
}

/** The body is the text, at the top level or under `params`. Members next to the text become metadata. */
const sendParams: Codec<SendMessageRequest> = {
  decode(d, json) {
    const inner = isObject(json) ? json['params'] : undefined;
    return isObject(inner) ? d.at('params', () => decodeBody(d, inner)) : decodeBody(d, isObject(json) ? json : {});
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

function decodeBody(d: Decoder, body: JsonObject): SendMessageRequest {
  const { message: _, ...hints } = body;
  const text = member(d, body, 'message', nonEmptyString);
  requireInteger(d, body, 'timeoutMs', MAX_TIMEOUT_MS);
  requireInteger(d, body, 'depth', MAX_DEPTH);
  const message: Message = { messageId: d.newId(), role: 'ROLE_USER', parts: [{ text }] };
  return Object.keys(hints).length === 0 ? { message } : { message, metadata: struct.decode(d, hints) };
}

/** Maximum time limit that a caller can set for a task. The limit of the agent also applies. */
const MAX_TIMEOUT_MS = 600_000;

/** Maximum number of agents that a request may have passed through. */
const MAX_DEPTH = 3;

function requireInteger(d: Decoder, body: JsonObject, key: string, most: number): void {
  const value = body[key];
  if (value === undefined || value === null) return;
  if (!Number.isSafeInteger(value) || Number(value) < 1 || Number(value) > most)
    d.violate(`an integer from 1 to ${most}`, key);
}

/** The time limit in the params of a send, which must have been decoded without a violation. */
function timeoutMsOf(params: unknown): number | undefined {
  const outer = isObject(params) ? params : {};
  const { timeoutMs } = isObject(outer['params']) ? outer['params'] : outer;
  return typeof timeoutMs === 'number' ? timeoutMs : undefined;
}

/** REST errors are an object with a text. */
const errors = createErrorCodec({
  http: { CONTENT_TYPE_NOT_SUPPORTED: 415 },
  data: () => undefined,
  restBody: ({ code, message }) => ({ error: code === 'TASK_NOT_FOUND' ? 'Task not found' : message }),
});

const nonEmptyString: Codec<string> = {
  decode(d, json) {
    if (typeof json === 'string' && json.trim() !== '') return string.decode(d, json);
    d.violate('a non-blank string');
    return '';
  },
  encode: (text) => text,
};

const getParams: Codec<GetTaskRequest> = object<Pick<GetTaskRequest, 'id'>>({ id: required(id) });

/** The flat format as a dialect, with the cards of another dialect. */
export function createFlatTaskDialect(base: Dialect): Dialect {
  return {
    ...base,
    name: 'flat-task',
    profile: 'corvid',
    operations: {
      SendMessage: {
        method: 'tasks/send',
        params: sendParams,
        result: { decode: (d, json) => ({ task: task.decode(d, json) }), encode: encodeSendResult },
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

/** A message response is encoded as a completed task. */
function encodeSendResult(result: { readonly task: Task } | { readonly message: Message }): unknown {
  if ('task' in result) return task.encode(result.task);
  const { message } = result;
  return task.encode({ id: message.taskId ?? message.messageId, status: { state: 'TASK_STATE_COMPLETED', message } });
}
