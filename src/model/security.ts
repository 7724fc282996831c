/** The scopes of an OAuth flow: name → description. */
export type Scopes = Readonly<Record<string, string>>;

/** OAuth 2.0 authorization code flow. */
export interface AuthorizationCodeOAuthFlow {
  /** URL of the authorization endpoint. */
  readonly authorizationUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL to refresh tokens at. Default: the token endpoint. */
  readonly refreshUrl?: string;
  /** Available scopes. */
  readonly scopes: Scopes;
  /** Whether clients must use PKCE. Default: false. */
  readonly pkceRequired?: boolean;
}

/** OAuth 2.0 client credentials flow. */
export interface ClientCredentialsOAuthFlow {
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL to refresh tokens at. Default: the token endpoint. */
  readonly refreshUrl?: string;
  /** Available scopes. */
  readonly scopes: Scopes;
}

/** An OAuth 2.0 flow that the protocol has deprecated. Tandem still reads it. */
export interface ImplicitOAuthFlow {
  /** URL of the authorization endpoint. */
  readonly authorizationUrl?: string;
  /** URL to refresh tokens at. */
  readonly refreshUrl?: string;
  /** Available scopes. */
  readonly scopes?: Scopes;
}

/** An OAuth 2.0 flow that the protocol has deprecated. Tandem still reads it. */
export interface PasswordOAuthFlow {
  /** URL of the token endpoint. */
  readonly tokenUrl?: string;
  /** URL to refresh tokens at. Default: the token endpoint. */
  readonly refreshUrl?: string;
  /** Available scopes. */
  readonly scopes?: Scopes;
}

/** OAuth 2.0 device authorization flow (RFC 8628). */
export interface DeviceCodeOAuthFlow {
  /** URL of the device authorization endpoint. */
  readonly deviceAuthorizationUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** URL to refresh tokens at. Default: the token endpoint. */
  readonly refreshUrl?: string;
  /** Available scopes. */
  readonly scopes: Scopes;
}

/** The flow of an OAuth scheme. Exactly one member is present: 1.0 requires one scheme per flow. */
export type OAuthFlows =
  | {
      /** Authorization code flow. */
      readonly authorizationCode: AuthorizationCodeOAuthFlow;
    }
  | {
      /** Client credentials flow. */
      readonly clientCredentials: ClientCredentialsOAuthFlow;
    }
  | {
      /** Implicit flow. Deprecated. */
      readonly implicit: ImplicitOAuthFlow;
    }
  | {
      /** Password flow. Deprecated. */
      readonly password: PasswordOAuthFlow;
    }
  | {
      /** Device authorization flow. */
      readonly deviceCode: DeviceCodeOAuthFlow;
    };

/** An API key in a query parameter, header or cookie. */
export interface APIKeySecurityScheme {
  /** Human-readable description. */
  readonly description?: string;
  /** Where the key is sent: `query`, `header` or `cookie`. */
  readonly location: string;
  /** Name of the query parameter, header or cookie. */
  readonly name: string;
}

/** An HTTP authentication scheme (RFC 9110). */
export interface HTTPAuthSecurityScheme {
  /** Human-readable description. */
  readonly description?: string;
  /** Name of the scheme, for example `Bearer`. */
  readonly scheme: string;
  /** Format of the bearer token, for example `JWT`. A hint for people. */
  readonly bearerFormat?: string;
}

/** OAuth 2.0. */
export interface OAuth2SecurityScheme {
  /** Human-readable description. */
  readonly description?: string;
  /** The flow of this scheme. */
  readonly flows: OAuthFlows;
  /** URL of the authorization server metadata (RFC 8414). */
  readonly oauth2MetadataUrl?: string;
}

/** OpenID Connect. */
export interface OpenIdConnectSecurityScheme {
  /** Human-readable description. */
  readonly description?: string;
  /** URL of the OpenID Connect discovery document. */
  readonly openIdConnectUrl: string;
}

/** Mutual TLS: the client authenticates with a certificate. */
export interface MutualTlsSecurityScheme {
  /** Human-readable description. */
  readonly description?: string;
}

/** A way to authenticate (1.0 §4.5.1). Exactly one member is present. */
export type SecurityScheme =
  | {
      /** API key. */
      readonly apiKeySecurityScheme: APIKeySecurityScheme;
    }
  | {
      /** HTTP authentication, such as a bearer token. */
      readonly httpAuthSecurityScheme: HTTPAuthSecurityScheme;
    }
  | {
      /** OAuth 2.0. */
      readonly oauth2SecurityScheme: OAuth2SecurityScheme;
    }
  | {
      /** OpenID Connect. */
      readonly openIdConnectSecurityScheme: OpenIdConnectSecurityScheme;
    }
  | {
      /** Mutual TLS. */
      readonly mtlsSecurityScheme: MutualTlsSecurityScheme;
    };

/** A list of strings, such as the scopes of a requirement. */
export interface StringList {
  /** The strings. Absent: none. */
  readonly list?: readonly string[];
}

/** A set of schemes that must all be satisfied. In a list of requirements, any one is sufficient. */
export interface SecurityRequirement {
  /** Required scopes by the name of the scheme. */
  readonly schemes: Readonly<Record<string, StringList>>;
}
