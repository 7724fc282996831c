import type { JsonObject } from '../../model/json.ts';
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
} from '../../model/security.ts';
import { bareRequirement, wrappedRequirement } from '../card/card-parts.ts';
import { type Codec, defaulted, expected, isObject, objectAsReceived, required } from '../codec.ts';
import { boolean, map, oneOf, string } from '../values.ts';

const scopes = map(string);

const oauthFlows: Codec<OAuthFlows> = oneOf<OAuthFlows>({
  authorizationCode: objectAsReceived<AuthorizationCodeOAuthFlow>({
    authorizationUrl: required(string),
    tokenUrl: required(string),
    refreshUrl: defaulted(string),
    scopes: expected(scopes, () => ({})),
    pkceRequired: defaulted(boolean),
  }),
  clientCredentials: objectAsReceived<ClientCredentialsOAuthFlow>({
    tokenUrl: required(string),
    refreshUrl: defaulted(string),
    scopes: expected(scopes, () => ({})),
  }),
  implicit: objectAsReceived<ImplicitOAuthFlow>({
    authorizationUrl: defaulted(string),
    refreshUrl: defaulted(string),
    scopes: defaulted(scopes),
  }),
  password: objectAsReceived<PasswordOAuthFlow>({
    tokenUrl: defaulted(string),
    refreshUrl: defaulted(string),
    scopes: defaulted(scopes),
  }),
  deviceCode: objectAsReceived<DeviceCodeOAuthFlow>({
    deviceAuthorizationUrl: required(string),
    tokenUrl: required(string),
    refreshUrl: defaulted(string),
    scopes: expected(scopes, () => ({})),
  }),
});

const KINDS = {
  apiKeySecurityScheme: objectAsReceived<APIKeySecurityScheme>({
    description: defaulted(string),
    location: required(string),
    name: required(string),
  }),
  httpAuthSecurityScheme: objectAsReceived<HTTPAuthSecurityScheme>({
    description: defaulted(string),
    scheme: required(string),
    bearerFormat: defaulted(string),
  }),
  oauth2SecurityScheme: objectAsReceived<OAuth2SecurityScheme>({
    description: defaulted(string),
    flows: required(oauthFlows),
    oauth2MetadataUrl: defaulted(string),
  }),
  openIdConnectSecurityScheme: objectAsReceived<OpenIdConnectSecurityScheme>({
    description: defaulted(string),
    openIdConnectUrl: required(string),
  }),
  mtlsSecurityScheme: objectAsReceived<MutualTlsSecurityScheme>({ description: defaulted(string) }),
};

const securityScheme: Codec<SecurityScheme> = oneOf<SecurityScheme>(KINDS);

/** A scheme of an unknown type may come from a newer peer. It is dropped, but requirements still refer to it. */
export const securitySchemes: Codec<Readonly<Record<string, SecurityScheme>>> = {
  decode(d, json) {
    if (!isObject(json) || d.role === 'request') return schemeMap.decode(d, json);
    const known = Object.entries(json).filter(([name, scheme]) => {
      if (!isObject(scheme) || hasKnownKind(scheme)) return true;
      d.tolerate('security-scheme-unknown', 'a scheme type that A2A 1.0 defines', name);
      return false;
    });
    return schemeMap.decode(d, Object.fromEntries(known));
  },
  encode: (value) => value,
};

const schemeMap = map(securityScheme);

function hasKnownKind(scheme: JsonObject): boolean {
  return Object.keys(KINDS).some((kind) => isObject(scheme[kind]));
}

/** The sample card of 1.0 still has the 0.3 format, so it is decoded but never encoded. */
export const securityRequirement: Codec<SecurityRequirement> = {
  decode(d, json) {
    if (!isObject(json) || isObject(json['schemes'])) return wrappedRequirement.decode(d, json);
    // An empty map may be omitted: no scheme is required.
    if (Object.keys(json).length > 0) d.tolerate('security-requirement-bare', 'the member schemes');
    return bareRequirement.decode(d, json);
  },
  encode: (value) => value,
};
