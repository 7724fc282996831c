import type { Handler, TaskContext } from '../engine/handler.ts';
import type { Runnable } from '../engine/runnable.ts';
import { IN_PROCESS, type InProcessAgent } from '../support/net/in-process.ts';
import { type AgentDescription, type AgentOptions, readOptions } from './agent-options.ts';
import { openInProcess } from './in-process.ts';
import { createAgentModes } from './modes.ts';
import { mattersByName, type Skill, SkillAccess } from './skill-access.ts';
import { admitInput, runSkill } from './skill-handler.ts';

/** An agent created with `agent()`. Pass it to `serve()`, `createHandler()` or `connect()`. It is deeply frozen. */
export interface Agent extends Required<Runnable>, InProcessAgent {
  /**
   * Checks the media types that a caller accepts against the output types of the agent, or of one of its skills.
   *
   * @throws A2AError `CONTENT_TYPE_NOT_SUPPORTED` if the two have no type in common.
   */
  admitOutputModes(acceptedOutputModes: readonly string[], skillId?: string): void;
  /** The display name of the agent. */
  readonly name: string;
  /** The members of the agent card that do not depend on where the agent is served. */
  readonly card: AgentDescription;
  /** All skills of the agent, including hidden ones, with their visibility, scopes and tenants. */
  readonly skills: readonly Skill[];
  /** Whether `metadata.skillId` of a message has an effect: true if a skill is typed, restricted or has its own media types. */
  readonly namesSkills: boolean;
  /** Decides which callers can use which skills. */
  readonly access: Pick<SkillAccess, 'admit' | 'require' | 'usable'>;
}

/**
 * Creates an agent from a handler and its description. The options are validated, copied and frozen. Only the members of
 * `AgentDescription` can appear on a card.
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
 * @throws TypeError that lists every invalid option.
 */
export function agent(options: AgentOptions): Agent {
  const { id, card, skills, handlers, scopes, run, limits } = readOptions(options);
  const modes = createAgentModes(
    card,
    skills.map((skill) => skill.card),
  );
  const access = new SkillAccess(skills, scopes);
  const typed = new Map(handlers.map((handler) => [handler.id, handler]));
  const made: Agent = freeze({
    id,
    name: card.name,
    card,
    skills,
    namesSkills: skills.some(mattersByName),
    run: run !== undefined && typed.size === 0 ? run : dispatch,
    limits,
    ...modes,
    admit(message, acceptedOutputModes, skillId) {
      modes.admit(message, acceptedOutputModes, skillId);
      const handler = skillId === undefined ? undefined : typed.get(skillId);
      // A message for a task answers its question, even if it names the skill again.
      if (handler !== undefined && message.taskId === undefined) admitInput(handler, message);
    },
    access,
    [IN_PROCESS]: () => openInProcess(made),
  });
  return made;

  function dispatch(ctx: TaskContext): ReturnType<Handler> {
    const handler = ctx.skillId === undefined ? undefined : typed.get(ctx.skillId);
    if (handler !== undefined) return runSkill(handler, ctx);
    return run === undefined ? rejectWithoutSkill(ctx, access.usable(skills, ctx.caller, ctx.tenant)) : run(ctx);
  }
}

/** Rejects a message that only a skill could handle, and lists the skills that the caller can use. */
function rejectWithoutSkill(ctx: TaskContext, skills: readonly Skill[]): undefined {
  const ids = skills.map(({ card }) => card.id).join(', ');
  const list = ids === '' ? 'You have access to none of them.' : `Skills: ${ids}.`;
  return ctx.reject(`Specify the skill that the message is for: set skillId in its metadata. ${list}`);
}

/** Freezes deeply, except for functions, which belong to the author. */
function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value))
    if (typeof member === 'object' && member !== null) freeze(member as object);
  return Object.freeze(value);
}
