import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { bearer, type BuiltInStrategy } from './strategy.ts';
import { requestToken, type TokenRequest, type TokenTools } from './token-endpoint.ts';
import { TokenCache } from './token-cache.ts';
import { parseUrl } from '../request/trust.ts';

/** OAuth 2.0 client credentials (RFC 6749 §4.4), for programs that act on their own behalf. */
export interface ClientCredentials {
  /** The client id that the authorization server issued. */
  readonly clientId: string;
  /** The client secret. It is sent only to the token endpoint. */
  readonly clientSecret: string;
  /**
   * The URL of the token endpoint. If not set, it is taken from the card, but only if it is on the agent's origin or on one of
   * `allowOrigins`, because a card must not choose where the secret goes.
   */
  readonly tokenUrl?: string;
  /** The scopes to request. Default: the scopes that the card requires. */
  readonly scopes?: readonly string[];
  /** Further parameters of the token request, such as `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** How to send id and secret: in the `Authorization` header (default), which every server must accept, or in the body. */
  readonly secretIn?: 'header' | 'body';
}

/** Tokens are fetched on demand, shared by all calls, and used until 30 s before they expire. */
export function clientCredentials(auth: ClientCredentials, tools: TokenTools): BuiltInStrategy {
  const memory = new TokenCache(tools.clock);
  const given = auth.tokenUrl === undefined ? undefined : parseUrl(auth.tokenUrl);
  const key = (card: AgentCard | undefined): string =>
    `${given?.href ?? flowOf(card)?.tokenUrl} ${scopesOf(auth, card)}`;
  return {
    headers({ card }, deadline) {
      const token = memory.get(key(card), deadline, async (limit) => {
        const endpoint = given === undefined ? endpointInCard(card, tools) : { url: given, guarded: false };
        return requestToken(tools, { ...endpoint, ...formOf(auth, scopesOf(auth, card)) }, limit);
      });
      return typeof token === 'string' ? bearer(token) : token.then(bearer);
    },
    refresh: ({ card }) => memory.drop(key(card), 0),
  };
}

function formOf({ clientId, clientSecret, parameters, secretIn }: ClientCredentials, scopes: string) {
  const form = new URLSearchParams({ ...parameters, grant_type: 'client_credentials' });
  if (scopes !== '') form.set('scope', scopes);
  if (secretIn === 'body') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
    return { form, headers: {} };
  }
  const pair = `${formEncoded(clientId)}:${formEncoded(clientSecret)}`;
  return { form, headers: { authorization: `Basic ${btoa(pair)}` } };
}

/** RFC 6749 §2.3.1 requires both to be encoded before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}

type TokenEndpoint = Pick<TokenRequest, 'url' | 'guarded'>;

/** Returns the token endpoint that the card declares. @throws A2AError `UNAUTHENTICATED` if there is none, or it is not trusted. */
function endpointInCard(card: AgentCard | undefined, { trust }: TokenTools): TokenEndpoint {
  const stated = flowOf(card)?.tokenUrl;
  if (stated === undefined) {
    const why = card === undefined ? 'is protected and not known yet' : 'declares no client credentials flow';
    throw new A2AError('UNAUTHENTICATED', `The token endpoint is unknown, because the card ${why}. Set auth.tokenUrl`);
  }
  const url = parseUrl(stated);
  if (trust.isRecipient(url)) {
    return { url, guarded: !trust.judge(url).isTrusted };
  }
  throw new A2AError(
    'UNAUTHENTICATED',
    `The client secret is not sent to ${url.href}, because only the card names this token endpoint. Set auth.tokenUrl if it is correct`,
    { details: { tokenUrl: url.href } },
  );
}

interface Flow {
  readonly name: string;
  readonly tokenUrl: string;
}

/** The first scheme of the card that supports client credentials. */
function flowOf(card: AgentCard | undefined): Flow | undefined {
  for (const [name, scheme] of Object.entries(card?.securitySchemes ?? {})) {
    const flows = 'oauth2SecurityScheme' in scheme ? scheme.oauth2SecurityScheme.flows : undefined;
    if (flows !== undefined && 'clientCredentials' in flows)
      return { name, tokenUrl: flows.clientCredentials.tokenUrl };
  }
  return undefined;
}

function scopesOf({ scopes }: ClientCredentials, card: AgentCard | undefined): string {
  if (scopes !== undefined) return scopes.join(' ');
  const flow = flowOf(card);
  const requirement = card?.securityRequirements?.find(({ schemes }) => flow !== undefined && flow.name in schemes);
  return (flow === undefined ? undefined : requirement?.schemes[flow.name]?.list)?.join(' ') ?? '';
}
