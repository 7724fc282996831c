import { type HttpResponse, withHeaders } from '../../host/http.ts';

/** One year. Subdomains are not included, because they may belong to others. */
const HSTS = 'max-age=31536000';

/** Most responses share a few header objects, and each is extended only once. Headers with a quota are unique to a response. */
const extended = new WeakMap<HttpResponse['headers'], HttpResponse['headers']>();

/** Adds `Strict-Transport-Security` to a response (RFC 6797). */
export function overTlsOnly(response: HttpResponse): HttpResponse {
  const { headers } = response;
  let all = extended.get(headers);
  if (all === undefined) {
    all = Object.assign({ 'strict-transport-security': HSTS }, headers);
    if (headers['x-ratelimit-limit'] === undefined) extended.set(headers, all);
  }
  return withHeaders(response, all);
}
