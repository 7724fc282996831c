import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { Part } from '../../model/part.ts';
import type { UnknownMembers } from '../../model/unknown-members.ts';
import { isSecretName, isTokenCount } from '../../support/secret/secret-names.ts';
import { withoutTokens } from '../../support/secret/secret-texts.ts';

const REDACTED = '[redacted]';

/**
 * A message without the secrets in its metadata and unknown members. The server stores them and returns them to every caller
 * that can see the task, so they must not contain credentials. Returns the message itself if there is nothing to redact.
 */
export function scrubMessage(message: Message): Message {
  const { metadata, unknownMembers } = message;
  const parts = scrubParts(message.parts);
  const own = metadata === undefined ? undefined : scrubMetadata(metadata);
  const unknown = unknownMembers && scrubUnknown(unknownMembers);
  if (parts === message.parts && own === metadata && unknown === unknownMembers) return message;
  return { ...message, parts, ...(own && { metadata: own }), ...(unknown && { unknownMembers: unknown }) };
}

function scrubParts(parts: readonly Part[]): readonly Part[] {
  // Most parts contain no secrets and are not copied.
  return parts.every((part) => scrubPart(part) === part) ? parts : parts.map(scrubPart);
}

function scrubPart(part: Part): Part {
  const { metadata, unknownMembers } = part;
  if (metadata === undefined && unknownMembers === undefined) return part;
  const own = metadata && scrubMetadata(metadata);
  const unknown = unknownMembers && scrubUnknown(unknownMembers);
  if (own === metadata && unknown === unknownMembers) return part;
  return { ...part, ...(own && { metadata: own }), ...(unknown && { unknownMembers: unknown }) };
}

function scrubUnknown(unknown: UnknownMembers): UnknownMembers {
  const members = scrubMetadata(unknown.members);
  return members === unknown.members ? unknown : { version: unknown.version, members };
}

/** The object without values that are secret by their name or format; the same object if there are none. */
export function scrubMetadata(object: JsonObject): JsonObject {
  let changed: [string, JsonValue][] | undefined;
  const entries = Object.entries(object);
  for (const [i, [name, value]] of entries.entries()) {
    const scrubbed = isSecret(name, value) ? REDACTED : scrubValue(value);
    if (scrubbed === value) continue;
    changed ??= [...entries];
    changed[i] = [name, scrubbed];
  }
  return changed === undefined ? object : Object.fromEntries(changed);
}

function scrubValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return withoutTokens(value, REDACTED);
  if (typeof value !== 'object' || value === null) return value;
  if (!isList(value)) return scrubMetadata(value);
  const scrubbed = value.map(scrubValue);
  return scrubbed.every((item, i) => item === value[i]) ? value : scrubbed;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether a member is secret by its name. Names of extensions are URIs and are not analysed. */
function isSecret(name: string, value: JsonValue): boolean {
  if (value === null || typeof value === 'boolean' || value === '') return false;
  if (name.includes(':') || !isSecretName(name)) return false;
  return !(typeof value === 'number' && isTokenCount(name));
}
