/** How fast something may happen: so often in a minute on average, and so often at once after a rest. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** How much may be asked of an agent that is served. Every member has a default. */
export interface Limits {
  /** Requests of one caller; of one address as long as nobody has to say who he is. `false`: any number. */
  readonly rate: Rate | false;
  /** Wrong credentials from one address. `false`: any number. */
  readonly failedLogins: Rate | false;
  /** Streams that one caller has open; one address as long as nobody has to say who he is. */
  readonly streamsPerCaller: number;
  /** Streams of those who subscribe to one task. */
  readonly subscribersPerTask: number;
  /** Bytes of request bodies that one caller has begun to send and not completed; of one address without `auth`. */
  readonly requestBytesPerCaller: number;
  /** The same for all callers of this process together. */
  readonly requestBytesPerProcess: number;
  /** Bytes of responses that one caller has not read yet; one address without `auth`. */
  readonly responseBytesPerCaller: number;
  /** The same for all callers of this process together. */
  readonly responseBytesPerProcess: number;
  /** Bytes of messages, step results and outputs that all running tasks of this handler hold in memory. */
  readonly runBytes: number;
  readonly pushConfigsPerTask: number;
  /** Messages in the history of a task, from both sides: then it takes no more of its caller. */
  readonly messagesPerTask: number;
  /** Bytes of messages in the history of a task, about as long as they are as JSON: then it takes no more of its caller. */
  readonly historyBytesPerTask: number;
  readonly partsPerMessage: number;
  /** Characters in the text of one part. */
  readonly textCharacters: number;
  /** Bytes of a file that comes inside a part, unpacked from base64. */
  readonly fileBytes: number;
  /** One `metadata`, of a request, a message or a part; about as long as it is written. */
  readonly metadataBytes: number;
  /** How deep objects and lists may lie inside each other, from the params on. */
  readonly depth: number;
  /** Items of one list, or members of one object. */
  readonly items: number;
  /** Extensions that the headers of one request may name. */
  readonly extensionsPerRequest: number;
  /** Tasks on one page of a list, whatever was asked for. */
  readonly pageSize: number;
}

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
  partsPerMessage: 500,
  textCharacters: 4 * 2 ** 20,
  fileBytes: 5 * 2 ** 20,
  metadataBytes: 64 * 2 ** 10,
  depth: 64,
  items: 10_000,
  extensionsPerRequest: 32,
  pageSize: 100,
});

/** Limits that were checked. */
export interface LimitSettings extends Limits {
  /**
   * Those that somebody has set. Of the others, what is counted by caller or address is for who comes from elsewhere: who
   * is on this machine without a name is most often its owner at work, or all the world behind a proxy that he forgot.
   */
  readonly given: ReadonlySet<LimitName>;
}
