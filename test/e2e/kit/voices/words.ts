/** How the versions spell messages, tasks and events. Written from the texts of the protocol, not from our codecs. */
import { compact, type Said, type SeenEvent, type SeenMessage, type SeenTask } from './voice.ts';
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
} from './wire.ts';

/** One version's spelling of the objects. */
export interface Words<Event> {
  message(said: Said): unknown;
  readMessage(message: WireMessage): SeenMessage;
  readTask(task: WireTask): SeenTask;
  readEvent(event: Event): SeenEvent;
}

let messages = 0;

function newMessageId(): string {
  messages += 1;
  return `message-${messages}`;
}

interface Spelling {
  readonly tag?: 'kind' | 'type';
  readonly role: string;
  /** What the parts of a message are called. */
  readonly parts: 'parts' | 'content';
}

function messageIn({ tag, role, parts }: Spelling, said: Said): unknown {
  const text = compact({ ...(tag !== undefined && { [tag]: 'text' }), text: said.text ?? '' });
  const { messageId = newMessageId(), taskId, contextId } = said;
  return compact({
    kind: tag === 'kind' ? 'message' : undefined,
    role,
    [parts]: said.parts ?? [text],
    ...(tag !== 'type' && { messageId, taskId, contextId }),
  });
}

function textOf(parts: readonly WirePart[]): string {
  return parts.map((part) => part.text ?? JSON.stringify(part.data ?? part.raw)).join('');
}

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` alike. */
function plain(word: string): string {
  const spelled = word
    .replace(/^(?:TASK_STATE|ROLE)_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return spelled === 'cancelled' ? 'canceled' : spelled;
}

function readMessage(message: WireMessage): SeenMessage {
  const { role, parts, content, messageId, contextId, taskId } = message;
  return { text: textOf(parts ?? content ?? []), role: plain(role), messageId, contextId, taskId };
}

function readTask(task: WireTask): SeenTask {
  const { id, contextId, sessionId, status, artifacts, history } = task;
  return {
    id,
    contextId: contextId ?? sessionId ?? '',
    state: plain(status.state),
    time: status.timestamp,
    says: wordsOf(status),
    artifacts: artifacts && Object.fromEntries(artifacts.map(({ name, parts }) => [name, textOf(parts)])),
    history: history?.map(readMessage).map(({ role, text }) => `${role}: ${text}`),
  };
}

function wordsOf({ message }: WireStatus): string | undefined {
  return message && readMessage(message).text;
}

function statusEvent({ taskId, contextId, status, final }: WireStatusUpdate): SeenEvent {
  return { kind: 'status', taskId, contextId, state: plain(status.state), says: wordsOf(status), final };
}

function artifactEvent(
  { taskId, contextId }: { readonly taskId: string; readonly contextId?: string | undefined },
  { name, parts }: WireArtifact,
  { append = false, lastChunk = false }: { readonly append?: boolean; readonly lastChunk?: boolean },
): SeenEvent {
  return { kind: 'artifact', taskId, contextId, name, text: textOf(parts), append, lastChunk };
}

/** 1.0, and the protocol definition of 0.3: each object under its own name. */
function wrapped(spelling: Spelling): Words<WireWrapped> {
  return {
    message: (said) => messageIn(spelling, said),
    readMessage,
    readTask,
    readEvent({ task, message, statusUpdate, artifactUpdate }) {
      if (task !== undefined) return { kind: 'task', task: readTask(task) };
      if (message !== undefined) return { kind: 'message', message: readMessage(message) };
      if (statusUpdate !== undefined) return statusEvent(statusUpdate);
      if (artifactUpdate !== undefined) return artifactEvent(artifactUpdate, artifactUpdate.artifact, artifactUpdate);
      throw new Error('This is no event');
    },
  };
}

export const words1: Words<WireWrapped> = wrapped({ role: 'ROLE_USER', parts: 'parts' });
export const words03Proto: Words<WireWrapped> = wrapped({ role: 'ROLE_USER', parts: 'content' });
/** The text of 0.3 for REST: the objects of JSON-RPC, each under its name. */
export const words03Kind: Words<WireWrapped> = wrapped({ tag: 'kind', role: 'user', parts: 'parts' });

/** 0.2 and 0.3: each object tells its kind. */
export const words03: Words<WireKind> = {
  message: (said) => messageIn({ tag: 'kind', role: 'user', parts: 'parts' }, said),
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

/** 0.1: chunks have their flags on the artifact. */
export const words01: Words<Wire01> = {
  message: (said) => messageIn({ tag: 'type', role: 'user', parts: 'parts' }, said),
  readMessage,
  readTask,
  readEvent: (event) =>
    'status' in event
      ? statusEvent({ ...event, taskId: event.id })
      : artifactEvent({ taskId: event.id }, event.artifact, event.artifact),
};
