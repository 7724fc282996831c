import type { JsonObject } from '../model/json.ts';
import { traceOf } from '../observe/trace-context.ts';
import type { LogFields } from '../observe/log.ts';
import type { TaskRecord } from '../store/store.ts';

/**
 * What events say of the trace of their task. The same for all of them, whoever writes them and however often a run begins
 * anew: so all subscribers see the same, and what is said again is recognised.
 */
export function traceMarks(record: Pick<TaskRecord, 'origin'>): JsonObject | undefined {
  const trace = traceOf(record);
  return trace === undefined ? undefined : { traceId: trace.traceId, spanId: trace.spanId };
}

/** The metadata of an event: what its author gave it, and the marks. His own count where names are the same. */
export function eventMetadata(
  record: Pick<TaskRecord, 'origin'>,
  given: JsonObject | undefined,
): JsonObject | undefined {
  const marks = traceMarks(record);
  if (marks === undefined) return given;
  return given === undefined ? marks : { ...marks, ...given };
}

/** What every line of the log about a task says of it. */
export function taskFields(record: Pick<TaskRecord, 'id' | 'contextId' | 'agent' | 'origin'>): LogFields {
  const { id, contextId, agent } = record;
  const trace = traceOf(record);
  const fields = { taskId: id, contextId, agent };
  return trace === undefined ? fields : { ...fields, traceId: trace.traceId };
}
