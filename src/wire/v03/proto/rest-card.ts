import type { AgentCard } from '../../../model/card.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { SecurityRequirement, SecurityScheme } from '../../../model/security.ts';
import { defined } from '../../../support/defined.ts';
import { bareRequirement } from '../../card/card-parts.ts';
import type { Codec } from '../../codec.ts';
import type { Dialect } from '../../dialect.ts';
import { taggedScheme } from '../security.ts';
import { card } from './card.ts';

/**
 * The extended card at `GET /v1/card`. By the protocol definition its security would have the 1.0 format, but the
 * Python and Go SDKs decode the format of the JSON schema there, as for the public card. So schemes have both formats
 * side by side. Requirements cannot have both: they have the format of the schema, and clients of the other format find
 * no schemes in them.
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

/** The REST dialect of a server. */
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
