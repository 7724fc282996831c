import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalizeTimestamp } from './timestamp.ts';

test.each([
  ['in canonical form', '2026-03-12T10:00:00.000Z', '2026-03-12T10:00:00.000Z'],
  ['without a fraction', '2025-10-30T10:00:00Z', '2025-10-30T10:00:00.000Z'],
  ['with one digit of fraction', '2026-03-12T10:00:00.5Z', '2026-03-12T10:00:00.500Z'],
  ['with microseconds, which are cut, not rounded,', '2026-03-12T10:00:00.123999Z', '2026-03-12T10:00:00.123Z'],
  ['with nanoseconds', '2026-03-12T10:00:00.000000001Z', '2026-03-12T10:00:00.000Z'],
  ['with UTC as an offset', '2026-06-10T12:00:00+00:00', '2026-06-10T12:00:00.000Z'],
  ['with another offset', '2026-01-01T00:30:00.25+05:30', '2025-12-31T19:00:00.250Z'],
  ['with an offset without colon', '2026-01-01T00:00:00-0800', '2026-01-01T08:00:00.000Z'],
  ['in lower case', '2026-03-12t10:00:00z', '2026-03-12T10:00:00.000Z'],
  ['with a space', '2026-03-12 10:00:00Z', '2026-03-12T10:00:00.000Z'],
  ['on a leap day', '2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
])('a timestamp %s is read', (_case, text, utc) => {
  expect(normalizeTimestamp(text)).toEqual({ text: utc, zoneMissing: false });
});

test('a timestamp without a zone is read as UTC and marked as zoneMissing', () => {
  expect(normalizeTimestamp('2025-04-02T16:59:25.331844')).toEqual({
    text: '2025-04-02T16:59:25.331Z',
    zoneMissing: true,
  });
});

test.each([
  ['an empty string', ''],
  ['a word', 'yesterday'],
  ['a date alone', '2026-03-12'],
  ['a time without seconds', '2026-03-12T10:00Z'],
  ['a 13th month', '2026-13-01T00:00:00Z'],
  ['a day that does not exist', '2026-02-30T00:00:00Z'],
  ['a day that does not exist, canonical', '2026-02-30T00:00:00.000Z'],
  ['a leap day in another year', '2026-02-29T00:00:00+01:00'],
  ['hour 24', '2026-03-12T24:00:00Z'],
  ['minute 60', '2026-03-12T10:60:00.000Z'],
  ['an offset of a day', '2026-03-12T10:00:00+24:00'],
  ['a year of five digits', '12026-03-12T10:00:00Z'],
  ['a year that an offset makes negative', '0000-01-01T00:00:00+01:00'],
  ['a year that an offset makes too long', '9999-12-31T23:30:00-01:00'],
  ['a dot without digits', '2026-03-12T10:00:00.Z'],
  ['a timestamp after a space', ' 2026-03-12T10:00:00Z'],
  ['a line break at the end', '2026-03-12T10:00:00.000Z\n'],
  ['seconds since 1970', '1698662400'],
])('%s is not a timestamp', (_case, text) => {
  expect(normalizeTimestamp(text)).toBeUndefined();
});

test('every instant is read back from every offset', () => {
  const instants = fc.date({ min: new Date('0001-01-03'), max: new Date('9999-12-30'), noInvalidDate: true });
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
        String(n).padStart(2, '0'),
      );
      const zone = `${offset < 0 ? '-' : '+'}${hours}:${minutes}`;
      expect(normalizeTimestamp(local + zone)?.text).toBe(instant.toISOString());
    }),
  );
});
