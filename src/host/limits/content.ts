import { A2AError, invalidField } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { SendMessageRequest } from '../../model/operation.ts';
import type { Part } from '../../model/part.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import { MAX_NAME } from '../../support/name.ts';
import type { LimitName, Limits } from './limit-settings.ts';

/** @throws A2AError `INVALID_PARAMS` for too many parts or too long ids, `PAYLOAD_TOO_LARGE` for content that is too large. */
export function assertWithinLimits(limits: Limits, { tenant, message, metadata }: SendMessageRequest): void {
  const { messageId, contextId, taskId, parts } = message;
  assertShort(tenant, 'tenant');
  assertShort(messageId, 'message.messageId');
  assertShort(contextId, 'message.contextId');
  assertShort(taskId, 'message.taskId');
  if (parts.length > limits.partsPerMessage) {
    const details = { limit: 'partsPerMessage' };
    throw invalidField('message.parts', `expected at most ${limits.partsPerMessage} parts`, details);
  }
  for (let i = 0; i < parts.length; i++) assertPart(limits, parts[i] as Part, i);
  assertMetadata(limits, message.metadata, 'message.metadata');
  assertMetadata(limits, metadata, 'metadata');
}

/** Stores index the ids that callers choose, and index keys have a limited length. */
function assertShort(name: string | undefined, field: string): void {
  if (name === undefined || name.length <= MAX_NAME) return;
  throw invalidField(field, `expected at most ${MAX_NAME} characters`);
}

function assertPart(limits: Limits, part: Part, index: number): void {
  if ('text' in part && part.text.length > limits.textCharacters) {
    throw tooLarge('textCharacters', `message.parts[${index}].text`, `${limits.textCharacters} characters`);
  }
  if ('raw' in part && bytesOf(part.raw) > limits.fileBytes) {
    throw tooLarge('fileBytes', `message.parts[${index}].raw`, `${limits.fileBytes} bytes`);
  }
  if (part.metadata !== undefined) assertMetadata(limits, part.metadata, `message.parts[${index}].metadata`);
}

function assertMetadata({ metadataBytes }: Limits, metadata: JsonObject | undefined, field: string): void {
  if (metadata !== undefined && jsonSize(metadata) > metadataBytes)
    throw tooLarge('metadataBytes', field, `${metadataBytes} bytes`);
}

/** The decoded length of padded base64. */
function bytesOf(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return (base64.length / 4) * 3 - padding;
}

function tooLarge(limit: LimitName, field: string, most: string): A2AError {
  const description = `expected at most ${most}`;
  return new A2AError('PAYLOAD_TOO_LARGE', `${field}: ${description}`, {
    details: { limit },
    violations: [{ field, description }],
  });
}
