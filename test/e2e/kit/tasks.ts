/** Sends and reads tasks in one line. */
import type { LiveStream } from './exchange.ts';
import type { TestServer } from './server.ts';
import { eventsOf } from './sse-text.ts';
import type { MessageInput, DecodedEvent, DecodedTask, WireFormat } from './wire-formats/wire-format.ts';

type Server = Pick<TestServer, 'ask' | 'open'>;

/** Sends a message and expects a task as the response. */
export async function sendTask(server: Server, format: WireFormat, input: MessageInput): Promise<DecodedTask> {
  const sent = format.sent(await server.ask(format.send(input)));
  if ('task' in sent) return sent.task;
  throw new Error('Expected a task, got a message');
}

export async function getTask(
  server: Server,
  format: WireFormat,
  id: string,
  historyLength?: number,
): Promise<DecodedTask> {
  return format.task(await server.ask(format.get(id, historyLength)));
}

/** Sends a message and returns all events of its stream. */
export async function streamEvents(
  server: Server,
  format: WireFormat,
  input: MessageInput,
): Promise<readonly DecodedEvent[]> {
  const answer = await server.ask(format.stream(input));
  const type = answer.headers['content-type'];
  if (type !== 'text/event-stream') throw new Error(`Expected a stream, got ${answer.text}`);
  return eventsOf(answer.text).map((event) => format.event(event));
}

/** All further events of a stream. */
export async function restOf(stream: LiveStream, format: WireFormat): Promise<readonly DecodedEvent[]> {
  return (await stream.rest()).map((event) => format.event(event));
}

export async function nextOf(stream: LiveStream, format: WireFormat): Promise<DecodedEvent> {
  const event = await stream.next();
  if (event === undefined) throw new Error('Expected another event, but the stream has ended');
  return format.event(event);
}

export interface HeldTask {
  readonly id: string;
  /** The stream of the sender, read up to the status `working`. */
  readonly stream: LiveStream;
}

/** Starts a task that works until it is released or canceled. */
export async function holdTask(server: Server, format: WireFormat, input: MessageInput = {}): Promise<HeldTask> {
  const stream = await server.open(format.stream({ text: 'hold on', ...input }));
  for (;;) {
    const event = await nextOf(stream, format);
    if (event.kind === 'status' && event.state === 'working') return { id: event.taskId, stream };
  }
}

/** An event as a short text: `working Holding`, `held + on`. */
export function brief(event: DecodedEvent): string {
  switch (event.kind) {
    case 'task':
      return `task ${event.task.state}`;
    case 'message':
      return `message ${event.message.text}`;
    case 'status':
      return event.statusText === undefined ? event.state : `${event.state} ${event.statusText}`;
    case 'artifact':
      return `${event.name}${event.append ? ' +' : ''} ${event.text}${event.lastChunk ? ' .' : ''}`;
  }
}
