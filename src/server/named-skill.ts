import { A2AError } from '../errors.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { SendMessageRequest } from '../model/operation.ts';

/**
 * The skill that a message is for, if it says so: `skillId` in the metadata of the message, else of the request.
 *
 * @throws A2AError `INVALID_PARAMS` if the two disagree, or say something else than a name.
 */
export function namedSkill({ message, metadata }: SendMessageRequest): string | undefined {
  const ofMessage = readName(message.metadata, 'message.metadata.skillId');
  const ofRequest = readName(metadata, 'metadata.skillId');
  if (ofMessage !== undefined && ofRequest !== undefined && ofMessage !== ofRequest) {
    throw invalid('metadata.skillId', 'expected the skill that the message names, or none');
  }
  return ofMessage ?? ofRequest;
}

function readName(metadata: JsonObject | undefined, field: string): string | undefined {
  const value: JsonValue | undefined =
    metadata !== undefined && Object.hasOwn(metadata, 'skillId') ? metadata['skillId'] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(field, 'expected the id of a skill');
}

function invalid(field: string, description: string): A2AError {
  return new A2AError('INVALID_PARAMS', `${field}: ${description}`, { violations: [{ field, description }] });
}
