/** What most tests do with a server, in a line each. */
import type { LiveStream } from './exchange.ts';
import type { TestServer } from './server.ts';
import { eventsOf } from './sse-text.ts';
import type { Said, SeenEvent, SeenTask, Voice } from './voices/voice.ts';

type Server = Pick<TestServer, 'ask' | 'open'>;

/** Sends a message and expects a task to come of it. */
export async function sendTask(server: Server, voice: Voice, said: Said): Promise<SeenTask> {
  const sent = voice.sent(await server.ask(voice.send(said)));
  if ('task' in sent) return sent.task;
  throw new Error('Expected a task, got a message');
}

export async function getTask(server: Server, voice: Voice, id: string, historyLength?: number): Promise<SeenTask> {
  return voice.task(await server.ask(voice.get(id, historyLength)));
}

/** Sends a message and listens to the end. */
export async function streamEvents(server: Server, voice: Voice, said: Said): Promise<readonly SeenEvent[]> {
  const answer = await server.ask(voice.stream(said));
  const type = answer.headers['content-type'];
  if (type !== 'text/event-stream') throw new Error(`Expected a stream, got ${answer.text}`);
  return eventsOf(answer.text).map((event) => voice.event(event));
}

/** All that a stream still says, in plain words. */
export async function restOf(stream: LiveStream, voice: Voice): Promise<readonly SeenEvent[]> {
  return (await stream.rest()).map((event) => voice.event(event));
}

export async function nextOf(stream: LiveStream, voice: Voice): Promise<SeenEvent> {
  const event = await stream.next();
  if (event === undefined) throw new Error('The stream is over');
  return voice.event(event);
}

export interface HeldTask {
  readonly id: string;
  /** The stream of the sender, which has said so far that the task works. */
  readonly stream: LiveStream;
}

/** Starts a task that works until it is released or canceled. */
export async function holdTask(server: Server, voice: Voice, said: Said = {}): Promise<HeldTask> {
  const stream = await server.open(voice.stream({ text: 'hold on', ...said }));
  for (;;) {
    const event = await nextOf(stream, voice);
    if (event.kind === 'status' && event.state === 'working') return { id: event.taskId, stream };
  }
}

/** An event in a few words: `working Holding`, `held + on`. */
export function brief(event: SeenEvent): string {
  switch (event.kind) {
    case 'task':
      return `task ${event.task.state}`;
    case 'message':
      return `message ${event.message.text}`;
    case 'status':
      return event.says === undefined ? event.state : `${event.state} ${event.says}`;
    case 'artifact':
      return `${event.name}${event.append ? ' +' : ''} ${event.text}${event.lastChunk ? ' .' : ''}`;
  }
}
