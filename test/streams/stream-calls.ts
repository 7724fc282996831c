import type { Input } from '../../src/model/operation.ts';
import { type StreamHandlers, StreamClient } from './stream-client.ts';
import { requestOf, userMessage, type WireFormat } from './wire-formats.ts';

/** Sends a message and reads its stream. */
export function send(
  port: number,
  format: WireFormat,
  text = 'go',
  more: Partial<Input<'SendMessage'>> = {},
): StreamClient {
  return new StreamClient(port, format, requestOf(format, 'SendStreamingMessage', { ...userMessage(text), ...more }));
}

/** Subscribes to the events after a number. */
export function resume(
  port: number,
  format: WireFormat,
  id: string,
  after: number,
  handlers?: StreamHandlers,
): StreamClient {
  return new StreamClient(port, format, requestOf(format, 'SubscribeToTask', { id }, after), handlers);
}

/** Subscribes to the current task and the events that follow. */
export function subscribe(port: number, format: WireFormat, id: string): StreamClient {
  return new StreamClient(port, format, requestOf(format, 'SubscribeToTask', { id }));
}

/** The id of the task that a stream began with. */
export function taskIdOf({ events }: StreamClient): string {
  const first = events[0]?.item;
  if (first === undefined || !('task' in first)) throw new Error('Expected a stream to begin with its task');
  return first.task.id;
}
