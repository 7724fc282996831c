import { A2AError } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import { digest } from '../../support/secret/digest.ts';
import { isLoopback } from '../../support/net/loopback.ts';
import { type CardForm, cardForm, encodeCard } from '../../wire/card/served/card-forms.ts';
import type { ProtocolVersion } from '../../wire/version.ts';
import { agentCard, type CardFacts } from './agent-card.ts';
import { credentialHeaders } from '../../host/auth/credentials.ts';
import type { CardSigner } from './card-signer.ts';
import { pageFailure, wrongVerb } from '../bindings/error-response.ts';
import { type HttpRequest, type HttpResponse, jsonResponse, SAFE } from '../../host/http.ts';
import { versionOf } from '../bindings/http-context.ts';

export interface CardEndpointOptions extends CardFacts {
  /** The form for clients that specify no version. */
  readonly byDefault: CardForm;
  /** The configured URL; otherwise it is derived from each request. */
  readonly publicUrl: string | undefined;
  readonly since: Date;
  readonly signer?: CardSigner | undefined;
  readonly isProtected?: boolean;
  /** Changes the card of a profile to the format that its clients expect. */
  readonly rewrite?: ((card: JsonObject) => JsonObject) | undefined;
}

interface Rendered {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The number of cached cards. More URLs than this are forged `Host` headers. */
const MAX_RENDERED = 64;

const ALLOWED = ['GET', 'HEAD', 'OPTIONS'] as const;

/** Web pages of any origin may read the card of a public agent. A protected card still needs credentials. */
const CORS = { 'access-control-allow-origin': '*' } as const;

const PREFLIGHT = {
  ...SAFE,
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'A2A-Version, A2A-Extensions, If-None-Match, Authorization',
  'access-control-max-age': '86400',
} as const;

/** Serves the cards of an agent. A card is rendered once for each form and URL, not for each request. */
export class CardEndpoint {
  readonly #options: CardEndpointOptions;
  readonly #rendered = new Map<string, Rendered | undefined | Promise<Rendered | undefined>>();

  constructor(options: CardEndpointOptions) {
    this.#options = options;
  }

  /** Returns a promise only if the card must be signed first. */
  handle(file: 'agent-card.json' | 'agent.json', request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const { method } = request;
    if (method === 'OPTIONS') return { status: 204, headers: { ...PREFLIGHT, ...this.cors(request) } };
    if (method !== 'GET' && method !== 'HEAD') return pageFailure(wrongVerb(ALLOWED), request);
    const { byDefault, publicUrl } = this.#options;
    const base = publicUrl ?? request.base;
    const form = cardForm(file, versionOf(request), byDefault);
    // If the card is not available in this form, another form is better than an error.
    const card = this.#render(base, form) ?? this.#render(base, instead(file, form, byDefault));
    const missing = file === 'agent.json' ? 'versions before 0.3' : `version ${byDefault}`;
    if (card === undefined || !('then' in card)) return this.#respond(request, card, missing);
    return card.then((signed) => this.#respond(request, signed, missing));
  }

  /** The CORS headers of a card. The card of an agent on a loopback address has none, so that web pages cannot detect local agents. */
  cors(request: HttpRequest): Readonly<Record<string, string>> {
    return corsOf(this.#options.publicUrl ?? request.base);
  }

  #respond(request: HttpRequest, card: Rendered | undefined, missing: string): HttpResponse {
    if (card === undefined)
      return jsonResponse(404, { error: `This agent has no card for ${missing}` }, this.cors(request));
    if (isFresh(request, card.headers)) {
      const { 'content-type': _, ...headers } = card.headers;
      return { status: 304, headers };
    }
    return { status: 200, ...card };
  }

  #render(base: string, form: CardForm): Rendered | undefined | Promise<Rendered | undefined> {
    const key = `${form} ${base}`;
    if (this.#rendered.has(key)) return this.#rendered.get(key);
    if (this.#rendered.size >= MAX_RENDERED) this.#rendered.clear();
    const json = this.#jsonOf(base, form);
    const rendered = json === undefined ? undefined : this.#finished(key, base, json, form);
    this.#rendered.set(key, rendered);
    return rendered;
  }

  #finished(key: string, base: string, json: JsonObject, form: CardForm): Rendered | Promise<Rendered> {
    const { signer } = this.#options;
    // Older versions do not support signatures.
    if (signer === undefined || form === '0.2' || form === '0.1') return this.#written(base, json);
    return signer.signed(json).then(
      (signed) => {
        const rendered = this.#written(base, signed);
        this.#rendered.set(key, rendered);
        return rendered;
      },
      (error: unknown) => {
        this.#rendered.delete(key);
        throw error;
      },
    );
  }

  #written(base: string, json: JsonObject): Rendered {
    const body = JSON.stringify(json);
    return { body, headers: this.#headersOf(base, body) };
  }

  #jsonOf(base: string, form: CardForm): JsonObject | undefined {
    try {
      const json = encodeCard(agentCard(this.#options, base, olderOf(form)), form);
      return this.#options.rewrite?.(json) ?? json;
    } catch (error) {
      if (A2AError.is(error, 'UNSUPPORTED_OPERATION')) return undefined;
      throw error;
    }
  }

  #headersOf(base: string, body: string): Readonly<Record<string, string>> {
    const { isProtected = false, since, auth } = this.#options;
    return {
      ...SAFE,
      ...corsOf(base),
      'content-type': 'application/json',
      'cache-control': `${isProtected ? 'private' : 'public'}, max-age=300`,
      etag: `"${digest(body)}"`,
      'last-modified': since.toUTCString(),
      vary: isProtected ? `A2A-Version, ${credentialHeaders(auth)}` : 'A2A-Version',
    };
  }
}

function corsOf(base: string): Readonly<Record<string, string>> {
  return isLoopback(new URL(base).hostname) ? {} : CORS;
}

/** The form to serve if the requested one is not available. */
function instead(file: 'agent-card.json' | 'agent.json', form: CardForm, byDefault: CardForm): CardForm {
  if (file === 'agent-card.json') return byDefault;
  return form === '0.1' ? '0.2' : '0.1';
}

function olderOf(form: CardForm): ProtocolVersion | undefined {
  return form === 'superset' ? undefined : form;
}

/** Whether the client already has this card (1.0 §8.6.2). The ETag takes precedence over the date. */
function isFresh(request: HttpRequest, headers: Readonly<Record<string, string>>): boolean {
  const tags = request.header('if-none-match');
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', headers['etag']].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = Date.parse(request.header('if-modified-since') ?? '');
  return since >= Date.parse(headers['last-modified'] ?? '');
}
