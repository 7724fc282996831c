import { A2AError } from '../../errors.ts';

/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** The data lines, joined with line feeds. */
  readonly data: string;
  /** The type, if the event has one. The default is `message`. */
  readonly event: string | undefined;
  /** The id of this event, or else of the last event that had one. Clients resume after it. */
  readonly id: string | undefined;
}

export interface SseDecoderOptions {
  /** Maximum size of all lines of one event in bytes. Default: 16 MiB. */
  readonly maxEventBytes?: number;
  /** Called for each comment. Servers send comments as heartbeats. */
  readonly onComment?: (text: string) => void;
}

const DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024;

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const encoder = new TextEncoder();
const FIELDS = (['data', 'id', 'event', 'retry'] as const).map((name) => ({ name, bytes: encoder.encode(name) }));
const LINE_FEED = encoder.encode('\n');

// A byte order mark is skipped only at the start of the stream; elsewhere it is an ordinary character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes a stream, in chunks of any size, into events by the rules of the HTML standard.
 *
 * Works on bytes, line by line: a line ends at an ASCII byte, so no character is ever split, the size of an event is
 * known exactly, and each byte is searched once and copied a bounded number of times, regardless of the chunk sizes.
 */
export class SseDecoder {
  readonly #maxEventBytes: number;
  readonly #onComment: ((text: string) => void) | undefined;
  #atStart = true;
  #afterCr = false;
  /** The first half of a surrogate pair that was split between two string chunks. */
  #halfCharacter = '';
  /** The start of a line whose end has not arrived yet. */
  readonly #line: ByteBuffer;
  /** The size of the complete lines of the current event. */
  #eventBytes = 0;
  #firstData: string | undefined;
  /** Further data lines, each preceded by a line feed. Bytes, because many short strings would need more memory. */
  readonly #moreData: ByteBuffer;
  #event = '';
  #id = '';
  #retryMs: number | undefined;
  #hasTrailingRetry = false;
  #failure: A2AError<'INVALID_AGENT_RESPONSE'> | undefined;

  constructor(options: SseDecoderOptions = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES;
    this.#onComment = options.onComment;
    this.#line = new ByteBuffer(this.#maxEventBytes);
    this.#moreData = new ByteBuffer(this.#maxEventBytes);
  }

  /**
   * Whether an event or a line is incomplete. After the end of the stream, this distinguishes a broken stream from a
   * complete one. By the standard, an incomplete event is discarded.
   */
  get pending(): boolean {
    return this.#eventBytes > 0 || this.#line.length > 0 || this.#halfCharacter !== '' || this.#failure !== undefined;
  }

  /** How long the server asks clients to wait before they reconnect. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Whether the last `retry` came after the last event, not within or before it. */
  get hasTrailingRetry(): boolean {
    return this.#hasTrailingRetry;
  }

  /** Set as soon as an event is too large. All later data is ignored. */
  get failure(): A2AError<'INVALID_AGENT_RESPONSE'> | undefined {
    return this.#failure;
  }

  /**
   * Returns the events that this chunk completes. Throws if an event is too large, but never before the preceding
   * events are returned: if this chunk has some, the next call throws, and `failure` is set at once.
   */
  push(chunk: Uint8Array | string): readonly SseEvent[] {
    const events: SseEvent[] = [];
    if (this.#failure === undefined) this.#read(typeof chunk === 'string' ? this.#encode(chunk) : chunk, events);
    if (this.#failure !== undefined && events.length === 0) throw this.#failure;
    return events;
  }

  #read(bytes: Uint8Array, events: SseEvent[]): void {
    let start = 0;
    if (this.#afterCr && bytes.length > 0) {
      this.#afterCr = false;
      if (bytes[0] === LF) start = 1;
    }
    // Both positions are kept until they are passed, so that a stream with one kind of line end is not searched to its
    // end for the other kind repeatedly.
    let lf = bytes.indexOf(LF, start);
    let cr = bytes.indexOf(CR, start);
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr;
      if (!this.#hasRoomFor(end - start)) return;
      this.#readLine(bytes, start, end, events);
      start = end + 1;
      if (end === cr) {
        if (start === lf) start++;
        else this.#afterCr = start === bytes.length;
        cr = bytes.indexOf(CR, start);
      }
      if (lf !== -1 && lf < start) lf = bytes.indexOf(LF, start);
    }
    if (start < bytes.length && this.#hasRoomFor(bytes.length - start)) this.#line.append(bytes, start, bytes.length);
  }

  #readLine(bytes: Uint8Array, start: number, end: number, events: SseEvent[]): void {
    if (this.#line.length === 0) {
      this.#readField(bytes, start, end, events);
    } else {
      this.#line.append(bytes, start, end);
      this.#readField(this.#line.bytes, 0, this.#line.length, events);
      this.#line.clear();
    }
  }

  #readField(bytes: Uint8Array, lineStart: number, end: number, events: SseEvent[]): void {
    let start = lineStart;
    if (this.#atStart) {
      this.#atStart = false;
      if (bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf) start += 3;
    }
    if (start >= end) {
      this.#dispatch(events);
      return;
    }
    if (bytes[start] === COLON) {
      this.#onComment?.(decode(bytes, skipSpace(bytes, start + 1), end));
      return;
    }
    this.#eventBytes += end - start;
    const field = fieldAt(bytes, start, end);
    if (field === undefined) return;
    const from = Math.min(skipSpace(bytes, start + field.bytes.length + 1), end);
    if (field.name === 'data') this.#addData(bytes, from, end);
    else this.#setField(field.name, decodeShort(bytes, from, end));
  }

