import { isPaused, isTerminal, type TaskState } from '../../model/state.ts';
import type { Part } from '../../model/part.ts';
import type { Style } from './screen.ts';
import { trimEndOf } from '../../support/trim-end.ts';

/** Returns the text of a part for stdout. Bytes are not printed; `fileNote` describes them. */
export function printed(part: Part): string {
  if ('text' in part) return part.text;
  if ('url' in part) return `${part.url}\n`;
  if ('data' in part) return `${JSON.stringify(part.data, undefined, 2)}\n`;
  return '';
}

/** Returns a note about a file that is not printed. */
export function fileNote(part: Part): string | undefined {
  if (!('raw' in part)) return undefined;
  const bytes = Math.floor((trimEndOf(part.raw, '=').length * 3) / 4);
  return `(file not shown: ${part.filename ?? 'no name'}, ${part.mediaType ?? 'unknown type'}, ${bytes} bytes)`;
}

export function stateStyle(state: TaskState): Style {
  if (state === 'TASK_STATE_COMPLETED') return 'green';
  if (isTerminal(state)) return 'red';
  return isPaused(state) ? 'yellow' : 'cyan';
}
