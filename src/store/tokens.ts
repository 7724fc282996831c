/** Requests one token of a bucket. A bucket starts with `burst` tokens and gains `perMinute` tokens, evenly, up to `burst`. */
export interface TokenTake {
  /** The name of the bucket: any text, compared exactly. */
  readonly bucket: string;
  /** The capacity of the bucket. */
  readonly burst: number;
  /** The number of tokens that the bucket gains per minute. */
  readonly perMinute: number;
}

/** The result of `Store.takeTokens`. */
export interface TokenTaken {
  /** Whether a token was taken. */
  readonly isTaken: boolean;
  /** The number of tokens in the bucket now, including fractions. */
  readonly left: number;
}