  #setField(name: 'id' | 'event' | 'retry', value: string): void {
    if (name === 'event') this.#event = value;
    else if (name === 'retry') this.#setRetry(value);
    else if (!value.includes('\0')) this.#id = value;
  }

  #setRetry(value: string): void {
    if (!/^[0-9]{1,15}$/.test(value)) return;
    this.#retryMs = Number(value);
    this.#hasTrailingRetry = true;
  }

  #addData(bytes: Uint8Array, start: number, end: number): void {
    if (this.#firstData === undefined) {
      this.#firstData = decode(bytes, start, end);
    } else {
      this.#moreData.append(LINE_FEED, 0, 1);
      this.#moreData.append(bytes, start, end);
    }
  }

  /** A blank line completes the event. Without a data line there is no event, but its id remains in effect. */
  #dispatch(events: SseEvent[]): void {
    if (this.#firstData !== undefined) {
      const more = this.#moreData.length === 0 ? '' : decode(this.#moreData.bytes, 0, this.#moreData.length);
      this.#hasTrailingRetry = false;
      events.push({ data: this.#firstData + more, event: this.#event || undefined, id: this.#id || undefined });
    }
    this.#forgetEvent();
  }

  #forgetEvent(): void {
    this.#eventBytes = 0;
    this.#firstData = undefined;
    this.#moreData.clear();
    this.#event = '';
  }

  #hasRoomFor(bytes: number): boolean {
    if (this.#eventBytes + this.#line.length + bytes <= this.#maxEventBytes) return true;
    const limit = `${this.#maxEventBytes} bytes (maxEventBytes)`;
    this.#failure = new A2AError('INVALID_AGENT_RESPONSE', `The stream contains an event larger than ${limit}`);
    this.#forgetEvent();
    this.#line.clear();
    return false;
  }

  #encode(chunk: string): Uint8Array {
    const text = this.#halfCharacter + chunk;
    const last = text.charCodeAt(text.length - 1);
    const isSplit = last >= 0xd800 && last <= 0xdbff;
    this.#halfCharacter = isSplit ? text.slice(-1) : '';
    return encoder.encode(isSplit ? text.slice(0, -1) : text);
  }
}

type Field = (typeof FIELDS)[number];

/** The standard field that a line starts with, if any. Colon and value may be missing. */
function fieldAt(bytes: Uint8Array, start: number, end: number): Field | undefined {
  for (const field of FIELDS) {
    const after = start + field.bytes.length;
    if (after > end || (after < end && bytes[after] !== COLON)) continue;
    let i = start;
    while (i < after && bytes[i] === field.bytes[i - start]) i++;
    if (i === after) return field;
  }
  return undefined;
}

function skipSpace(bytes: Uint8Array, at: number): number {
  return bytes[at] === SPACE ? at + 1 : at;
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  return start < end ? decoder.decode(bytes.subarray(start, end)) : '';
}

/** Short ASCII values, which every event has: the TextDecoder takes ten times as long for them. */
const SHORT = 24;

function decodeShort(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT) return decode(bytes, start, end);
  let text = '';
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte >= 0x80) return decode(bytes, start, end);
    text += String.fromCharCode(byte);
  }
  return text;
}

/** A growing byte buffer. Doubles when full, so that each byte is copied a few times at most. */
class ByteBuffer {
  bytes = new Uint8Array(0);
  length = 0;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  append(source: Uint8Array, start: number, end: number): void {
    const length = this.length + end - start;
    if (length > this.bytes.length) {
      const larger = new Uint8Array(Math.min(Math.max(2 * length, 1024), this.#limit));
      larger.set(this.bytes.subarray(0, this.length));
      this.bytes = larger;
    }
    this.bytes.set(source.subarray(start, end), this.length);
    this.length = length;
  }

  /** Keeps a small buffer for the next use and releases a large one. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > 64 * 1024) this.bytes = new Uint8Array(0);
  }
}
