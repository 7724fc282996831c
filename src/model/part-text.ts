import { isRecord } from '../support/json/to-json.ts';
import type { Part } from './part.ts';

/** Returns the text of parts: text as it is and data as JSON, joined by newlines. Files are skipped. */
export function textOfParts(parts: readonly Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  return parts
    .flatMap((part) => ('text' in part ? part.text : 'data' in part ? JSON.stringify(part.data) : []))
    .join('\n');
}

/** Whether a part describes the question of its message as data, for programs. The text has the same for people. */
export function describesQuestion(part: Part): boolean {
  return 'data' in part && isRecord(part.data) && isRecord(part.data['question']);
}
