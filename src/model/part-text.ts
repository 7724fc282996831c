import type { Part } from './part.ts';

/** What parts say in words: texts as they are, data as JSON, a line each. Files say nothing. */
export function textOfParts(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  return parts
    .flatMap((part) => ('text' in part ? part.text : 'data' in part ? JSON.stringify(part.data) : []))
    .join('\n');
}
