import type {
  AgentCapabilities,
  AgentCard,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
} from '../../../model/card.ts';
import type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  DeviceCodeOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OAuthFlows,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
  StringList,
} from '../../../model/security.ts';

/** Presence rule of a member. Only `defaulted` members are dropped if they contain the default of their type. */
type Mark = 'required' | 'optional' | 'oneof' | 'defaulted';

export type Shape =
  | { readonly kind: 'message'; readonly members: ReadonlyMap<string, Member> }
  /** The elements of a list or the entries of a map. They are never dropped; each gets its own canonical form. */
  | { readonly kind: 'each'; readonly of: Shape };

/** A member without a shape is a scalar, a list of scalars or free-form data, and stays unchanged. */
export interface Member {
  readonly mark: Mark;
  readonly shape: Shape | undefined;
}

type KeyOf<T> = T extends unknown ? keyof T : never;

/** Requires one mark for each member of the model: a missing mark is a compile error. */
type Marks<T> = Readonly<Record<KeyOf<T> & string, Mark | readonly [Mark, Shape]>>;

function message<T>(marks: Marks<T>): Shape {
  const entries = Object.entries<Mark | readonly [Mark, Shape]>(marks);
  return {
    kind: 'message',
    members: new Map(
      entries.map(([name, mark]) => {
        return [name, typeof mark === 'string' ? { mark, shape: undefined } : { mark: mark[0], shape: mark[1] }];
      }),
    ),
  };
}

/** A member of which exactly one is set. */
function oneOf<T>(marks: Marks<T>): readonly [Mark, Shape] {
  return ['oneof', message<T>(marks)];
}

const each = (of: Shape): Shape => ({ kind: 'each', of });

const requirements = each(
  message<SecurityRequirement>({ schemes: ['defaulted', each(message<StringList>({ list: 'defaulted' }))] }),
);

const flows = message<OAuthFlows>({
  authorizationCode: oneOf<AuthorizationCodeOAuthFlow>({
    authorizationUrl: 'required',
    tokenUrl: 'required',
    refreshUrl: 'defaulted',
    scopes: 'required',
    pkceRequired: 'defaulted',
  }),
  clientCredentials: oneOf<ClientCredentialsOAuthFlow>({
    tokenUrl: 'required',
    refreshUrl: 'defaulted',
    scopes: 'required',
  }),
  implicit: oneOf<ImplicitOAuthFlow>({ authorizationUrl: 'defaulted', refreshUrl: 'defaulted', scopes: 'defaulted' }),
  password: oneOf<PasswordOAuthFlow>({ tokenUrl: 'defaulted', refreshUrl: 'defaulted', scopes: 'defaulted' }),
  deviceCode: oneOf<DeviceCodeOAuthFlow>({
    deviceAuthorizationUrl: 'required',
    tokenUrl: 'required',
    refreshUrl: 'defaulted',
    scopes: 'required',
  }),
});

const scheme = message<SecurityScheme>({
  apiKeySecurityScheme: oneOf<APIKeySecurityScheme>({
    description: 'defaulted',
    location: 'required',
    name: 'required',
  }),
  httpAuthSecurityScheme: oneOf<HTTPAuthSecurityScheme>({
    description: 'defaulted',
    scheme: 'required',
    bearerFormat: 'defaulted',
  }),
  oauth2SecurityScheme: oneOf<OAuth2SecurityScheme>({
    description: 'defaulted',
    flows: ['required', flows],
    oauth2MetadataUrl: 'defaulted',
  }),
  openIdConnectSecurityScheme: oneOf<OpenIdConnectSecurityScheme>({
    description: 'defaulted',
    openIdConnectUrl: 'required',
  }),
  mtlsSecurityScheme: oneOf<MutualTlsSecurityScheme>({ description: 'defaulted' }),
});

const capabilities = message<AgentCapabilities>({
  streaming: 'optional',
  pushNotifications: 'optional',
  extensions: [
    'defaulted',
    each(
      message<AgentExtension>({
        uri: 'defaulted',
        description: 'defaulted',
        required: 'defaulted',
        params: 'optional',
      }),
    ),
  ],
  extendedAgentCard: 'optional',
});

/** The signed part of a card, without `signatures` (1.0 §8.4.1). */
export const signedCard = message<Omit<AgentCard, 'signatures'>>({
  name: 'required',
  description: 'required',
  supportedInterfaces: [
    'required',
    each(
      message<AgentInterface>({
        url: 'required',
        protocolBinding: 'required',
        tenant: 'defaulted',
        protocolVersion: 'required',
      }),
    ),
  ],
  provider: ['optional', message<AgentProvider>({ url: 'required', organization: 'required' })],
  version: 'required',
  documentationUrl: 'optional',
  capabilities: ['required', capabilities],
  securitySchemes: ['defaulted', each(scheme)],
  securityRequirements: ['defaulted', requirements],
  defaultInputModes: 'required',
  defaultOutputModes: 'required',
  skills: [
    'required',
    each(
      message<AgentSkill>({
        id: 'required',
        name: 'required',
        description: 'required',
        tags: 'required',
        examples: 'defaulted',
        inputModes: 'defaulted',
        outputModes: 'defaulted',
        securityRequirements: ['defaulted', requirements],
      }),
    ),
  ],
  iconUrl: 'optional',
});
