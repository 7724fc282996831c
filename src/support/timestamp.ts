const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/;

/** A point in time as the protocol writes it: `2026-03-12T10:00:00.000Z` (1.0 §5.6.1). */
export interface Instant {
  readonly text: string;
  /** Seen in the examples of 0.2: no zone at all, which we read as UTC. */
  readonly zoneMissing: boolean;
}

/**
 * Any RFC 3339 form (0 or more fraction digits, any offset) in UTC with milliseconds. `undefined` if it is no time.
 * Digits past the millisecond are cut off.
 */
export function normalizeTimestamp(text: string): Instant | undefined {
  if (CANONICAL.test(text)) return isReal(text) ? { text, zoneMissing: false } : undefined;
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const [, date, time, fraction = '.0', zone] = match;
  if (!isReal(`${date}T${time}.000Z`)) return undefined;
  const millis = Date.parse(`${date}T${time}${fraction.slice(0, 4).padEnd(4, '0')}${isoZone(zone)}`);
  if (Number.isNaN(millis)) return undefined;
  const utc = new Date(millis).toISOString();
  // An offset can push the year out of the four digits that the format has.
  return utc.length === 24 ? { text: utc, zoneMissing: zone === undefined } : undefined;
}

/** Date.parse takes the 30th of February for the 2nd of March, and 24:00 for the next day. */
function isReal(utc: string): boolean {
  const millis = Date.parse(utc);
  if (Number.isNaN(millis)) return false;
  // Writing it out costs three times the parsing, and only these can differ.
  const isSuspect = utc.slice(8, 10) > '28' || utc.slice(11, 13) === '24';
  return !isSuspect || new Date(millis).toISOString() === utc;
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}
