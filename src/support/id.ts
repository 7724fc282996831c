/**
 * Creates a public id: unguessable and sortable by time (UUID version 7: the time in milliseconds, then 74 random bits).
 * Ids are ordered by time, because random keys make a store write a different index page for each.
 */
export function newId(): string {
  return timePrefix(Date.now()) + crypto.randomUUID().slice(15);
}

let lastTime = -1;
let lastPrefix = '';

/** The first half of an id, including the version digit. */
function timePrefix(time: number): string {
  if (time !== lastTime) {
    const digits = time.toString(16).padStart(12, '0');
    lastTime = time;
    lastPrefix = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
  }
  return lastPrefix;
}
