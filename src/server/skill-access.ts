import type { Caller } from '../engine/handler.ts';
import { A2AError } from '../errors.ts';
import type { AgentSkill } from '../model/card.ts';
import { lacksScope, requireScopes } from './auth/scopes.ts';

/** `hidden` skills are in no card, and no caller can name them: only the handler knows them. */
export type SkillVisibility = 'public' | 'authenticated' | 'hidden';

/** A skill: what cards say of it, and whom it is for. */
export interface Skill {
  readonly card: AgentSkill;
  readonly visibility: SkillVisibility;
  readonly scopes: readonly string[];
  /** Every tenant has it if there are none. */
  readonly tenants: readonly string[] | undefined;
}

export function openSkill(card: AgentSkill): Skill {
  return { card, visibility: 'public', scopes: [], tenants: undefined };
}

/** Whether anything about it depends on the caller. */
function isRestricted({ visibility, scopes, tenants }: Skill): boolean {
  return visibility !== 'public' || scopes.length > 0 || tenants !== undefined;
}

/** Whether it makes a difference that a message names this skill. */
export function mattersByName(skill: Skill): boolean {
  return isRestricted(skill) || skill.card.inputModes !== undefined || skill.card.outputModes !== undefined;
}

/** What the card for everybody lists. */
export function publicSkills(skills: readonly Skill[]): readonly AgentSkill[] {
  return skills
    .filter(({ visibility, tenants }) => visibility === 'public' && tenants === undefined)
    .map(({ card }) => card);
}

/** Who may use an agent, and which of its skills. */
export class SkillAccess {
  readonly #skills: ReadonlyMap<string, Skill>;
  readonly #scopes: readonly string[];

  /** @param scopes Of a call that names no skill, and of skills that have none of their own. */
  constructor(skills: readonly Skill[], scopes: readonly string[]) {
    this.#skills = new Map(skills.map((skill) => [skill.card.id, skill]));
    this.#scopes = scopes;
  }

  /**
   * Lets a call pass that names a skill, or none.
   *
   * @throws A2AError `INVALID_PARAMS` for a skill that the caller cannot know of, whether there is one or not, and
   * `PERMISSION_DENIED` for one that he may not use.
   */
  admit(caller: Caller, tenant: string, skillId: string | undefined): void {
    if (skillId === undefined) {
      if (this.#scopes.length > 0) requireScopes(caller, this.#scopes);
      return;
    }
    const skill = this.#skills.get(skillId);
    if (skill === undefined || !isKnownTo(skill, caller, tenant)) throw unknownSkill();
    requireScopes(caller, this.#scopesOf(skill), skillId);
  }

  /**
   * Lets a handler go on that has chosen a skill, a hidden one too.
   *
   * @throws A2AError `PERMISSION_DENIED` for what its caller may not use.
   * @throws TypeError for a skill that the agent does not have.
   */
  require(caller: Caller, tenant: string, skillId: string): void {
    const skill = this.#skills.get(skillId);
    if (skill === undefined) throw new TypeError(`The agent has no skill ${JSON.stringify(skillId)}`);
    if (skill.visibility === 'authenticated' && !caller.isVerified) {
      throw new A2AError('PERMISSION_DENIED', 'This is for known callers only');
    }
    if (!isOfTenant(skill, caller, tenant)) throw new A2AError('PERMISSION_DENIED', 'This tenant does not have it');
    requireScopes(caller, this.#scopesOf(skill));
  }

  /** Those of the skills that a caller may use in a tenant, and so what a card of his own lists. */
  usable(skills: readonly Skill[], caller: Caller, tenant: string): readonly AgentSkill[] {
    return skills
      .filter((skill) => isKnownTo(skill, caller, tenant) && lacksScope(caller, this.#scopesOf(skill)) === undefined)
      .map(({ card }) => card);
  }

  #scopesOf({ scopes }: Skill): readonly string[] {
    return scopes.length > 0 ? scopes : this.#scopes;
  }
}

function isKnownTo(skill: Skill, caller: Caller, tenant: string): boolean {
  const { visibility } = skill;
  if (visibility === 'hidden' || (visibility === 'authenticated' && !caller.isVerified)) return false;
  return isOfTenant(skill, caller, tenant);
}

/** A request can name any tenant. That it is the caller's own, only his credentials can say. */
function isOfTenant({ tenants }: Skill, caller: Caller, tenant: string): boolean {
  return tenants === undefined || (tenants.includes(tenant) && caller.tenants?.includes(tenant) === true);
}

function unknownSkill(): A2AError {
  const description = 'expected the id of a skill on the agent card';
  return new A2AError('INVALID_PARAMS', `metadata.skillId: ${description}`, {
    violations: [{ field: 'metadata.skillId', description }],
  });
}
