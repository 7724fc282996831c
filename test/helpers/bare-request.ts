import type { HttpRequest } from '../../src/host/http.ts';

/** A request with headers and a query, whose body must not be read. */
export function bareRequest(headers: Readonly<Record<string, string>> = {}, query = ''): HttpRequest {
  return {
    method: 'POST',
    path: '/a2a',
    query,
    base: 'http://forged.example',
    signal: new AbortController().signal,
    header: (name) => headers[name],
    body: () => Promise.reject(new Error('The body is not for authenticators')),
  };
}

export function bearing(token: string): HttpRequest {
  return bareRequest({ authorization: `Bearer ${token}` });
}

export function basic(userAndPassword: string): HttpRequest {
  return bareRequest({ authorization: `Basic ${Buffer.from(userAndPassword).toString('base64')}` });
}
