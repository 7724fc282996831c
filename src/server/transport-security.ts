import type { HttpResponse } from './http.ts';

/** A year. Subdomains may belong to others. */
const HSTS = 'max-age=31536000';

/** Most answers have one of a few sets of headers: each is extended once. */
const extended = new WeakMap<HttpResponse['headers'], HttpResponse['headers']>();

/** The answer with the word that this place is to be reached over TLS only (RFC 6797). */
export function overTlsOnly({ status, headers, body }: HttpResponse): HttpResponse {
  let all = extended.get(headers);
  if (all === undefined) extended.set(headers, (all = { ...headers, 'strict-transport-security': HSTS }));
  return body === undefined ? { status, headers: all } : { status, headers: all, body };
}
