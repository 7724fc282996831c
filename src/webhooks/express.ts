import { gatherBytes } from '../push/gather-bytes.ts';
import { BodyTooLarge } from '../push/transport.ts';
import type { WebhookAnswer, WebhookHandler } from './handler.ts';

/** As much of a request of Express, or of `node:http`, as is needed here. */
export interface ExpressRequest extends AsyncIterable<unknown> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a body parser has left. */
  readonly body?: unknown;
  /** What a parser was told to keep. */
  readonly rawBody?: unknown;
  readonly readableDidRead?: boolean;
}

export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
}

export type ExpressWebhook = (
  request: ExpressRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => Promise<void>;

/**
 * Mounts a receiver in Express. A signature is over the text of the body to the character: mount it before parsers, or
 * behind `express.text()` or `express.raw()`, or let `express.json()` keep the text as `request.rawBody`.
 *
 * @example
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
  const { status, error } = await answerTo(handler, request);
  response.statusCode = status;
  if (error === undefined) {
    response.end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ error }));
}

async function answerTo(handler: WebhookHandler, request: ExpressRequest): Promise<WebhookAnswer> {
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
    return { status: 400, error: 'The body cannot be read, or is no UTF-8' };
  }
}

/** A mistake of the program, and not of the sender. */
class ParsedBodyError extends Error {
  override readonly name = 'ParsedBodyError';
}

async function bodyOf(handler: WebhookHandler, request: ExpressRequest): Promise<string> {
  for (const given of [request.rawBody, request.body]) {
    if (typeof given === 'string') return given;
    if (given instanceof Uint8Array) return textOf(given);
  }
  if (request.readableDidRead !== true)
    return textOf(await gatherBytes(request as AsyncIterable<Uint8Array>, handler.maxBodyBytes));
  if (!handler.needsRawBody && request.body !== undefined) return JSON.stringify(request.body);
  throw new ParsedBodyError(
    'A body parser has read the notification, and its signature is over the text: mount toExpressWebhook() before ' +
      'express.json(), or keep the text with express.json({ verify: (request, _, bytes) => { request.rawBody = bytes } })',
  );
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
}
