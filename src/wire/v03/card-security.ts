import { A2AError } from '../../errors.ts';
import type { AgentCard, AgentSkill } from '../../model/card.ts';
import type { SecurityScheme } from '../../model/security.ts';
import { defined } from '../../support/defined.ts';
import type { Decoder } from '../decoder.ts';
import { flowOf, mergeFlows, type Requirements, type SchemeGroups, type Schemes, splitFlows } from './oauth-flows.ts';

/** The security features that a dialect before 1.0 can represent. */
export interface SecurityFeatures {
  readonly version: string;
  readonly mutualTls: boolean;
  readonly oauth2MetadataUrl: boolean;
  readonly skillSecurity: boolean;
}

/** The members of a card that concern security, in the model. */
type Secured = Pick<AgentCard, 'securitySchemes' | 'securityRequirements' | 'skills'>;

/** The same members with the schemes in the format before 1.0. */
export interface TaggedSecured extends Omit<Secured, 'securitySchemes'> {
  readonly securitySchemes?: SchemeGroups;
}

export function fromTagged(d: Decoder, { securitySchemes = {}, securityRequirements, skills }: TaggedSecured): Secured {
  const { schemes, expand } = splitFlows(securitySchemes);
  return defined({
    securitySchemes: Object.keys(schemes).length === 0 ? undefined : schemes,
    securityRequirements: securityRequirements && d.at('security', () => expand(d, securityRequirements)),
    skills: d.at('skills', () => skills.map((skill, i) => d.at(i, () => expandSkill(skill)))),
  });

  function expandSkill(skill: AgentSkill): AgentSkill {
    const { securityRequirements: own } = skill;
    return own === undefined ? skill : { ...skill, securityRequirements: d.at('security', () => expand(d, own)) };
  }
}

/**
 * Drops the schemes that the dialect cannot represent, and every alternative that needs one. Dropping an alternative
 * removes one way to authenticate; dropping only the scheme would make the alternative too permissive. If no
 * alternative is left:
 * - the card is rejected, because an empty list of alternatives means that no credentials are needed;
 * - a skill is dropped, because in 0.3 a skill without requirements is open to every caller of the agent. In 0.2 and
 *   0.1 skills have no requirements, so the skill stays.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION`
 */
export function toTagged(
  { securitySchemes = {}, securityRequirements = [], skills }: Secured,
  features: SecurityFeatures,
): TaggedSecured {
  const known = (name: string): boolean => {
    const scheme = Object.hasOwn(securitySchemes, name) ? securitySchemes[name] : undefined;
    return scheme === undefined || isExpressible(scheme, features);
  };
  const expressible = (requirements: Requirements): Requirements =>
    requirements.filter(({ schemes }) => Object.keys(schemes).every(known));

  const own = expressible(securityRequirements);
  if (own.length === 0 && securityRequirements.length > 0)
    throw noAlternativeLeft(features.version, securityRequirements, known);

  const shown = skills.flatMap(({ securityRequirements: asked = [], ...skill }) => {
    const left = features.skillSecurity ? expressible(asked) : [];
    return features.skillSecurity && left.length === 0 && asked.length > 0 ? [] : [{ skill, left }];
  });
  const { groups, lists } = mergeFlows(expressibleSchemes(securitySchemes, features), [
    own,
    ...shown.map(({ left }) => left),
  ]);
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

function isExpressible(scheme: SecurityScheme, features: SecurityFeatures): boolean {
  if ('oauth2SecurityScheme' in scheme) return flowOf(scheme) !== undefined;
  return features.mutualTls || !('mtlsSecurityScheme' in scheme);
}

function expressibleSchemes(schemes: Schemes, features: SecurityFeatures): Schemes {
  const expressible = Object.entries(schemes).filter(([, scheme]) => isExpressible(scheme, features));
  return Object.fromEntries(
    features.oauth2MetadataUrl ? expressible : expressible.map(([name, scheme]) => [name, withoutMetadataUrl(scheme)]),
  );
}

function withoutMetadataUrl(scheme: SecurityScheme): SecurityScheme {
  if (!('oauth2SecurityScheme' in scheme)) return scheme;
  const { oauth2MetadataUrl: _, ...rest } = scheme.oauth2SecurityScheme;
  return { oauth2SecurityScheme: rest };
}

function noAlternativeLeft(version: string, requirements: Requirements, known: (name: string) => boolean): A2AError {
  const names = [...new Set(requirements.flatMap(({ schemes }) => Object.keys(schemes)))].filter(
    (name) => !known(name),
  );
  return new A2AError(
    'UNSUPPORTED_OPERATION',
    `A2A ${version} cannot describe the security scheme ${names.join(', ')}, and each security requirement of the agent ` +
      `needs it: add a requirement with another scheme, or remove the interface of version ${version}`,
    { details: { version, schemes: names.join(',') } },
  );
}
