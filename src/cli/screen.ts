import type { WriteStream } from 'node:tty';
import { now } from './now.ts';
import { progressLine } from './progress-line.ts';

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Style = keyof typeof STYLES;

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Work that is over sooner needs no sign of life. */
const PROGRESS_AFTER_MS = 400;

const CLEAR_LINE = '\r\u001B[2K';

/**
 * The two streams of the program: what was asked for goes to stdout, all else to stderr. If both are the same terminal, they
 * do not get into each other's lines. What strangers say cannot do anything to a terminal.
 */
class Screen {
  readonly #out: NodeJS.WriteStream = process.stdout;
  readonly #err: NodeJS.WriteStream = process.stderr;
  #isMidLine = false;
  #progress: { text: string; readonly since: number; readonly timer: NodeJS.Timeout } | undefined;
  #isDrawn = false;

  /** Whether a person looks at stderr. */
  get isWatched(): boolean {
    return this.#err.isTTY;
  }

  /** What was asked for. */
  give(text: string, style?: Style): void {
    if (text === '') return;
    this.#erase();
    this.#out.write(this.#out.isTTY ? styled(this.#out, harmless(text), style) : text);
    this.#isMidLine = !text.endsWith('\n');
  }

  giveLine(text = '', style?: Style): void {
    this.give(text, style);
    this.give('\n');
  }

  /** Ends a line that was begun. */
  endLine(): void {
    if (this.#isMidLine) this.give('\n');
  }

  /** What is worth knowing beside it. */
  tell(text: string, style?: Style): void {
    if (this.#out.isTTY) this.endLine();
    this.#erase();
    this.#err.write(`${styled(this.#err, harmless(text), style)}\n`);
  }

  /** Marks up a piece of a line for stdout. */
  mark(text: string, style: Style): string {
    return styled(this.#out, harmless(text), style);
  }

  /** Gives a line with marks in it, whose pieces are harmless already. */
  giveMarked(line: string): void {
    this.#erase();
    this.#out.write(`${line}\n`);
    this.#isMidLine = false;
  }

  /** A line that moves while nothing else happens, on a terminal. Call `rest` when the work is over. */
  work(text: string): void {
    if (!this.isWatched || process.env['TERM'] === 'dumb') return;
    if (this.#progress !== undefined) {
      this.#progress.text = text;
      return;
    }
    const timer = setInterval(() => this.#draw(), FRAME_MS);
    timer.unref();
    this.#progress = { text, since: now(), timer };
  }

  rest(): void {
    clearInterval(this.#progress?.timer);
    this.#progress = undefined;
    this.#erase();
  }

  #draw(): void {
    if (this.#progress === undefined || (this.#isMidLine && this.#out.isTTY)) return;
    const { text, since } = this.#progress;
    const ms = now() - since;
    if (ms < PROGRESS_AFTER_MS) return;
    const frame = FRAMES[Math.floor(ms / FRAME_MS) % FRAMES.length] ?? '';
    const line = progressLine(frame, oneLine(text), ms, (this.#err as Partial<WriteStream>).columns || 80);
    this.#err.write(CLEAR_LINE + styled(this.#err, line, 'dim'));
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#err.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

export const screen = new Screen();

/** Without what terminals obey: control characters, and those that change the direction of a text. */
export function harmless(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '');
}

/** On one line, whatever it was. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll(/\s+/g, ' ').trim();
}

function styled(stream: NodeJS.WriteStream, text: string, style: Style | undefined): string {
  if (style === undefined || !isColoured(stream)) return text;
  const [on, off] = STYLES[style];
  return `\u001B[${on}m${text}\u001B[${off}m`;
}

/** https://no-color.org */
function isColoured(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb';
}
