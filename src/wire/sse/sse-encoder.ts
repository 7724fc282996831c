/** The fields of one event. */
export interface SseFrame {
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
  /** How long clients should wait before they reconnect. */
  readonly retryMs?: number;
}

/**
 * Encodes one event. JSON has no line breaks and becomes one `data` line. In other text, each kind of line break starts
 * another `data` line and is decoded as a line feed.
 */
export function encodeSse(frame: SseFrame): string {
  const { data, event, id, retryMs } = frame;
  let head = '';
  if (id !== undefined) head += `id: ${checked('id', id)}\n`;
  if (event !== undefined) head += `event: ${checked('event', event)}\n`;
  if (retryMs !== undefined) head += `retry: ${checkedRetry(retryMs)}\n`;
  return `${head}data: ${prefixLines('data: ', data)}\n\n`;
}

/** Encodes a comment. Clients ignore it; it keeps an idle connection open. */
export function encodeComment(text: string): string {
  return `: ${prefixLines(': ', text)}\n\n`;
}

function prefixLines(prefix: string, text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  return text.replace(/\r\n|\r|\n/g, `\n${prefix}`);
}

/** A line break would end the field and turn the remaining text into another one. Clients ignore ids with NUL. */
function checked(field: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new TypeError(`The ${field} of an SSE event cannot contain line breaks or NUL`);
  return value;
}

function checkedRetry(retryMs: number): number {
  if (!Number.isSafeInteger(retryMs) || retryMs < 0)
    throw new TypeError(`retryMs: expected an integer of 0 or more, got ${retryMs}`);
  return retryMs;
}
