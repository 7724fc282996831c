import { A2AError } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import type { OwnStrategy } from './auth.ts';
import { bearer } from './bearer.ts';
import { requestToken, type TokenRequest, type TokenTools } from './token-endpoint.ts';
import { TokenMemory } from './token-memory.ts';
import { parseUrl } from './trust.ts';

/** OAuth 2.0 client credentials (RFC 6749 §4.4): a program that speaks for itself. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * Where tokens come from. If not set, the card says it; it is then only believed if the secret may go there: to the
   * agent's own origin, or to one of `allowOrigins`.
   */
  readonly tokenUrl?: string;
  /** What to ask for; what the card requires if not set. */
  readonly scopes?: readonly string[];
  /** More that the server wants to know, such as `audience` or `resource`. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Where the server wants to see id and secret: in the `Authorization` header if not set, as every server must accept. */
  readonly secretIn?: 'header' | 'body';
}

/** Tokens are fetched when they are needed, shared by all calls, and kept until shortly before they end. */
export function clientCredentials(auth: ClientCredentials, tools: TokenTools): OwnStrategy {
  const memory = new TokenMemory(tools.clock);
  const given = auth.tokenUrl === undefined ? undefined : parseUrl(auth.tokenUrl);
  const key = (card: AgentCard | undefined): string =>
    `${given?.href ?? flowOf(card)?.tokenUrl} ${scopesOf(auth, card)}`;
  return {
    headers({ card }, deadline) {
      const token = memory.get(key(card), deadline, async (limit) => {
        const place = given === undefined ? statedIn(card, tools) : { url: given, guarded: false };
        return requestToken(tools, { ...place, ...formOf(auth, scopesOf(auth, card)) }, limit);
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

/** RFC 6749 §2.3.1 wants both encoded before they are joined. */
function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}

type TokenPlace = Pick<TokenRequest, 'url' | 'guarded'>;

/** @throws A2AError `UNAUTHENTICATED` that says what to set. */
function statedIn(card: AgentCard | undefined, { trust }: TokenTools): TokenPlace {
  const stated = flowOf(card)?.tokenUrl;
  if (stated === undefined) {
    const why = card === undefined ? 'is not known yet' : 'has no scheme with client credentials';
    throw new A2AError('UNAUTHENTICATED', `The card ${why}, which would say where tokens come from: set tokenUrl`);
  }
  const url = parseUrl(stated);
  if (trust.isRecipient(url)) {
    return { url, guarded: !trust.judge(url).isTrusted };
  }
  throw new A2AError(
    'UNAUTHENTICATED',
    `Only the card says that tokens come from ${url.href}, so the secret is not sent there; set tokenUrl if that is right`,
    { details: { tokenUrl: url.href } },
  );
}

interface Flow {
  readonly name: string;
  readonly tokenUrl: string;
}

/** The first scheme that it is possible by. */
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
