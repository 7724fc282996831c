/** Scope name → what it allows. */
export type Scopes = Readonly<Record<string, string>>;

export interface AuthorizationCodeOAuthFlow {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly refreshUrl?: string;
  readonly scopes: Scopes;
  readonly pkceRequired?: boolean;
}

export interface ClientCredentialsOAuthFlow {
  readonly tokenUrl: string;
  readonly refreshUrl?: string;
  readonly scopes: Scopes;
}

/** Deprecated by the protocol, still readable. */
export interface ImplicitOAuthFlow {
  readonly authorizationUrl?: string;
  readonly refreshUrl?: string;
  readonly scopes?: Scopes;
}

/** Deprecated by the protocol, still readable. */
export interface PasswordOAuthFlow {
  readonly tokenUrl?: string;
  readonly refreshUrl?: string;
  readonly scopes?: Scopes;
}

export interface DeviceCodeOAuthFlow {
  readonly deviceAuthorizationUrl: string;
  readonly tokenUrl: string;
  readonly refreshUrl?: string;
  readonly scopes: Scopes;
}

/** Exactly one member is present: 1.0 wants one scheme per flow. */
export type OAuthFlows =
  | { readonly authorizationCode: AuthorizationCodeOAuthFlow }
  | { readonly clientCredentials: ClientCredentialsOAuthFlow }
  | { readonly implicit: ImplicitOAuthFlow }
  | { readonly password: PasswordOAuthFlow }
  | { readonly deviceCode: DeviceCodeOAuthFlow };

export interface APIKeySecurityScheme {
  readonly description?: string;
  /** `query`, `header` or `cookie`. */
  readonly location: string;
  readonly name: string;
}

export interface HTTPAuthSecurityScheme {
  readonly description?: string;
  readonly scheme: string;
  readonly bearerFormat?: string;
}

export interface OAuth2SecurityScheme {
  readonly description?: string;
  readonly flows: OAuthFlows;
  readonly oauth2MetadataUrl?: string;
}

export interface OpenIdConnectSecurityScheme {
  readonly description?: string;
  readonly openIdConnectUrl: string;
}

export interface MutualTlsSecurityScheme {
  readonly description?: string;
}

/** Exactly one member is present (1.0 §4.5.1). */
export type SecurityScheme =
  | { readonly apiKeySecurityScheme: APIKeySecurityScheme }
  | { readonly httpAuthSecurityScheme: HTTPAuthSecurityScheme }
  | { readonly oauth2SecurityScheme: OAuth2SecurityScheme }
  | { readonly openIdConnectSecurityScheme: OpenIdConnectSecurityScheme }
  | { readonly mtlsSecurityScheme: MutualTlsSecurityScheme };

export interface StringList {
  readonly list?: readonly string[];
}

/** All named schemes together; a list of requirements means any one of them. */
export interface SecurityRequirement {
  readonly schemes: Readonly<Record<string, StringList>>;
}
