/** Short constructors for rules, one per level, so that each rule fits on a line. */

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY' | 'NOTE';

/** The subject of the rule. `sdk`: any library; `extension` and `binding`: the author of an extension or a custom binding. */
export type Who = 'server' | 'client' | 'both' | 'webhook' | 'sdk' | 'extension' | 'binding';

/** A part that does not exist yet: its future folder or file. */
export type FuturePart = 'src/grpc' | 'src/engine/call.ts';

/** The step of the project that implements the rule. The rule is due when the step is finished. */
export type Step = 1 | 3 | 4 | 5 | 6 | 7;

export interface Requirement {
  readonly level: Level;
  readonly who: Who;
  readonly step: Step;
  /** The section of the 1.0.1 text; `proto` for a comment in the definition file, `guide` for the topic guides. */
  readonly section: string;
  readonly rule: string;
  /** Set if no test can verify the rule: the page that explains how it is met. */
  readonly proof?: { readonly docs: string; readonly words?: string | undefined };
  /** Set if the rule is about a part that may not exist yet: the rule is due when the part exists. */
  readonly needs?: FuturePart;
}

type Define = (step: Step, who: Who, section: string, rule: string) => Requirement;

const at =
  (level: Level): Define =>
  (step, who, section, rule) => ({ level, who, step, section, rule });

export const must = at('MUST');
export const mustNot = at('MUST NOT');
export const should = at('SHOULD');
export const shouldNot = at('SHOULD NOT');
export const may = at('MAY');
/** A statement of the specification without an obligation. */
export const note = at('NOTE');

/** @param words The text that the page must contain; the id of the rule if not set. */
export function documented(docs: string, requirement: Requirement, words?: string): Requirement {
  return { ...requirement, proof: { docs, words } };
}

export function onceThereIs(needs: FuturePart, requirement: Requirement): Requirement {
  return { ...requirement, needs };
}
