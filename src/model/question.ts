import type { JsonObject } from './json.ts';

/**
 * Metadata key. On a part: only the handler may see it. On a message that asks a question: only the handler may see the
 * answer.
 */
export const SENSITIVE = 'urn:tandem-a2a:sensitive:1';

/**
 * Metadata key of the event with which a task fails because its question was not answered: `{ timeoutSeconds }`, the time
 * that the question was open.
 */
export const INPUT_TIMEOUT = 'urn:tandem-a2a:input-timeout:1';

/**
 * In the metadata of the event with which a task fails because a tool failed: the details of the handler's error, without its
 * reason.
 */
export const TOOL_FAILURE = 'urn:tandem-a2a:tool-failure:1';

/** The `details.reason` of an `A2AError` with which a handler reports that a tool failed. */
export const TOOL_EXECUTION_FAILED = 'TOOL_EXECUTION_FAILED';

/**
 * Metadata key of a message that asks a question, and of a status event, which came from an agent that this one has called: the agents
 * that it passed, the one that it came from last.
 */
export const PATH = 'urn:tandem-a2a:path:1';

/** The path in the metadata of a question or of a status event. */
export function pathIn(metadata: JsonObject | undefined): readonly string[] | undefined {
  const path = metadata?.[PATH];
  const isPath = Array.isArray(path) && path.length > 0 && path.every((agent) => typeof agent === 'string');
  return isPath ? path : undefined;
}
