import type { A2AError, ErrorCode } from '../errors.ts';
import { DEFAULT_LIMITS } from './limits/limit-settings.ts';

/** The names under which limits are counted and logged: those of the options, `body` for `maxBodyBytes`, and `bodyPace`. */
const NAMES: ReadonlySet<string> = new Set([...Object.keys(DEFAULT_LIMITS), 'body', 'bodyPace']);

/** For errors that do not say which one it was. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, string>>> = {
  RATE_LIMIT_EXCEEDED: 'rate',
  PAYLOAD_TOO_LARGE: 'body',
};

/** Which limit an error is about, if it is about one. Authors may throw errors of their own, with any words in them. */
export function limitOf({ code, details }: A2AError): string | undefined {
  const { limit } = details;
  return limit !== undefined && NAMES.has(limit) ? limit : BY_CODE[code];
}
