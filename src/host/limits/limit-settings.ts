import { type Check, isObject, kindOf } from '../../support/check.ts';
import { count, defaultsOf, type Option, type OptionTable, readTable, required } from '../../support/options.ts';

/** A token bucket: an average rate, and a burst after an idle period. */
export interface Rate {
  /** The average number per minute. Greater than 0. */
  readonly perMinute: number;
  /** How many can happen at once. At least 1. */
  readonly burst: number;
}

/**
 * Limits on what callers can request. Callers are counted by their id, anonymous callers by their IPv4 address or IPv6 /64 network.
 * The defaults of per-caller limits do not apply to anonymous callers on the same machine or without a known address; a value that
 * you set applies to all.
 */
export interface Limits {
  /** Requests of one caller. Callers over it get 429 with `Retry-After`. `false`: unlimited. Default: 600 per minute, burst 100. */
  readonly rate: Rate | false;
  /** Failed logins from one address, counted per process. `false`: unlimited. Default: 10 per minute, burst 20. */
  readonly failedLogins: Rate | false;
  /** Open streams of one caller. Default: 100. */
  readonly streamsPerCaller: number;
  /** Open subscriptions to one task. Default: 1,000. */
  readonly subscribersPerTask: number;
  /** Bytes of incomplete request bodies of one caller. Default: 32 MiB. */
  readonly requestBytesPerCaller: number;
  /** Bytes of incomplete request bodies in this process. Default: 256 MiB. */
  readonly requestBytesPerProcess: number;
  /** Bytes of responses that one caller has not read yet. Default: 32 MiB. */
  readonly responseBytesPerCaller: number;
  /** Bytes of unread responses in this process. Default: 256 MiB. */
  readonly responseBytesPerProcess: number;
  /** Bytes of messages, step results and outputs that all running tasks of the handler hold in memory. Default: 256 MiB. */
  readonly runBytes: number;
  /** Push configurations of one task. Default: 10. */
  readonly pushConfigsPerTask: number;
  /** Messages in the history of a task, from both sides. At the limit the task accepts no further messages. Default: 1,000. */
  readonly messagesPerTask: number;
  /** Approximate JSON size of the history of a task. At the limit the task accepts no further messages. Default: 16 MiB. */
  readonly historyBytesPerTask: number;
  /** How many calls between agents may lead to a task. Default: 3. */
  readonly maxDepth: number;
  /** Open calls to other agents of all tasks of one caller. Default: 1,000. */
  readonly maxOpenCalls: number;
  /** Parts of one message. Default: 500. */
  readonly partsPerMessage: number;
  /** Characters of one text part. Default: 4,194,304. */
  readonly textCharacters: number;
  /** Decoded bytes of a file inside a part. Default: 5 MiB. */
  readonly fileBytes: number;
  /** Approximate JSON size of the `metadata` of a request, a message or a part. Default: 64 KiB. */
  readonly metadataBytes: number;
  /** Nesting depth of the request params. Default and maximum: 64. */
  readonly depth: number;
  /** Items of one array, or members of one object. Default: 10,000. */
  readonly items: number;
  /** Extensions in the headers of one request. Default: 32. */
  readonly extensionsPerRequest: number;
  /** Tasks on one page of a list. Larger requested pages are cut. Default and maximum: 100. */
  readonly pageSize: number;
}

/** The name of a limit. */
export type LimitName = keyof Limits;

const MIB = 2 ** 20;

/** The options of `limits`. */
export const LIMITS = {
  rate: rate({ perMinute: 600, burst: 100 }),
  failedLogins: rate({ perMinute: 10, burst: 20 }),
  streamsPerCaller: count({ least: 0, byDefault: 100 }),
  subscribersPerTask: count({ least: 0, byDefault: 1000 }),
  requestBytesPerCaller: count({ byDefault: 32 * MIB }),
  requestBytesPerProcess: count({ byDefault: 256 * MIB }),
  responseBytesPerCaller: count({ byDefault: 32 * MIB }),
  responseBytesPerProcess: count({ byDefault: 256 * MIB }),
  runBytes: count({ byDefault: 256 * MIB }),
  pushConfigsPerTask: count({ byDefault: 10 }),
  messagesPerTask: count({ byDefault: 1000 }),
  historyBytesPerTask: count({ byDefault: 16 * MIB }),
  maxDepth: count({ byDefault: 3 }),
  maxOpenCalls: count({ byDefault: 1000 }),
  partsPerMessage: count({ byDefault: 500 }),
  textCharacters: count({ byDefault: 4 * MIB }),
  fileBytes: count({ least: 0, byDefault: 5 * MIB }),
  metadataBytes: count({ least: 0, byDefault: 64 * 2 ** 10 }),
  // Cannot be raised, because of the protocol or the store.
  depth: count({ most: 64, byDefault: 64 }),
  items: count({ byDefault: 10_000 }),
  extensionsPerRequest: count({ byDefault: 32 }),
  pageSize: count({ most: 100, byDefault: 100 }),
} as const satisfies OptionTable<Limits>;

export const DEFAULT_LIMITS: Limits = defaultsOf(LIMITS);

/** Validated limits. */
export interface LimitSettings extends Limits {
  /**
   * The limits that the operator has set. The defaults of limits by caller or address spare anonymous callers on this machine: they
   * are usually the developer, or all callers behind a proxy without `trustProxy`.
   */
  readonly given: ReadonlySet<LimitName>;
}

export function readLimits(check: Check, value: unknown): LimitSettings {
  const options = value === undefined ? {} : (check.record(value, 'limits', '{ partsPerMessage: 100 }') ?? {});
  const hints = { maxBodyBytes: 'it is an option next to limits' };
  const limits = readTable(check, options, LIMITS, 'limits.', hints);
  const names = Object.keys(LIMITS) as readonly LimitName[];
  return { ...limits, given: new Set(names.filter((name) => options[name] !== undefined)) };
}

const RATE = {
  perMinute: required((check, value, path) => {
    const isRate = typeof value === 'number' && value > 0 && Number.isFinite(value);
    if (!isRate) check.fault(path, `expected a number above 0, got ${kindOf(value)}`);
    return Number(value);
  }),
  burst: required((check, value, path) => {
    const isCount = Number.isSafeInteger(value) && Number(value) > 0;
    if (!isCount) check.fault(path, `expected a whole number >= 1, got ${kindOf(value)}`);
    return Number(value);
  }),
} as const satisfies OptionTable<Rate>;

function rate(byDefault: Rate): Option<Rate | false, Rate> {
  const read = (check: Check, value: unknown, path: string): Rate | false => {
    if (isObject(value)) return readTable(check, value, RATE, `${path}.`);
    const like = 'false or an object such as { perMinute: 600, burst: 100 }';
    if (value !== false) check.fault(path, `expected ${like}, got ${kindOf(value)}`);
    return false;
  };
  return { byDefault: Object.freeze(byDefault), read };
}
