const CANONICAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d+)?([Zz]|[+-]\d\d:?\d\d)?$/;

/** A point in time in the format of the protocol: `2026-03-12T10:00:00.000Z` (1.0 §5.6.1). */
export interface Instant {
  readonly text: string;
  /** Whether the time zone was missing, as in the examples of 0.2. It is read as UTC. */
  readonly zoneMissing: boolean;
}

/**
 * Converts any RFC 3339 form (0 or more fraction digits, any offset) to UTC with milliseconds; `undefined` if it is not a
 * valid time. Further digits are truncated.
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
  // An offset can move the year outside of the four digits of the format.
  return utc.length === 24 ? { text: utc, zoneMissing: zone === undefined } : undefined;
}

/** Date.parse accepts February 30 as March 2, and 24:00 as the next day. */
function isReal(utc: string): boolean {
  const millis = Date.parse(utc);
  if (Number.isNaN(millis)) return false;
  // Formatting costs three times as much as parsing, and only these dates can differ.
  const isSuspect = utc.slice(8, 10) > '28' || utc.slice(11, 13) === '24';
  return !isSuspect || new Date(millis).toISOString() === utc;
}

function isoZone(zone: string | undefined): string {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 'Z';
  return zone.includes(':') ? zone : `${zone.slice(0, 3)}:${zone.slice(3)}`;
}
