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
import { bareRequirement, wrappedRequirement } from '../card-parts.ts';
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

/** A scheme of a kind that we do not know may come from a newer peer; requirements go on naming it. */
export const securitySchemes: Codec<Readonly<Record<string, SecurityScheme>>> = {
  decode(r, json) {
    if (!isObject(json) || r.role === 'request') return schemeMap.decode(r, json);
    const known = Object.entries(json).filter(([name, scheme]) => {
      if (!isObject(scheme) || hasKnownKind(scheme)) return true;
      r.tolerate('security-scheme-unknown', 'a kind of scheme that 1.0 has', name);
      return false;
    });
    return schemeMap.decode(r, Object.fromEntries(known));
  },
  encode: (value) => value,
};

const schemeMap = map(securityScheme);

function hasKnownKind(scheme: JsonObject): boolean {
  return Object.keys(KINDS).some((kind) => isObject(scheme[kind]));
}

/** The sample card of 1.0 still prints the form of 0.3; it is read, never written. */
export const securityRequirement: Codec<SecurityRequirement> = {
  decode(r, json) {
    if (!isObject(json) || isObject(json['schemes'])) return wrappedRequirement.decode(r, json);
    // A map that is empty may be left out: nothing is asked for.
    if (Object.keys(json).length > 0) r.tolerate('security-requirement-bare', 'the member schemes');
    return bareRequirement.decode(r, json);
  },
  encode: (value) => value,
};
