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

export const DEFAULT_LIMITS: Limits = Object.freeze({
  rate: Object.freeze({ perMinute: 600, burst: 100 }),
  failedLogins: Object.freeze({ perMinute: 10, burst: 20 }),
  streamsPerCaller: 100,
  subscribersPerTask: 1000,
  requestBytesPerCaller: 32 * 2 ** 20,
  requestBytesPerProcess: 256 * 2 ** 20,
  responseBytesPerCaller: 32 * 2 ** 20,
  responseBytesPerProcess: 256 * 2 ** 20,
  runBytes: 256 * 2 ** 20,
  pushConfigsPerTask: 10,
  messagesPerTask: 1000,
  historyBytesPerTask: 16 * 2 ** 20,
  maxDepth: 3,
  maxOpenCalls: 1000,
  partsPerMessage: 500,
  textCharacters: 4 * 2 ** 20,
  fileBytes: 5 * 2 ** 20,
  metadataBytes: 64 * 2 ** 10,
  depth: 64,
  items: 10_000,
  extensionsPerRequest: 32,
  pageSize: 100,
});

/** Validated limits. */
export interface LimitSettings extends Limits {
  /**
   * The limits that the operator has set. The defaults of limits by caller or address spare anonymous callers on this machine: they
   * are usually the developer, or all callers behind a proxy without `trustProxy`.
   */
  readonly given: ReadonlySet<LimitName>;
}
