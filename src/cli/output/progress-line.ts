/** A terminal writes `^C` at the cursor. If that wrapped to another line, this one could not be erased. */
const ROOM_FOR_KEYS = 3;

const FEWEST_COLUMNS = 12;

/** Characters that take two columns: East Asian scripts and pictographs. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Extended_Pictographic}/u;

/** Returns one line with the spinner, the current work and its duration. Cuts the text to the width of the terminal. */
export function progressLine(sign: string, text: string, ms: number, columns: number): string {
  const time = elapsed(ms);
  const room = Math.max(FEWEST_COLUMNS, columns) - ROOM_FOR_KEYS - sign.length - time.length - 2;
  return `${sign} ${shortened(text, room)} ${time}`;
}

/** Cuts a text to a number of columns. */
export function shortened(text: string, columns: number): string {
  let width = 0;
  let fitting = '';
  for (const character of text) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > columns) return `${fitting}…`;
    // One column is left for the ellipsis.
    if (width < columns) fitting += character;
  }
  return text;
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
