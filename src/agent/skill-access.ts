import type { Caller } from '../engine/handler.ts';
import { A2AError, invalidField } from '../errors.ts';
import type { AgentExtension, AgentSkill } from '../model/card.ts';
import { skillExtension, type SkillSchemas } from '../model/skills.ts';
import { lacksScope, requireScopes } from './scopes.ts';

/** Which cards list a skill. `hidden` skills are on no card, and callers cannot specify them; only the handler can check them. */
export type SkillVisibility = 'public' | 'authenticated' | 'hidden';

/** A skill, and the callers that can use it. */
export interface Skill {
  /** The skill as cards list it. */
  readonly card: AgentSkill;
  /** Which cards list the skill. */
  readonly visibility: SkillVisibility;
  /** The scopes that a caller needs; if empty, those of the agent. */
  readonly scopes: readonly string[];
  /** The tenants that have the skill; undefined for all. */
  readonly tenants: readonly string[] | undefined;
  /** The JSON Schemas of a typed skill. */
  readonly schemas?: SkillSchemas | undefined;
}

export function openSkill(card: AgentSkill): Skill {
  return { card, visibility: 'public', scopes: [], tenants: undefined };
}

function isRestricted({ visibility, scopes, tenants }: Skill): boolean {
  return visibility !== 'public' || scopes.length > 0 || tenants !== undefined;
}

/** Whether it makes a difference that a message specifies this skill. */
export function mattersByName(skill: Skill): boolean {
  const { card, schemas } = skill;
  return isRestricted(skill) || [card.inputModes, card.outputModes, schemas].some((own) => own !== undefined);
}

export function publicSkills(skills: readonly Skill[]): readonly Skill[] {
  return skills.filter(({ visibility, tenants }) => visibility === 'public' && tenants === undefined);
}

/** The extension with which messages name their skill, as a card that lists these skills declares it. */
export function skillExtensionFor(skills: readonly Skill[]): AgentExtension {
  return skillExtension(
    Object.fromEntries(skills.flatMap(({ card: { id }, schemas }) => (schemas === undefined ? [] : [[id, schemas]]))),
  );
}

/** Decides which callers can use the agent, and which of its skills. */
export class SkillAccess {
  readonly #skills: ReadonlyMap<string, Skill>;
  readonly #scopes: readonly string[];

  /** @param scopes The scopes for messages without a skill, and for skills without their own scopes. */
  constructor(skills: readonly Skill[], scopes: readonly string[]) {
    this.#skills = new Map(skills.map((skill) => [skill.card.id, skill]));
    this.#scopes = scopes;
  }

  /**
   * Checks a message that specifies a skill, or none.
   *
   * @throws A2AError `INVALID_PARAMS` for a skill that is not visible to the caller, whether it exists or not, and
   * `PERMISSION_DENIED` for a visible skill whose scopes the caller lacks.
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
   * Checks a skill that the handler has chosen, which may be a hidden one.
   *
   * @throws A2AError `PERMISSION_DENIED` if the caller is not allowed to use the skill.
   * @throws TypeError if the agent does not have the skill.
   */
  require(caller: Caller, tenant: string, skillId: string): void {
    const skill = this.#skills.get(skillId);
    if (skill === undefined) throw new TypeError(`The agent has no skill ${JSON.stringify(skillId)}`);
    if (skill.visibility === 'authenticated' && !caller.isVerified) {
      throw new A2AError('PERMISSION_DENIED', 'This skill requires authentication');
    }
    if (!isOfTenant(skill, caller, tenant))
      throw new A2AError('PERMISSION_DENIED', 'This skill is not available to this tenant');
    requireScopes(caller, this.#scopesOf(skill));
  }

  /** The skills that a caller can use in a tenant, for the extended card. */
  usable(skills: readonly Skill[], caller: Caller, tenant: string): readonly Skill[] {
    return skills.filter(
      (skill) => isKnownTo(skill, caller, tenant) && lacksScope(caller, this.#scopesOf(skill)) === undefined,
    );
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

/** The tenant of the request is not trusted: the credentials of the caller must name it, too. */
function isOfTenant({ tenants }: Skill, caller: Caller, tenant: string): boolean {
  return tenants === undefined || (tenants.includes(tenant) && caller.tenants?.includes(tenant) === true);
}

function unknownSkill(): A2AError {
  return invalidField('metadata.skillId', 'expected the id of a skill on the agent card');
}
