import type { Runnable } from '../engine/runnable.ts';
import { type AgentDescription, type AgentOptions, readOptions } from './agent-options.ts';
import { createModes } from './modes.ts';

/** An agent, ready to be served. */
export interface Agent extends Required<Runnable> {
  readonly name: string;
  /** What its card says of it wherever it is served. */
  readonly card: AgentDescription;
}

/**
 * Makes an agent of a handler and what there is to say about it. Everything is copied and frozen; only what is named in
 * `AgentDescription` can ever reach a card.
 *
 * @example
 * const translator = agent({
 *   name: 'Translator',
 *   description: 'Translates English into French.',
 *   async *run({ text, step }) {
 *     yield { status: 'working', text: 'Translating…' };
 *     yield { artifact: 'translation.txt', text: await step('translate', () => translate(text)) };
 *   },
 * });
 *
 * @throws TypeError that names each wrong option.
 */
export function agent(options: AgentOptions): Agent {
  const { id, card, run, limits } = readOptions(options);
  const { skills, defaultInputModes, defaultOutputModes } = card;
  // A message names no skill, so the agent takes what any of its skills takes.
  const { admit, mayGive } = createModes(
    all(
      defaultInputModes,
      skills.map(({ inputModes }) => inputModes),
    ),
    all(
      defaultOutputModes,
      skills.map(({ outputModes }) => outputModes),
    ),
  );
  return freeze({ id, name: card.name, card, run, limits, admit, mayGive });
}

function all(own: readonly string[], more: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set([...own, ...more.flatMap((modes) => modes ?? [])])];
}

/** Deeply, but for functions, which belong to the author. */
function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
