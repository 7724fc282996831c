import type { Runnable } from '../engine/runnable.ts';
import { IN_PROCESS, type InProcessAgent, type InProcessHandler } from '../support/in-process.ts';
import { type AgentDescription, type AgentOptions, readOptions } from './agent-options.ts';
import { createAgentModes } from './modes.ts';
import { mattersByName, type Skill, SkillAccess } from './skill-access.ts';

/** An agent, ready to be served. */
export interface Agent extends Required<Runnable>, InProcessAgent {
  /** @throws A2AError CONTENT_TYPE_NOT_SUPPORTED if the caller accepts none of the output types of the agent. */
  admitOutputModes(acceptedOutputModes: readonly string[], skillId?: string): void;
  readonly name: string;
  /** What its card says of it wherever it is served. */
  readonly card: AgentDescription;
  /** All that it can do, with whom each of them is for. */
  readonly skills: readonly Skill[];
  /** Whether messages may name their skill. It matters if a skill is not for everybody, or has modes of its own. */
  readonly namesSkills: boolean;
  readonly access: Pick<SkillAccess, 'admit' | 'require' | 'usable'>;
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
  const { id, card, skills, scopes, run, limits } = readOptions(options);
  const modes = createAgentModes(
    card,
    skills.map((skill) => skill.card),
  );
  const made: Agent = freeze({
    id,
    name: card.name,
    card,
    skills,
    namesSkills: skills.some(mattersByName),
    run,
    limits,
    ...modes,
    access: new SkillAccess(skills, scopes),
    [IN_PROCESS]: () => open(made),
  });
  return made;
}

/** For `connect(agent)`: a handler with tasks of its own. Imported here, because the handler knows agents. */
async function open(made: Agent): Promise<InProcessHandler> {
  const { AgentHandler } = await import('./handler.ts');
  const { readHandlerOptions } = await import('./handler-options.ts');
  const { memoryStore } = await import('../store/memory/store.ts');
  const options = { store: memoryStore(), heartbeatMs: 2 ** 31 - 1, auth: false } as const;
  const settings = readHandlerOptions('connect()', made, options);
  // Nobody is here but who has the agent in his hands.
  const handler = new AgentHandler(made, settings, 'neighbours');
  return { fetch: handler.fetch, close: () => handler.close({ finishMs: 0 }) };
}

/** Deeply, but for functions, which belong to the author. */
function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
