/** Encodes messages and decodes messages, tasks and events of each version. Written from the specifications, not from our codecs. */
import { compact, type MessageInput, type DecodedEvent, type DecodedMessage, type DecodedTask } from './wire-format.ts';
import type {
  Wire01,
  WireArtifact,
  WireKind,
  WireMessage,
  WirePart,
  WireStatus,
  WireStatusUpdate,
  WireTask,
  WireWrapped,
} from './wire-objects.ts';

/** The objects of one version. */
export interface ObjectCodec<Event> {
  message(input: MessageInput): unknown;
  readMessage(message: WireMessage): DecodedMessage;
  readTask(task: WireTask): DecodedTask;
  readEvent(event: Event): DecodedEvent;
}

let messages = 0;

function newMessageId(): string {
  messages += 1;
  return `message-${messages}`;
}

interface Spelling {
  readonly tag?: 'kind' | 'type';
  readonly role: string;
  /** The name of the member with the parts of a message. */
  readonly parts: 'parts' | 'content';
}

function messageIn({ tag, role, parts }: Spelling, input: MessageInput): unknown {
  const text = compact({ ...(tag !== undefined && { [tag]: 'text' }), text: input.text ?? '' });
  const { messageId = newMessageId(), taskId, contextId } = input;
  return compact({
    kind: tag === 'kind' ? 'message' : undefined,
    role,
    [parts]: input.parts ?? [text],
    ...(tag !== 'type' && { messageId, taskId, contextId }),
  });
}

function textOf(parts: readonly WirePart[]): string {
  return parts.map((part) => part.text ?? JSON.stringify(part.data ?? part.raw)).join('');
}

/** `input-required` for `TASK_STATE_INPUT_REQUIRED` and `input-required`. */
function plain(name: string): string {
  const spelled = name
    .replace(/^(?:TASK_STATE|ROLE)_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return spelled === 'cancelled' ? 'canceled' : spelled;
}

function readMessage(message: WireMessage): DecodedMessage {
  const { role, parts, content, messageId, contextId, taskId } = message;
  return { text: textOf(parts ?? content ?? []), role: plain(role), messageId, contextId, taskId };
}

function readTask(task: WireTask): DecodedTask {
  const { id, contextId, sessionId, status, artifacts, history } = task;
  return {
    id,
    contextId: contextId ?? sessionId ?? '',
    state: plain(status.state),
    time: status.timestamp,
    statusText: statusTextOf(status),
    artifacts: artifacts && Object.fromEntries(artifacts.map(({ name, parts }) => [name, textOf(parts)])),
    history: history?.map(readMessage).map(({ role, text }) => `${role}: ${text}`),
  };
}

function statusTextOf({ message }: WireStatus): string | undefined {
  return message && readMessage(message).text;
}

function statusEvent({ taskId, contextId, status, final }: WireStatusUpdate): DecodedEvent {
  return { kind: 'status', taskId, contextId, state: plain(status.state), statusText: statusTextOf(status), final };
}

function artifactEvent(
  { taskId, contextId }: { readonly taskId: string; readonly contextId?: string | undefined },
  { name, parts }: WireArtifact,
  { append = false, lastChunk = false }: { readonly append?: boolean; readonly lastChunk?: boolean },
): DecodedEvent {
  return { kind: 'artifact', taskId, contextId, name, text: textOf(parts), append, lastChunk };
}

/** 1.0 and the protocol definition of 0.3: an object of one of several types is a member with the name of its type. */
function wrapped(spelling: Spelling): ObjectCodec<WireWrapped> {
  return {
    message: (input) => messageIn(spelling, input),
    readMessage,
    readTask,
    readEvent({ task, message, statusUpdate, artifactUpdate }) {
      if (task !== undefined) return { kind: 'task', task: readTask(task) };
      if (message !== undefined) return { kind: 'message', message: readMessage(message) };
      if (statusUpdate !== undefined) return statusEvent(statusUpdate);
      if (artifactUpdate !== undefined) return artifactEvent(artifactUpdate, artifactUpdate.artifact, artifactUpdate);
      throw new Error('Expected an event');
    },
  };
}

export const objects1: ObjectCodec<WireWrapped> = wrapped({ role: 'ROLE_USER', parts: 'parts' });
export const objects03Proto: ObjectCodec<WireWrapped> = wrapped({ role: 'ROLE_USER', parts: 'content' });
/** REST of 0.3 with `restStyle: 'kind'`: the objects of JSON-RPC as members with the name of their type. */
export const objects03Kind: ObjectCodec<WireWrapped> = wrapped({ tag: 'kind', role: 'user', parts: 'parts' });

/** 0.2 and 0.3: each object has its type in `kind`. */
export const objects03: ObjectCodec<WireKind> = {
  message: (input) => messageIn({ tag: 'kind', role: 'user', parts: 'parts' }, input),
  readMessage,
  readTask,
  readEvent(event) {
    switch (event.kind) {
      case 'task':
        return { kind: 'task', task: readTask(event) };
      case 'message':
        return { kind: 'message', message: readMessage(event) };
      case 'status-update':
        return statusEvent(event);
      case 'artifact-update':
        return artifactEvent(event, event.artifact, event);
    }
  },
};

/** 0.1: the flags of a chunk are in the artifact. */
export const objects01: ObjectCodec<Wire01> = {
  message: (input) => messageIn({ tag: 'type', role: 'user', parts: 'parts' }, input),
  readMessage,
  readTask,
  readEvent: (event) =>
    'status' in event
      ? statusEvent({ ...event, taskId: event.id })
      : artifactEvent({ taskId: event.id }, event.artifact, event.artifact),
};
