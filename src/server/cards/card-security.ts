import type { AgentCard } from '../../model/card.ts';
import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import type { ProfileName } from '../../wire/offer.ts';
import type { Authenticator } from '../../host/auth/authenticator.ts';

/** The names that clients of a profile expect for bearer schemes: fixed tokens and JWTs. */
const PROFILE_SCHEMES: Readonly<Partial<Record<ProfileName, { readonly token: string; readonly jwt: string }>>> = {
  rxjs: { token: 'bearer', jwt: 'bearer' },
  'agent-native': { token: 'apiKey', jwt: 'jwtBearer' },
};

export interface CardSecurityOptions {
  readonly auth?: readonly Authenticator[] | undefined;
  readonly requiredScopes?: readonly string[] | undefined;
  /** The profile that the card belongs to. Its schemes have the names that clients of the profile expect. */
  readonly profile?: ProfileName | undefined;
  /** The mounted profiles. Each scheme is also listed under their names. */
  readonly profiles?: readonly ProfileName[] | undefined;
}

/** The security members of a card. Each authenticator is sufficient, so each is an alternative. */
export function cardSecurity(
  options: CardSecurityOptions,
): Pick<AgentCard, 'securitySchemes' | 'securityRequirements'> {
  const { auth = [], requiredScopes = [], profile, profiles = [] } = options;
  const schemes: Record<string, SecurityScheme> = {};
  for (const [wanted, scheme] of auth.flatMap((each) => Object.entries(each.schemes))) {
    // Authenticators with equal schemes, such as fixed tokens and a function, are one to clients.
    if (Object.values(schemes).some((other) => JSON.stringify(other) === JSON.stringify(scheme))) continue;
    schemes[freeName(nameFor(profile, scheme) ?? wanted, schemes)] = scheme;
  }
  // Aliases are added last, so that an alias never takes the name of another scheme.
  for (const scheme of Object.values(schemes)) {
    for (const name of profiles.map((each) => nameFor(each, scheme))) {
      if (name !== undefined && !Object.hasOwn(schemes, name)) schemes[name] = scheme;
    }
  }
  const requirements = Object.entries(schemes).map(([name, scheme]): SecurityRequirement => {
    const list = 'openIdConnectSecurityScheme' in scheme || 'oauth2SecurityScheme' in scheme ? requiredScopes : [];
    return { schemes: { [name]: { list } } };
  });
  return requirements.length === 0 ? {} : { securitySchemes: schemes, securityRequirements: requirements };
}

function nameFor(profile: ProfileName | undefined, scheme: SecurityScheme): string | undefined {
  if (profile === undefined || !('httpAuthSecurityScheme' in scheme)) return undefined;
  const { scheme: word, bearerFormat } = scheme.httpAuthSecurityScheme;
  if (word.toLowerCase() !== 'bearer') return undefined;
  return PROFILE_SCHEMES[profile]?.[bearerFormat === 'JWT' ? 'jwt' : 'token'];
}

function freeName(wanted: string, taken: Readonly<Record<string, unknown>>): string {
  let name = wanted;
  for (let i = 2; Object.hasOwn(taken, name); i++) name = `${wanted}${i}`;
  return name;
}
