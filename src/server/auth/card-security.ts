import type { AgentCard } from '../../model/card.ts';
import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import type { Authenticator } from './authenticator.ts';

/** What a card says of who may call: each authenticator is enough, so each is an alternative. */
export function cardSecurity(
  authenticators: readonly Authenticator[],
  requiredScopes: readonly string[],
): Pick<AgentCard, 'securitySchemes' | 'securityRequirements'> {
  const schemes: Record<string, SecurityScheme> = {};
  const requirements: SecurityRequirement[] = [];
  for (const [wanted, scheme] of authenticators.flatMap((each) => Object.entries(each.schemes))) {
    // Two ways in that look alike from outside, such as fixed tokens and a function, are one to readers.
    if (Object.values(schemes).some((other) => JSON.stringify(other) === JSON.stringify(scheme))) continue;
    const name = freeName(wanted, schemes);
    schemes[name] = scheme;
    const list = 'openIdConnectSecurityScheme' in scheme || 'oauth2SecurityScheme' in scheme ? requiredScopes : [];
    requirements.push({ schemes: { [name]: { list } } });
  }
  return requirements.length === 0 ? {} : { securitySchemes: schemes, securityRequirements: requirements };
}

function freeName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  let name = wanted;
  for (let i = 2; Object.hasOwn(taken, name); i++) name = `${wanted}${i}`;
  return name;
}
