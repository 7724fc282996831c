import { A2AError } from '../errors.ts';
import type { StreamResponse } from '../model/event.ts';
import { JsonShapeError, parseForeignJson } from '../support/foreign-json.ts';
import { classifyPayload } from '../wire/classify.ts';
import { decode, type Decoded } from '../wire/dialect.ts';
import { dialects, repairs } from '../wire/select.ts';
import { Refusal } from './refusal.ts';

/** Reads a notification of any version: it is known by its members, for nothing else tells. @throws Refusal */
export function readNotification(body: string): Decoded<StreamResponse> {
  const json = parsed(body);
  const kind = classifyPayload(json);
  if (kind === undefined) throw new Refusal(400, 'The body is no notification of any A2A version');
  try {
    return decode(dialects[kind].webhook, json, 'response', { repairs });
  } catch (error) {
    if (A2AError.is(error)) throw new Refusal(400, error.message);
    throw error;
  }
}

/** The task that it is about; empty for a message that belongs to none. */
export function taskIdOf(event: StreamResponse): string {
  if ('task' in event) return event.task.id;
  if ('message' in event) return event.message.taskId ?? '';
  return 'statusUpdate' in event ? event.statusUpdate.taskId : event.artifactUpdate.taskId;
}

function parsed(body: string): unknown {
  try {
    return parseForeignJson(body, Infinity);
  } catch (error) {
    if (error instanceof JsonShapeError) throw new Refusal(400, `The body ${error.message}`);
    throw new Refusal(400, 'The body is not JSON');
  }
}
