import type {
  APIKeySecurityScheme,
  AuthorizationCodeOAuthFlow,
  ClientCredentialsOAuthFlow,
  HTTPAuthSecurityScheme,
  ImplicitOAuthFlow,
  MutualTlsSecurityScheme,
  OAuth2SecurityScheme,
  OpenIdConnectSecurityScheme,
  PasswordOAuthFlow,
  SecurityRequirement,
  SecurityScheme,
} from '../../model/security.ts';
import { bareRequirement, wrappedRequirement } from '../card/card-parts.ts';
import { type Codec, defaulted, expected, type Fields, isObject, object, optional, required } from '../codec.ts';
import type { Decoder } from '../decoder.ts';
import { map, string } from '../values.ts';

/** The OAuth flows of the dialects before 1.0, in the order in which a scheme with several flows is split. */
export const FLOWS = ['authorizationCode', 'clientCredentials', 'implicit', 'password'] as const;
export type Flow = (typeof FLOWS)[number];

interface TaggedFlows {
  readonly authorizationCode?: AuthorizationCodeOAuthFlow;
  readonly clientCredentials?: ClientCredentialsOAuthFlow;
  readonly implicit?: ImplicitOAuthFlow;
  readonly password?: PasswordOAuthFlow;
}

const scopes = map(string);

/** Members that are optional in 1.0 but required before are encoded as empty. */
function filled<T extends object>(codec: Codec<T>, empty: object): Codec<T> {
  return {
    decode: codec.decode,
    encode: (value) => ({ ...empty, ...(codec.encode(value) as object) }),
  };
}

const flows = object<TaggedFlows>({
  authorizationCode: optional(
    object<Omit<AuthorizationCodeOAuthFlow, 'pkceRequired'>>({
      authorizationUrl: required(string),
      tokenUrl: required(string),
      refreshUrl: defaulted(string),
      scopes: expected(scopes, () => ({})),
    }),
  ),
  clientCredentials: optional(
    object<ClientCredentialsOAuthFlow>({
      tokenUrl: required(string),
      refreshUrl: defaulted(string),
      scopes: expected(scopes, () => ({})),
    }),
  ),
  implicit: optional(
    filled(
      object<ImplicitOAuthFlow>({
        authorizationUrl: defaulted(string),
        refreshUrl: defaulted(string),
        scopes: defaulted(scopes),
      }),
      { authorizationUrl: '', scopes: {} },
    ),
  ),
  password: optional(
    filled(
      object<PasswordOAuthFlow>({
        tokenUrl: defaulted(string),
        refreshUrl: defaulted(string),
        scopes: defaulted(scopes),
      }),
      { tokenUrl: '', scopes: {} },
    ),
  ),
});

/** How one type of scheme is encoded: the value of `type`, the member of the model, and the other members. */
interface Kind {
  readonly type: string;
  readonly wrapper: string;
  decode(d: Decoder, json: unknown): readonly object[];
  encode(contents: readonly object[]): unknown;
}

function kind<T extends object>(type: string, wrapper: string, fields: Fields<T>): Kind {
  const codec = object<T>(fields, { tag: ['type', type] });
  return {
    type,
    wrapper,
    decode: (d, json) => [codec.decode(d, json)],
    encode: ([content]) => codec.encode(content as T),
  };
}

interface TaggedOAuth2 extends Omit<OAuth2SecurityScheme, 'flows'> {
  readonly flows: TaggedFlows;
}

const taggedOAuth2 = object<TaggedOAuth2>(
  {
    description: defaulted(string),
    flows: expected(flows, () => ({})),
    oauth2MetadataUrl: defaulted(string),
  },
  { tag: ['type', 'oauth2'] },
);

const oauth2: Kind = {
  type: 'oauth2',
  wrapper: 'oauth2SecurityScheme',
  decode(d, json) {
    // In a request the flows may be missing here, which is already a violation.
    const { flows: several, ...rest }: Partial<TaggedOAuth2> = taggedOAuth2.decode(d, json);
    const present = FLOWS.filter((flow) => several?.[flow] !== undefined);
    if (present.length === 0) d.warn('oauth-flow-missing', 'dropped a scheme without a supported flow', 'flows');
    return present.map((flow) => ({ ...rest, flows: { [flow]: several?.[flow] } }));
  },
  encode(contents) {
    const schemes = contents as readonly OAuth2SecurityScheme[];
    const together: TaggedFlows = Object.fromEntries(schemes.flatMap(({ flows: one }) => Object.entries(one)));
    return taggedOAuth2.encode({ ...schemes[0], flows: together });
  },
};

const KINDS: readonly Kind[] = [
  kind<APIKeySecurityScheme>('apiKey', 'apiKeySecurityScheme', {
    description: defaulted(string),
    location: required(string, { wire: 'in', aliases: ['location'] }),
    name: required(string),
  }),
  kind<HTTPAuthSecurityScheme>('http', 'httpAuthSecurityScheme', {
    description: defaulted(string),
    scheme: required(string),
    bearerFormat: defaulted(string),
  }),
  oauth2,
  kind<OpenIdConnectSecurityScheme>('openIdConnect', 'openIdConnectSecurityScheme', {
    description: defaulted(string),
    openIdConnectUrl: required(string),
  }),
  kind<MutualTlsSecurityScheme>('mutualTLS', 'mtlsSecurityScheme', {
    description: defaulted(string),
  }),
];

const TYPES = KINDS.map(({ type }) => type).join(', ');

/**
 * Decodes a scheme tagged by `type` to schemes of the model: several if it has several OAuth flows, because 1.0
 * requires one scheme per flow; none if its type is unknown. An unknown scheme may come from a newer peer and is
 * dropped with a warning. Requirements still refer to it, so the agent never appears more open than it is.
 */
export const taggedScheme: Codec<readonly SecurityScheme[]> = {
  decode(d, json) {
    if (!isObject(json)) {
      d.violate('an object');
      return [];
    }
    const tagged = KINDS.find(({ type }) => type === json['type']);
    if (tagged !== undefined) return wrap(tagged, tagged.decode(d, json));
    // The protocol definition of 0.3, for REST and gRPC, has the wrappers of 1.0 instead of the tag.
    const wrapped = json['type'] === undefined ? KINDS.find(({ wrapper }) => isObject(json[wrapper])) : undefined;
    if (wrapped !== undefined)
      return wrap(
        wrapped,
        d.at(wrapped.wrapper, () => wrapped.decode(d, json[wrapped.wrapper])),
      );
    if (d.role === 'request') d.violate(`one of ${TYPES}`, 'type');
    else d.tolerate('security-scheme-unknown', `one of ${TYPES}`, 'type');
    return [];
  },
  encode(schemes) {
    const found = KINDS.find(({ wrapper }) => schemes.some((scheme) => wrapper in scheme));
    return found?.encode(schemes.map((scheme) => (scheme as Record<string, object>)[found.wrapper] ?? {})) ?? {};
  },
};

function wrap({ wrapper }: Kind, contents: readonly object[]): readonly SecurityScheme[] {
  return contents.map((content) => ({ [wrapper]: content }) as unknown as SecurityScheme);
}

/** `{scheme: [scopes]}`. The wrapped format of the protocol definition is also decoded. */
export const securityRequirement: Codec<SecurityRequirement> = {
  decode(d, json) {
    const isWrapped = isObject(json) && isObject(json['schemes']);
    return (isWrapped ? wrappedRequirement : bareRequirement).decode(d, json);
  },
  encode: bareRequirement.encode,
};
