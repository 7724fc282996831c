/** A terminal writes `^C` where the cursor is: if that began another line, this one could not be erased. */
const ROOM_FOR_KEYS = 3;

const FEWEST_COLUMNS = 12;

/** What takes two columns: scripts of East Asia, and pictures. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Extended_Pictographic}/u;

/** A sign of life, what is done and for how long, on one line of a terminal. If there is too much, the text is cut. */
export function progressLine(sign: string, text: string, ms: number, columns: number): string {
  const time = elapsed(ms);
  const room = Math.max(FEWEST_COLUMNS, columns) - ROOM_FOR_KEYS - sign.length - time.length - 2;
  return `${sign} ${shortened(text, room)} ${time}`;
}

function shortened(text: string, columns: number): string {
  let width = 0;
  let fitting = '';
  for (const character of text) {
    width += WIDE.test(character) ? 2 : 1;
    if (width > columns) return `${fitting}…`;
    // One is left for the sign that more would follow.
    if (width < columns) fitting += character;
  }
  return text;
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
