import { ADDRESS_KEYS, checkAddressOptions, checkRange, type OutboundOptions } from './address-options.ts';
import type { Check } from '../../support/check.ts';

/** How files that a message refers to by URL are fetched, and from which addresses. */
export interface FileOptions extends OutboundOptions {
  /** The largest file in bytes. Default: 10 MiB. */
  readonly maxBytes?: number;
  /** The time limit for one file, in milliseconds. Default: 30 s. */
  readonly timeoutMs?: number;
}

const KEYS = [...ADDRESS_KEYS, 'maxBytes', 'timeoutMs'];

/** Node fires a timer with a longer delay immediately. */
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
