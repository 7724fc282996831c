/** A bucket begins full, with `burst` tokens, and gains `perMinute` of them, evenly, as long as it is not full. */
export interface TokenTake {
  /** Any text; told apart by every character. */
  readonly bucket: string;
  readonly burst: number;
  readonly perMinute: number;
}

export interface TokenTaken {
  readonly isTaken: boolean;
  /** What is in the bucket now, fractions included. */
  readonly left: number;
}
