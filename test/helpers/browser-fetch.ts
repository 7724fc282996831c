/** The CORS rules of a browser: preflight requests, and responses with only the readable headers. */

const SAFE_REQUEST = new Set(['accept', 'accept-language', 'content-language']);
const SAFE_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(?:;|$)/i;
const SAFE_RESPONSE = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'expires',
  'last-modified',
];

/** `fetch` of a page of this origin, without cookies. Rejects with a TypeError if a browser would block the request. */
export function browserFetch(origin: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const custom = [...request.headers]
      .filter(([name, value]) => !SAFE_REQUEST.has(name) && !(name === 'content-type' && SAFE_TYPES.test(value)))
      .map(([name]) => name);
    if (custom.length > 0 || !['GET', 'HEAD', 'POST'].includes(request.method)) {
      const preflight = await fetch(request.url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': request.method,
          'access-control-request-headers': custom.join(','),
        },
      });
      const methods = listOf(preflight.headers, 'access-control-allow-methods');
      const allowed = listOf(preflight.headers, 'access-control-allow-headers');
      const missing = custom.filter((name) => !allowed.includes(name));
      if (!preflight.ok || !isFor(preflight, origin) || !methods.includes(request.method.toLowerCase())) {
        throw new TypeError(`Blocked: the preflight of ${request.method} ${request.url} got ${preflight.status}`);
      }
      if (missing.length > 0) throw new TypeError(`Blocked: the headers ${missing.join(', ')} are not allowed`);
    }
    const headers = new Headers(request.headers);
    headers.set('origin', origin);
    headers.set('sec-fetch-site', 'cross-site');
    const response = await fetch(new Request(request, { headers }));
    if (!isFor(response, origin)) throw new TypeError(`Blocked: ${request.url} may not be read by ${origin}`);
    const readable = [...SAFE_RESPONSE, ...listOf(response.headers, 'access-control-expose-headers')];
    const shown = [...response.headers].filter(([name]) => readable.includes(name));
    return new Response(response.body, { status: response.status, headers: shown });
  };
}

function isFor({ headers }: Response, origin: string): boolean {
  return ['*', origin].includes(headers.get('access-control-allow-origin') ?? '');
}

function listOf(headers: Headers, name: string): readonly string[] {
  return (headers.get(name) ?? '').split(',').map((item) => item.trim().toLowerCase());
}
