import type { AgentCard } from '../../../model/card.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { SecurityRequirement, SecurityScheme } from '../../../model/security.ts';
import { defined } from '../../../support/defined.ts';
import { bareRequirement } from '../../card-parts.ts';
import type { Codec } from '../../codec.ts';
import type { Dialect } from '../../dialect.ts';
import { taggedScheme } from '../security.ts';
import { card } from './card.ts';

/**
 * The extended card as `GET /v1/card` returns it. By the protocol definition its security would have the form of 1.0, but the SDKs of
 * Python and Go read the form of the JSON schema there, as on the public card. So schemes have both forms side by side. Requirements
 * cannot have both: they have the form of the schema, and readers of the other form find no scheme named in them.
 */
const restCard: Codec<AgentCard> = {
  decode: card.decode,
  encode(value) {
    const { securitySchemes, security, skills, ...written } = card.encode(value) as WrittenCard;
    return defined({
      ...written,
      securitySchemes:
        securitySchemes &&
        Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, bothForms(scheme)])),
      security: security?.map(bareRequirement.encode),
      skills: skills.map((skill) => defined({ ...skill, security: skill.security?.map(bareRequirement.encode) })),
    });
  },
};

interface WrittenCard {
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  readonly security?: readonly SecurityRequirement[];
  readonly skills: readonly { readonly security?: readonly SecurityRequirement[] }[];
}

function bothForms(scheme: SecurityScheme): JsonObject {
  return { ...(taggedScheme.encode([scheme]) as JsonObject), ...(scheme as unknown as JsonObject) };
}

/** The dialect as a server answers in it over REST. */
export function withRestCard(dialect: Dialect): Dialect {
  const { GetExtendedAgentCard } = dialect.operations;
  return {
    ...dialect,
    operations: {
      ...dialect.operations,
      ...(GetExtendedAgentCard && { GetExtendedAgentCard: { ...GetExtendedAgentCard, result: restCard } }),
    },
  };
}
