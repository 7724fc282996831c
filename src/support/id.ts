/**
 * A new id for things that strangers see: unguessable, and later ones sort after earlier ones (UUID version 7: the time in
 * milliseconds, then 74 random bits). In the order of time, because an index of a store that gets its keys in any order
 * has another page to write for each of them.
 */
export function newId(): string {
  return timePrefix(Date.now()) + crypto.randomUUID().slice(15);
}

let lastTime = -1;
let lastPrefix = '';

/** The first half of an id, up to and with the digit of the version. */
function timePrefix(time: number): string {
  if (time !== lastTime) {
    const digits = time.toString(16).padStart(12, '0');
    lastTime = time;
    lastPrefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }
  return lastPrefix;
}
