import { BodyTooLarge, decodeUtf8, gatherBytes } from '../support/bytes.ts';
import type { WebhookResponse, WebhookHandler } from './handler.ts';

/** The part of an Express or `node:http` request that the webhook uses. */
export interface ExpressRequest extends AsyncIterable<unknown> {
  /** The HTTP method. */
  readonly method?: string | undefined;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The result of a body parser, if one ran. */
  readonly body?: unknown;
  /** The unparsed body, if a `verify` function of a parser kept it. */
  readonly rawBody?: unknown;
  /** Whether the body was already read from the stream. */
  readonly readableDidRead?: boolean;
}

/** The part of an Express or `node:http` response that the webhook uses. */
export interface ExpressResponse {
  /** The status of the response. */
  statusCode: number;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Sends the body and ends the response. */
  end(text?: string): unknown;
}

/** The Express handler that `toExpressWebhook()` returns. */
export type ExpressWebhook = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Adapts a webhook handler to Express. Signatures cover the exact text of the body, so mount it before `express.json()` or
 * after `express.text()` or `express.raw()`, or keep the text as `request.rawBody`. If a parser has consumed the text that a
 * signature covers, the error goes to `next`.
 *
 * @example
 * const handler = createWebhookHandler({ secret, onEvent });
 * express().post('/webhooks/a2a', toExpressWebhook(handler));
 */
export function toExpressWebhook(handler: WebhookHandler): ExpressWebhook {
  return async (request, response, next) => {
    try {
      await respond(handler, request, response);
    } catch (error) {
      next(error);
    }
  };
}

async function respond(handler: WebhookHandler, request: ExpressRequest, response: ExpressResponse): Promise<void> {
  const { status, error } = await respondTo(handler, request);
  response.statusCode = status;
  if (error === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ error }));
}

async function respondTo(handler: WebhookHandler, request: ExpressRequest): Promise<WebhookResponse> {
  const { method = '', headers } = request;
  const header = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  };
  try {
    return await handler.receive({ method, header, body: await bodyOf(handler, request) });
  } catch (error) {
    if (error instanceof BodyTooLarge) return { status: 413, error: error.message };
    if (error instanceof ParsedBodyError) throw error;
    return { status: 400, error: 'The body could not be read, or is not UTF-8' };
  }
}

/** An error in the setup of the receiver, not of the sender. */
class ParsedBodyError extends Error {
  override readonly name = 'ParsedBodyError';
}

async function bodyOf(handler: WebhookHandler, request: ExpressRequest): Promise<string> {
  for (const given of [request.rawBody, request.body]) {
    if (typeof given === 'string') return given;
    if (given instanceof Uint8Array) return decodeUtf8(given);
  }
  if (request.readableDidRead !== true)
    return decodeUtf8(await gatherBytes(request as AsyncIterable<Uint8Array>, handler.maxBodyBytes));
  if (!handler.needsRawBody && request.body !== undefined) return JSON.stringify(request.body);
  throw new ParsedBodyError(
    'A body parser has consumed the notification, but its signature covers the exact text. Mount toExpressWebhook() before ' +
      'express.json(), or keep the text with express.json({ verify: (request, _, bytes) => { request.rawBody = bytes } })',
  );
}
