import type { Input } from '../../src/model/operation.ts';
import { type ReaderEvents, StreamReader } from './stream-reader.ts';
import { requestOf, userMessage, type Way } from './ways.ts';

/** Sends a message and reads what comes of it. */
export function send(port: number, way: Way, text = 'go', more: Partial<Input<'SendMessage'>> = {}): StreamReader {
  return new StreamReader(port, way, requestOf(way, 'SendStreamingMessage', { ...userMessage(text), ...more }));
}

/** Reads on after a number. */
export function resume(port: number, way: Way, id: string, after: number, handlers?: ReaderEvents): StreamReader {
  return new StreamReader(port, way, requestOf(way, 'SubscribeToTask', { id }, after), handlers);
}

/** Reads from now on. */
export function subscribe(port: number, way: Way, id: string): StreamReader {
  return new StreamReader(port, way, requestOf(way, 'SubscribeToTask', { id }));
}

/** Of a stream that has begun with its task. */
export function taskIdOf({ events }: StreamReader): string {
  const first = events[0]?.item;
  if (first === undefined || !('task' in first)) throw new Error('Expected a stream to begin with its task');
  return first.task.id;
}
