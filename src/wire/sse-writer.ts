/** What to write as one event. */
export interface SseFrame {
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
  /** How long readers should wait before they connect again. */
  readonly retryMs?: number;
}

/**
 * The text of one event, ready to be sent. JSON has no line breaks and becomes one `data` line; in other text each kind
 * of line break starts another one, and is read back as a line feed.
 */
export function encodeSse(frame: SseFrame): string {
  const { data, event, id, retryMs } = frame;
  let head = '';
  if (id !== undefined) head += `id: ${checked('id', id)}\n`;
  if (event !== undefined) head += `event: ${checked('event', event)}\n`;
  if (retryMs !== undefined) head += `retry: ${checkedRetry(retryMs)}\n`;
  return `${head}data: ${prefixLines('data: ', data)}\n\n`;
}

/** The text of a comment. Readers ignore it; it keeps a quiet connection open. */
export function encodeComment(text: string): string {
  return `: ${prefixLines(': ', text)}\n\n`;
}

function prefixLines(prefix: string, text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  return text.replace(/\r\n|\r|\n/g, `\n${prefix}`);
}

/** A line break would end the field and let its rest through as another one; readers drop ids with NUL. */
function checked(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${field} of an SSE event cannot have line breaks or NUL`);
  return value;
}

function checkedRetry(retryMs: number): number {
  if (!Number.isSafeInteger(retryMs) || retryMs < 0) throw new TypeError('retryMs must be a whole number from 0 on');
  return retryMs;
}
