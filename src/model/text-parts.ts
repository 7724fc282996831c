import type { Part, TextPart } from './part.ts';

/**
 * Adds a part at the end of a list. A text that follows a text of the same media type is joined with it, so that an artifact
 * that was streamed in chunks is one text. The strings are only linked by `+`: joining 20,000 chunks one by one costs no more
 * than their length, once, when the text is first read.
 */
export function addPart(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (last === undefined || !isJoinable(last) || !continues(last, part)) {
    parts.push(part);
    return;
  }
  const text = last.text + part.text;
  // A new object, because the earlier one may have been given out. A spread would cost most of a chunk's time.
  parts[parts.length - 1] = isBare(last) ? { text } : { ...last, text };
}

/** Whether a text has no other member. Parts in the form of the wire have a tag, which must be kept. */
function isBare(part: TextPart): boolean {
  return part.mediaType === undefined && !('kind' in part) && !('type' in part);
}

/** Parts with the neighbouring texts joined; the same list if there are none. */
export function withJoinedTexts(parts: readonly Part[]): readonly Part[] {
  if (!hasNeighbours(parts)) return parts;
  const joined: Part[] = [];
  for (const part of parts) addPart(joined, part);
  return joined;
}

/** Whether a part is text that can be joined with the text before it. */
export function continues(before: TextPart, part: Part): part is TextPart {
  return isJoinable(part) && part.mediaType === before.mediaType;
}

/** Text without a file name, metadata or unknown members, which would be lost if it were joined with other text. */
export function isJoinable(part: Part): part is TextPart {
  if (!('text' in part)) return false;
  return part.metadata === undefined && part.filename === undefined && part.unknownMembers === undefined;
}

function hasNeighbours(parts: readonly Part[]): boolean {
  let before: TextPart | undefined;
  for (const part of parts) {
    if (before !== undefined && continues(before, part)) return true;
    before = isJoinable(part) ? part : undefined;
  }
  return false;
}
