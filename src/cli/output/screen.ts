import { styleText } from 'node:util';
import { now } from '../now.ts';
import { progressLine } from './progress-line.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** The part of a stream that decides about colours. */
export interface StyledStream {
  readonly isTTY: boolean;
  hasColors(): boolean;
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Work that ends sooner shows no progress line. */
const PROGRESS_AFTER_MS = 400;

const CLEAR_LINE = '\r\u001B[2K';

/**
 * The two streams of the program: the result of a command goes to stdout, everything else to stderr. If both are the same
 * terminal, their lines do not mix. Control characters in the texts of agents do not reach a terminal.
 */
class Screen {
  readonly #out: NodeJS.WriteStream = process.stdout;
  readonly #err: NodeJS.WriteStream = process.stderr;
  #isMidLine = false;
  #progress: { text: string; readonly since: number; readonly timer: NodeJS.Timeout } | undefined;
  #isDrawn = false;

  /** Whether stderr is a terminal. */
  get isTerminal(): boolean {
    return this.#err.isTTY;
  }

  /** Prints a part of the result on stdout. */
  write(text: string, style?: Style): void {
    if (text === '') return;
    this.#erase();
    this.#out.write(this.#out.isTTY ? styled(this.#out, withoutControls(text), style) : text);
    this.#isMidLine = !text.endsWith('\n');
  }

  writeLine(text = '', style?: Style): void {
    this.write(text, style);
    this.write('\n');
  }

  /** Prints the result of a command as one JSON document. */
  writeJson(value: unknown): void {
    this.write(`${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** Prints one of several JSON documents on a line of its own. */
  writeJsonLine(value: unknown): void {
    this.write(`${JSON.stringify(value)}\n`);
  }

  /** Ends a line of stdout that has been started. */
  endLine(): void {
    if (this.#isMidLine) this.write('\n');
  }

  /** Prints a line on stderr. */
  notice(text: string, style?: Style): void {
    if (this.#out.isTTY) this.endLine();
    this.#erase();
    this.#err.write(`${styled(this.#err, withoutControls(text), style)}\n`);
  }

  /** The columns of stdout; undefined if it is not a terminal. */
  get columns(): number | undefined {
    return this.#out.isTTY ? this.#out.columns : undefined;
  }

  /** Styles a piece of a line for stdout. */
  mark(text: string, style: Style): string {
    return styled(this.#out, withoutControls(text), style);
  }

  /** Prints a line of styled pieces on stdout. Its pieces must contain no control characters. */
  writeMarked(line: string): void {
    this.#erase();
    this.#out.write(`${line}\n`);
    this.#isMidLine = false;
  }

  /** Shows a progress line on a terminal until `hideProgress` is called. */
  showProgress(text: string): void {
    if (!this.isTerminal || process.env['TERM'] === 'dumb') return;
    if (this.#progress !== undefined) {
      this.#progress.text = text;
      return;
    }
    const timer = setInterval(() => this.#draw(), FRAME_MS);
    timer.unref();
    this.#progress = { text, since: now(), timer };
  }

  hideProgress(): void {
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
    const line = progressLine(frame, oneLine(text), ms, this.#err.columns || 80);
    this.#err.write(CLEAR_LINE + styled(this.#err, line, 'dim'));
    this.#isDrawn = true;
  }

  #erase(): void {
    if (this.#isDrawn) this.#err.write(CLEAR_LINE);
    this.#isDrawn = false;
  }
}

export const screen = new Screen();

/** Removes control characters and those that change the direction of a text. */
export function withoutControls(text: string): string {
  return text.replaceAll(/(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu, '');
}

/** Returns a text on one line, without control characters. */
export function oneLine(text: string): string {
  return withoutControls(text).replaceAll(/\s+/g, ' ').trim();
}

/** Styles a text for a terminal with colours. For a pipe, with `NO_COLOR` and on a dumb terminal the text stays as it is. */
export function styled(stream: StyledStream, text: string, style: Style | undefined): string {
  if (style === undefined || !stream.isTTY || process.env['NO_COLOR'] || !stream.hasColors()) return text;
  // `validateStream` would look at stdout, whichever stream the text is for.
  return styleText(style, text, { validateStream: false });
}
