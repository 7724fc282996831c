import { ADDRESS_KEYS, checkAddressOptions, checkRange, type OutboundOptions } from './address-options.ts';
import type { Check } from './check.ts';

/** How files are fetched that a message only names by their address, and where from. */
export interface FileOptions extends OutboundOptions {
  /** The largest file, 10 MiB if not set. */
  readonly maxBytes?: number;
  /** How long one may take as a whole, 30 s if not set. */
  readonly timeoutMs?: number;
}

const KEYS = [...ADDRESS_KEYS, 'maxBytes', 'timeoutMs'];

/** A timer that should wait longer does not wait at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function readFileOptions(check: Check, value: unknown): FileOptions | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'files', "{ allowHosts: ['files.example.com'] }") ?? {};
  check.keys(given, KEYS, 'files.');
  checkAddressOptions(check, given, 'files.');
  checkRange(check, given['maxBytes'], 'files.maxBytes', 1, Number.MAX_SAFE_INTEGER);
  checkRange(check, given['timeoutMs'], 'files.timeoutMs', 1, MAX_TIMER_MS);
  return given;
}
