import type { JsonObject } from '../model/json.ts';
import { traceOf } from '../observe/trace-context.ts';
import type { LogFields } from '../observe/log.ts';
import type { TaskRecord } from '../store/store.ts';

/**
 * The trace ids in the metadata of events. They are the same for all events of a task, on every node and in every replay,
 * so that all subscribers see the same and repeated output is recognised.
 */
export function traceMarks(record: Pick<TaskRecord, 'origin'>): JsonObject | undefined {
  const trace = traceOf(record);
  return trace === undefined ? undefined : { traceId: trace.traceId, spanId: trace.spanId };
}

/** The metadata of an event: that of the handler, and the trace ids. Metadata of the handler takes precedence. */
export function eventMetadata(
  record: Pick<TaskRecord, 'origin'>,
  given: JsonObject | undefined,
): JsonObject | undefined {
  const marks = traceMarks(record);
  if (marks === undefined) return given;
  return given === undefined ? marks : { ...marks, ...given };
}

/** The fields of every log event about a task. */
export function taskFields(record: Pick<TaskRecord, 'id' | 'contextId' | 'agent' | 'origin'>): LogFields {
  const { id, contextId, agent } = record;
  const trace = traceOf(record);
  const fields = { taskId: id, contextId, agent };
  return trace === undefined ? fields : { ...fields, traceId: trace.traceId };
}
