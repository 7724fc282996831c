/** Deeper than anything the protocol allows (64 levels), plus its envelope. */
export const MAX_NESTING = 80;

/**
 * The maximum number of brackets, commas and colons outside of strings. Parsing costs up to half a microsecond and a
 * hundred bytes for each of them, while a character of a string costs almost nothing: 8 MiB of `{},` take a second and 300
 * MB, 8 MiB of text 10 ms.
 */
export const MAX_STRUCTURE = 500_000;

/** Shorter texts cost less than 2 ms whatever they contain, so their shape is not checked. */
const HARMLESS_LENGTH = 2 ** 14;

/** The number of characters of a string after which its end is searched. */
const SHORT = 32;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Thrown for JSON text whose shape makes it too expensive to parse. */
export class JsonShapeError extends Error {
  override readonly name = 'JsonShapeError';
}

/**
 * Parses JSON from outside after a cheap check of its shape.
 *
 * @throws JsonShapeError if it nests too deeply or has too many values, SyntaxError if it is not JSON.
 */
export function parseUntrustedJson(text: string, maxStructure = MAX_STRUCTURE): unknown {
  if (text.length > HARMLESS_LENGTH) assertShape(text, maxStructure);
  return JSON.parse(text) as unknown;
}

/** One pass without allocations. Text that is not JSON passes if it has few brackets; the parser rejects it. */
function assertShape(text: string, maxStructure: number): void {
  const { length } = text;
  let depth = 0;
  let structure = 0;
  for (let i = 0; i < length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i);
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth += 1;
        structure += 1;
        if (depth > MAX_NESTING) throw new JsonShapeError(`nests deeper than ${MAX_NESTING} levels`);
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        depth -= 1;
        break;
      case COMMA:
      case COLON:
        structure += 1;
        break;
      default:
    }
    if (structure > maxStructure) {
      throw new JsonShapeError(`has more than ${maxStructure} opening brackets, commas and colons outside of strings`);
    }
  }
}

/**
 * The position of the quote that ends the string at `start`, or the end of the text. Short strings are walked, because a
 * search has a fixed cost; long ones are searched, because that is much faster.
 */
function endOfString(text: string, start: number): number {
  const { length } = text;
  let walked = 0;
  for (let i = start + 1; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i;
    if (code === BACKSLASH) {
      i += 1;
      walked = 0;
    } else if (++walked > SHORT) {
      const end = text.indexOf('"', i + 1);
      if (end < 0) return length;
      if (!isEscaped(text, end)) return end;
      i = end;
      walked = 0;
    }
  }
  return length;
}

/** Only for a position inside a string, at least one character after the start of an escape. */
function isEscaped(text: string, position: number): boolean {
  let first = position;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (position - first) % 2 === 1;
}
