import { A2AError } from '../errors.ts';

/** One event of a `text/event-stream`. */
export interface SseEvent {
  /** Its data lines, joined with line feeds. */
  readonly data: string;
  /** Its type, where it names one; the default is `message`. */
  readonly event: string | undefined;
  /** The id in force: its own, or else that of an earlier event. This is what a reader resumes after. */
  readonly id: string | undefined;
}

export interface SseReaderOptions {
  /** How many bytes the lines of one event may have. Default: 16 MiB. */
  readonly maxEventBytes?: number;
  /** Called for each comment, which is how servers say that they are still there. */
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

// A byte order mark is skipped once, at the start of the stream; elsewhere it is a character like any other.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Takes a stream in pieces of any size and gives its events, by the rules of the HTML standard.
 *
 * Works on bytes, line by line: a line ends at an ASCII byte, so no character is ever cut, the size of an event is
 * known exactly, and each byte is searched once and copied a bounded number of times, however the stream is cut up.
 */
export class SseReader {
  readonly #maxEventBytes: number;
  readonly #onComment: ((text: string) => void) | undefined;
  #atStart = true;
  #afterCr = false;
  /** The first half of a character, where pieces are strings and one was cut inside a surrogate pair. */
  #halfCharacter = '';
  /** A line of which only the beginning has come. */
  readonly #line: ByteBuffer;
  /** What the finished lines of the current event amount to. */
  #eventBytes = 0;
  #firstData: string | undefined;
  /** Further data lines, each with a line feed before it; bytes, because many short strings would take more room. */
  readonly #moreData: ByteBuffer;
  #event = '';
  #id = '';
  #retryMs: number | undefined;
  #hasRetryBehind = false;
  #failure: A2AError<'INVALID_AGENT_RESPONSE'> | undefined;

  constructor(options: SseReaderOptions = {}) {
    this.#maxEventBytes = options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES;
    this.#onComment = options.onComment;
    this.#line = new ByteBuffer(this.#maxEventBytes);
    this.#moreData = new ByteBuffer(this.#maxEventBytes);
  }

  /**
   * Whether an event or a line has begun that is not finished. Once the stream has ended, it tells an early end from a
   * clean one; the standard has it that what was unfinished did not happen.
   */
  get pending(): boolean {
    return this.#eventBytes > 0 || this.#line.length > 0 || this.#halfCharacter !== '' || this.#failure !== undefined;
  }

  /** How long the server asks readers to wait before they connect again. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /** Whether that was said behind the last event, and not with one or before. */
  get hasRetryBehind(): boolean {
    return this.#hasRetryBehind;
  }

  /** Set as soon as an event was too large; nothing is read after that. */
  get failure(): A2AError<'INVALID_AGENT_RESPONSE'> | undefined {
    return this.#failure;
  }

  /**
   * The events that this piece completes. An event that is too large is thrown as an error, but never before the events
   * ahead of it are handed out: if this piece has some, the next call throws, and `failure` tells at once.
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
    // end for the other kind again and again.
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
    this.#hasRetryBehind = true;
  }

  #addData(bytes: Uint8Array, start: number, end: number): void {
    if (this.#firstData === undefined) {
      this.#firstData = decode(bytes, start, end);
    } else {
      this.#moreData.append(LINE_FEED, 0, 1);
      this.#moreData.append(bytes, start, end);
    }
  }

  /** A blank line: the event is complete. Without a data line it is none, though its id stays in force. */
  #dispatch(events: SseEvent[]): void {
    if (this.#firstData !== undefined) {
      const more = this.#moreData.length === 0 ? '' : decode(this.#moreData.bytes, 0, this.#moreData.length);
      this.#hasRetryBehind = false;
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
    this.#failure = new A2AError('INVALID_AGENT_RESPONSE', `The stream has an event of more than ${limit}`);
    this.#forgetEvent();
    this.#line.clear();
    return false;
  }

  #encode(chunk: string): Uint8Array {
    const text = this.#halfCharacter + chunk;
    const last = text.charCodeAt(text.length - 1);
    const isCut = last >= 0xd800 && last <= 0xdbff;
    this.#halfCharacter = isCut ? text.slice(-1) : '';
    return encoder.encode(isCut ? text.slice(0, -1) : text);
  }
}

type Field = (typeof FIELDS)[number];

/** The field that a line names, if it is one of the standard's. It may go without a colon and a value. */
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

/** Numbers and other short words, which each event has: to ask the decoder for one takes ten times as long. */
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

/** Bytes that arrive bit by bit. Doubles when full, so that each byte is copied a few times at most. */
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

  /** Keeps a small room for the next use and gives a large one back. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > 64 * 1024) this.bytes = new Uint8Array(0);
  }
}
