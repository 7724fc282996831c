import { A2AError } from '../../errors.ts';
import type { AgentCard, AgentSkill } from '../../model/card.ts';
import type { SecurityScheme } from '../../model/security.ts';
import { defined } from '../../support/defined.ts';
import type { Reader } from '../reader.ts';
import { flowOf, mergeFlows, type Requirements, type SchemeGroups, type Schemes, splitFlows } from './oauth-flows.ts';

/** What a dialect before 1.0 can say of security. */
export interface SecurityWords {
  readonly version: string;
  readonly mutualTls: boolean;
  readonly oauth2MetadataUrl: boolean;
  readonly skillSecurity: boolean;
}

/** The members of a card that security touches, as the model has them. */
type Secured = Pick<AgentCard, 'securitySchemes' | 'securityRequirements' | 'skills'>;

/** The same members with the schemes as they are written before 1.0. */
export interface TaggedSecured extends Omit<Secured, 'securitySchemes'> {
  readonly securitySchemes?: SchemeGroups;
}

export function fromTagged(r: Reader, { securitySchemes = {}, securityRequirements, skills }: TaggedSecured): Secured {
  const { schemes, expand } = splitFlows(securitySchemes);
  return defined({
    securitySchemes: Object.keys(schemes).length === 0 ? undefined : schemes,
    securityRequirements: securityRequirements && r.at('security', () => expand(r, securityRequirements)),
    skills: r.at('skills', () => skills.map((skill, i) => r.at(i, () => expandSkill(skill)))),
  });

  function expandSkill(skill: AgentSkill): AgentSkill {
    const { securityRequirements: own } = skill;
    return own === undefined ? skill : { ...skill, securityRequirements: r.at('security', () => expand(r, own)) };
  }
}

/**
 * Leaves out the schemes that the dialect has no words for, and with them every alternative that needs one. An
 * alternative less is a way in less; to leave only the scheme out would open the door it belongs to. If no alternative
 * is left:
 * - the card is refused, for a list without alternatives means that everybody may come in;
 * - a skill is left out, for in 0.3 a skill that asks for nothing is open to every caller of the agent. 0.2 and 0.1 have
 *   no requirements of skills at all; there a skill says nothing of them, and stays.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION`
 */
export function toTagged(
  { securitySchemes = {}, securityRequirements = [], skills }: Secured,
  words: SecurityWords,
): TaggedSecured {
  const known = (name: string): boolean => {
    const scheme = Object.hasOwn(securitySchemes, name) ? securitySchemes[name] : undefined;
    return scheme === undefined || isSayable(scheme, words);
  };
  const sayable = (requirements: Requirements): Requirements =>
    requirements.filter(({ schemes }) => Object.keys(schemes).every(known));

  const own = sayable(securityRequirements);
  if (own.length === 0 && securityRequirements.length > 0)
    throw nothingLeft(words.version, securityRequirements, known);

  const shown = skills.flatMap(({ securityRequirements: asked = [], ...skill }) => {
    const left = words.skillSecurity ? sayable(asked) : [];
    return words.skillSecurity && left.length === 0 && asked.length > 0 ? [] : [{ skill, left }];
  });
  const { groups, lists } = mergeFlows(sayableSchemes(securitySchemes, words), [own, ...shown.map(({ left }) => left)]);
  const [security = [], ...skillSecurity] = lists;
  return {
    securitySchemes: groups,
    securityRequirements: security,
    skills: shown.map(({ skill }, i) => ({
      ...skill,
      securityRequirements: skillSecurity[i] ?? [],
    })),
  };
}

function isSayable(scheme: SecurityScheme, words: SecurityWords): boolean {
  if ('oauth2SecurityScheme' in scheme) return flowOf(scheme) !== undefined;
  return words.mutualTls || !('mtlsSecurityScheme' in scheme);
}

function sayableSchemes(schemes: Schemes, words: SecurityWords): Schemes {
  const sayable = Object.entries(schemes).filter(([, scheme]) => isSayable(scheme, words));
  return Object.fromEntries(
    words.oauth2MetadataUrl ? sayable : sayable.map(([name, scheme]) => [name, withoutMetadataUrl(scheme)]),
  );
}

function withoutMetadataUrl(scheme: SecurityScheme): SecurityScheme {
  if (!('oauth2SecurityScheme' in scheme)) return scheme;
  const { oauth2MetadataUrl: _, ...rest } = scheme.oauth2SecurityScheme;
  return { oauth2SecurityScheme: rest };
}

function nothingLeft(version: string, requirements: Requirements, known: (name: string) => boolean): A2AError {
  const names = [...new Set(requirements.flatMap(({ schemes }) => Object.keys(schemes)))].filter(
    (name) => !known(name),
  );
  return new A2AError(
    'UNSUPPORTED_OPERATION',
    `A2A ${version} has no words for the security scheme ${names.join(', ')}, and each security requirement of the agent ` +
      `needs it: add a requirement with another scheme, or offer no interface of version ${version}`,
    { details: { version, schemes: names.join(',') } },
  );
}
