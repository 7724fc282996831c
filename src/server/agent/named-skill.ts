import { invalidField } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { SendMessageRequest } from '../../model/operation.ts';

/**
 * The skill that a message specifies: `skillId` in the metadata of the message, otherwise of the request.
 *
 * @throws A2AError `INVALID_PARAMS` if the two differ, or if one is not a string.
 */
export function namedSkill({ message, metadata }: SendMessageRequest): string | undefined {
  const ofMessage = readName(message.metadata, 'message.metadata.skillId');
  const ofRequest = readName(metadata, 'metadata.skillId');
  if (ofMessage !== undefined && ofRequest !== undefined && ofMessage !== ofRequest) {
    throw invalidField('metadata.skillId', 'expected the skill that the message names, or none');
  }
  return ofMessage ?? ofRequest;
}

function readName(metadata: JsonObject | undefined, field: string): string | undefined {
  const value: JsonValue | undefined =
    metadata !== undefined && Object.hasOwn(metadata, 'skillId') ? metadata['skillId'] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalidField(field, 'expected the id of a skill');
}
