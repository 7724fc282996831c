/** Sentences that may break a rule of voice, each with the reason. An entry without an effect fails the check. */
export interface Allowed {
  readonly rule: string;
  /** A part of the sentence. */
  readonly text: string;
  readonly reason: string;
}

export const ALLOWED: readonly Allowed[] = [];
