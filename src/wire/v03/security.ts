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
import { bareRequirement, wrappedRequirement } from '../card-parts.ts';
import { type Codec, defaulted, expected, type Fields, isObject, object, optional, required } from '../codec.ts';
import type { Reader } from '../reader.ts';
import { map, string } from '../values.ts';

/** The OAuth flows of the dialects before 1.0, in the order in which a scheme with several of them is taken apart. */
export const FLOWS = ['authorizationCode', 'clientCredentials', 'implicit', 'password'] as const;
export type Flow = (typeof FLOWS)[number];

interface TaggedFlows {
  readonly authorizationCode?: AuthorizationCodeOAuthFlow;
  readonly clientCredentials?: ClientCredentialsOAuthFlow;
  readonly implicit?: ImplicitOAuthFlow;
  readonly password?: PasswordOAuthFlow;
}

const scopes = map(string);

/** Members that 1.0 may leave out and its predecessors may not are written empty. */
function filled<T extends object>(codec: Codec<T>, empty: object): Codec<T> {
  return {
    decode: codec.decode,
    encode: (value) => ({ ...empty, ...(codec.encode(value) as object) }),
  };
}

const flows: Codec<TaggedFlows> = object<TaggedFlows>({
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

/** One way to write a scheme: the value of its `type`, the member of the model that holds it, and the rest. */
interface Kind {
  readonly type: string;
  readonly wrapper: string;
  decode(r: Reader, json: unknown): readonly object[];
  encode(contents: readonly object[]): unknown;
}

function kind<T extends object>(type: string, wrapper: string, fields: Fields<T>): Kind {
  const codec = object<T>(fields, { tag: ['type', type] });
  return {
    type,
    wrapper,
    decode: (r, json) => [codec.decode(r, json)],
    encode: ([content]) => codec.encode(content as T),
  };
}

interface TaggedOAuth2 extends Omit<OAuth2SecurityScheme, 'flows'> {
  readonly flows: TaggedFlows;
}

const taggedOAuth2: Codec<TaggedOAuth2> = object<TaggedOAuth2>(
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
  decode(r, json) {
    // In a request the flows may be missing here; that has been noted.
    const { flows: several, ...rest }: Partial<TaggedOAuth2> = taggedOAuth2.decode(r, json);
    const present = FLOWS.filter((flow) => several?.[flow] !== undefined);
    if (present.length === 0) r.warn('oauth-flow-missing', 'a scheme without a flow we know is left out', 'flows');
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
 * A scheme tagged by `type`, as the schemes of the model that it means: several if it has several OAuth flows, for 1.0
 * wants one scheme per flow; none if we cannot know what it is. Such a scheme may come from a newer peer and is left out
 * with a warning. Requirements go on naming it, so the agent never looks more open than it is.
 */
export const taggedScheme: Codec<readonly SecurityScheme[]> = {
  decode(r, json) {
    if (!isObject(json)) {
      r.violate('an object');
      return [];
    }
    const tagged = KINDS.find(({ type }) => type === json['type']);
    if (tagged !== undefined) return wrap(tagged, tagged.decode(r, json));
    // The protocol definition of 0.3, which REST and gRPC follow, has the wrappers of 1.0 instead of the tag.
    const wrapped = json['type'] === undefined ? KINDS.find(({ wrapper }) => isObject(json[wrapper])) : undefined;
    if (wrapped !== undefined)
      return wrap(
        wrapped,
        r.at(wrapped.wrapper, () => wrapped.decode(r, json[wrapped.wrapper])),
      );
    if (r.role === 'request') r.violate(`one of ${TYPES}`, 'type');
    else r.tolerate('security-scheme-unknown', `one of ${TYPES}`, 'type');
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

/** `{scheme: [scopes]}`; the wrapped form of the protocol definition is read as well. */
export const securityRequirement: Codec<SecurityRequirement> = {
  decode(r, json) {
    const isWrapped = isObject(json) && isObject(json['schemes']);
    return (isWrapped ? wrappedRequirement : bareRequirement).decode(r, json);
  },
  encode: bareRequirement.encode,
};
