/**
 * Creates a public id: unguessable and sortable by time (UUID version 7: the time in milliseconds, then 74 random bits).
 * Ids are ordered by time, because random keys make a store write a different index page for each.
 *
 * Written character by character into one text: an id that is concatenated consists of many strings until it is first read, and
 * every task keeps its ids.
 */
export function newId(): string {
  const time = Date.now();
  if (time !== lastTime) writeTime(time);
  if (next + BYTES_PER_ID > random.length) {
    crypto.getRandomValues(random);
    next = 0;
  }
  characters[VARIANT] = HEX.charCodeAt(8 + (byteAt(next) & 3));
  for (let i = 0; i < DIGITS.length; i += 2) {
    const byte = byteAt(next + 1 + i / 2);
    characters[DIGITS[i] as number] = HEX.charCodeAt(byte >> 4);
    characters[DIGITS[i + 1] as number] = HEX.charCodeAt(byte & 15);
  }
  next += BYTES_PER_ID;
  return String.fromCharCode(...characters);
}

const HEX = '0123456789abcdef';
/** The position of the digit that contains the variant, and of the 18 random digits. */
const VARIANT = 19;
const DIGITS = [15, 16, 17, 20, 21, 22, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35];
const BYTES_PER_ID = 10;

/** The random bytes of the next ids, because each call of the generator takes longer than an id. */
const random = new Uint8Array(BYTES_PER_ID * 128);
let next = random.length;

/** The character codes of the last id. */
const characters = Array.from('00000000-0000-7000-8000-000000000000', (character) => character.charCodeAt(0));
let lastTime = -1;

function byteAt(index: number): number {
  return random[index] as number;
}

function writeTime(time: number): void {
  const digits = time.toString(16).padStart(12, '0');
  for (let i = 0; i < digits.length; i += 1) characters[i < 8 ? i : i + 1] = digits.charCodeAt(i);
  lastTime = time;
}
