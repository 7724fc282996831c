/** Sentences that may break a rule of voice, each with the reason. An entry that allows nothing any more fails the check. */
export interface Allowed {
  readonly rule: string;
  /** A piece of the sentence. */
  readonly text: string;
  readonly reason: string;
}

export const ALLOWED: readonly Allowed[] = [];
