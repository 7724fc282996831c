import type { AgentExtension } from './card.ts';
import type { JsonObject } from './json.ts';

/**
 * The extension for tasks with several open questions. The metadata of a status message lists them: `{ questions: ListedQuestion[], more }`. The
 * metadata of a message names the one that it answers: `{ questionId }`.
 */
export const QUESTIONS: AgentExtension = Object.freeze({
  uri: 'urn:tandem-a2a:questions:1',
  description: 'A status lists all open questions of its task, and a message names the question that it answers',
});

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

/** Metadata key of a status event with a text of an agent that was called: the names of the agents, from the called one to the publishing one. */
export const PATH = 'urn:tandem-a2a:path:1';

/** The path in the metadata of a status event. */
export function pathIn(metadata: JsonObject | undefined): readonly string[] | undefined {
  const path = metadata?.[PATH];
  const isPath = Array.isArray(path) && path.length > 0 && path.every((agent) => typeof agent === 'string');
  return isPath ? path : undefined;
}
