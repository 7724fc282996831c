import type { Part, TextPart } from './part.ts';

/**
 * Adds a part at the end of a list. Text that follows text of the same media type is joined with it, so that an artifact
 * that was streamed in chunks is one text. The engine links strings that are joined by `+`: joining 20,000 chunks costs no
 * more than their total length, once, when the text is first read.
 *
 * @returns The new object that holds the joined text, or undefined if the part itself was added.
 */
export function addPart(parts: Part[], part: Part): TextPart | undefined {
  const last = parts.at(-1);
  if (last === undefined || !isJoinable(last) || !continues(last, part)) {
    parts.push(part);
    return undefined;
  }
  const text = last.text + part.text;
  // A new object, because other code may hold the earlier one. A spread would take most of the time of a chunk.
  const joined: TextPart = isBare(last) ? { text } : { ...last, text };
  parts[parts.length - 1] = joined;
  return joined;
}

/** Whether a text part has no other member. Parts in wire format have a tag, which must be kept. */
function isBare(part: TextPart): boolean {
  return part.mediaType === undefined && !('kind' in part) && !('type' in part);
}

/** Joins adjacent texts. Returns the same list if there are none. */
export function withJoinedTexts(parts: readonly Part[]): readonly Part[] {
  if (!hasAdjacentTexts(parts)) return parts;
  const joined: Part[] = [];
  for (const part of parts) addPart(joined, part);
  return joined;
}

/** Whether a part is text that can be joined with the text before it. */
export function continues(before: TextPart, part: Part): part is TextPart {
  return isJoinable(part) && part.mediaType === before.mediaType;
}

/** Whether a part is text without a file name, metadata or unknown members, which would be lost if it were joined. */
export function isJoinable(part: Part): part is TextPart {
  if (!('text' in part)) return false;
  return part.metadata === undefined && part.filename === undefined && part.unknownMembers === undefined;
}

function hasAdjacentTexts(parts: readonly Part[]): boolean {
  let before: TextPart | undefined;
  for (const part of parts) {
    if (before !== undefined && continues(before, part)) return true;
    before = isJoinable(part) ? part : undefined;
  }
  return false;
}
