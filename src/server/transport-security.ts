import { type HttpResponse, withHeaders } from './http.ts';

/** A year. Subdomains may belong to others. */
const HSTS = 'max-age=31536000';

/** Most answers have one of a few sets of headers: each is extended once. Those that count requests are of one answer. */
const extended = new WeakMap<HttpResponse['headers'], HttpResponse['headers']>();

/** The answer with the word that this place is to be reached over TLS only (RFC 6797). */
export function overTlsOnly(response: HttpResponse): HttpResponse {
  const { headers } = response;
  let all = extended.get(headers);
  if (all === undefined) {
    all = Object.assign({ 'strict-transport-security': HSTS }, headers);
    if (headers['x-ratelimit-limit'] === undefined) extended.set(headers, all);
  }
  return withHeaders(response, all);
}
