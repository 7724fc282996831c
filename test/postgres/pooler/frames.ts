/** The part of PostgreSQL's wire protocol that a pooler needs. */

export interface Frame {
  /** One letter; empty for the first message of a client. */
  readonly type: string;
  readonly body: Buffer;
  /** The whole frame, for forwarding. */
  readonly bytes: Buffer;
}

const START = 4;
const TYPED = 5;

/** Splits the bytes of a socket into frames. */
export class FrameParser {
  #rest: Buffer = Buffer.alloc(0);
  #isStart: boolean;

  /** @param sender The first message of a client has no type. */
  constructor(sender: 'client' | 'server') {
    this.#isStart = sender === 'client';
  }

  *parse(data: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, data]);
    for (;;) {
      const head = this.#isStart ? START : TYPED;
      if (this.#rest.length < head) return;
      const length = this.#rest.readInt32BE(head - START) + head - START;
      if (this.#rest.length < length) return;
      const bytes = this.#rest.subarray(0, length);
      this.#rest = this.#rest.subarray(length);
      const type = this.#isStart ? '' : String.fromCharCode(bytes[0] ?? 0);
      // Another untyped message follows only after `expectStart`.
      this.#isStart = false;
      yield { type, body: bytes.subarray(head), bytes };
    }
  }

  /** A client whose request for encryption was declined sends its first message again. */
  expectStart(): void {
    this.#isStart = true;
  }
}

export function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(TYPED);
  head.write(type);
  head.writeInt32BE(body.length + START, 1);
  return Buffer.concat([head, body]);
}

const VERSION = 196_608;

/** The first message of a client of version 3. */
export function startFrame(parameters: Readonly<Record<string, string>>): Buffer {
  const pairs = Object.entries(parameters).flat();
  const text = Buffer.from(`${pairs.join('\0')}\0\0`);
  const head = Buffer.alloc(2 * START);
  head.writeInt32BE(head.length + text.length, 0);
  head.writeInt32BE(VERSION, START);
  return Buffer.concat([head, text]);
}

/** The names of the settings that a client wants for its connection. */
export function parametersOf(start: Buffer): readonly string[] {
  const words = start.subarray(START).toString().split('\0');
  return words.filter((word, index) => index % 2 === 0 && word !== '');
}

/** An error that ends a connection. */
export function fatal(code: string, message: string): Buffer {
  return frame('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`));
}
