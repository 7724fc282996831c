import type { AgentCard, AgentSkill } from '../../../model/card.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { SecurityRequirement, SecurityScheme } from '../../../model/security.ts';
import { defined } from '../../../support/defined.ts';
import type { Codec } from '../../codec.ts';
import { Decoder } from '../../decoder.ts';
import { card as taggedCard } from '../card.ts';
import { fromTagged, type SecurityFeatures, toTagged } from '../card-security.ts';

const FEATURES: SecurityFeatures = { version: '0.3', mutualTls: true, oauth2MetadataUrl: true, skillSecurity: true };

/**
 * The 0.3 card with security in the 1.0 format: schemes under the member that identifies their type, one flow each, and
 * requirements with `schemes`. Decoding accepts both formats of security, in both styles.
 *
 * @throws A2AError `UNSUPPORTED_OPERATION` on encoding a card that 0.3 cannot represent, as the tagged format does.
 */
export const card: Codec<AgentCard> = {
  decode: taggedCard.decode,
  encode(value) {
    const { securitySchemes, securityRequirements, skills } = withExpressibleSecurity(value);
    const { securitySchemes: _, securityRequirements: __, ...open } = value;
    const written = taggedCard.encode({ ...open, skills: skills.map(withoutSecurity) }) as WrittenCard;
    // A capability that the protocol definition does not have.
    const { stateTransitionHistory: ___, ...capabilities } = written.capabilities;
    return defined({
      ...written,
      capabilities,
      securitySchemes: securitySchemes && mapValues(securitySchemes, withoutPkce),
      security: unlessEmpty(securityRequirements),
      skills: written.skills.map((skill, i) =>
        defined({ ...skill, security: unlessEmpty(skills[i]?.securityRequirements) }),
      ),
    });
  },
};

interface WrittenCard {
  readonly capabilities: JsonObject;
  readonly skills: readonly JsonObject[];
}

/**
 * Only the security that 0.3 can represent. The tagged format joins the flows of one scheme, which the protocol
 * definition cannot, so they are split again.
 */
function withExpressibleSecurity(
  value: AgentCard,
): Pick<AgentCard, 'securitySchemes' | 'securityRequirements' | 'skills'> {
  const unlimited = new Decoder('response', { limits: { maxItems: Number.POSITIVE_INFINITY } });
  return fromTagged(unlimited, toTagged(value, FEATURES));
}

function withoutSecurity({ securityRequirements: _, ...skill }: AgentSkill): AgentSkill {
  return skill;
}

function withoutPkce(scheme: SecurityScheme): SecurityScheme {
  if (!('oauth2SecurityScheme' in scheme)) return scheme;
  const { flows, ...rest } = scheme.oauth2SecurityScheme;
  if (!('authorizationCode' in flows)) return scheme;
  const { pkceRequired: _, ...authorizationCode } = flows.authorizationCode;
  return { oauth2SecurityScheme: { ...rest, flows: { authorizationCode } } };
}

function mapValues<T>(object: Readonly<Record<string, T>>, change: (value: T) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function unlessEmpty(
  requirements: readonly SecurityRequirement[] | undefined,
): readonly SecurityRequirement[] | undefined {
  return requirements?.length === 0 ? undefined : requirements;
}
