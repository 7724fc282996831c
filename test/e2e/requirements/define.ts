/** The vocabulary of the manifest: one short constructor per level, so that each rule fits on a line. */

export type Level = 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT' | 'MAY' | 'NOTE';

/** `sdk`: a library as such; `extension`: whoever designs one; `binding`: whoever designs a custom one. */
export type Who = 'server' | 'client' | 'both' | 'webhook' | 'sdk' | 'extension' | 'binding';

/** A part that does not exist yet, by the folder or file that will hold it. */
export type FuturePart = 'src/grpc' | 'src/engine/call.ts';

/** The step of the project whose work can show the rule, and whose end makes it due. */
export type Step = 1 | 3 | 4 | 5 | 6 | 7;

export interface Requirement {
  readonly level: Level;
  readonly who: Who;
  readonly step: Step;
  /** Of the 1.0.1 text; `proto` for a comment in the definition file, `guide` for the topic guides beside the text. */
  readonly section: string;
  readonly rule: string;
  /** Set where no program can show the rule: the page that states how it is met, and names the id. */
  readonly proof?: { readonly docs: string; readonly words?: string | undefined };
  /** Set where the rule speaks of a part that may not exist yet: it is due from the day the part does. */
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
/** Says how something is, without a word of obligation. */
export const note = at('NOTE');

/** @param words What the page says about it; the id of the rule if not set. */
export function documented(docs: string, requirement: Requirement, words?: string): Requirement {
  return { ...requirement, proof: { docs, words } };
}

export function onceThereIs(needs: FuturePart, requirement: Requirement): Requirement {
  return { ...requirement, needs };
}
