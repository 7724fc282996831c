import type { Part } from './part.ts';

/** Returns the text of parts: text as it is and data as JSON, joined by newlines. Files are skipped. */
export function textOfParts(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  return parts
    .flatMap((part) => ('text' in part ? part.text : 'data' in part ? JSON.stringify(part.data) : []))
    .join('\n');
}
