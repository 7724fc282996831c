import { A2AError } from '../errors.ts';

type HeadersRecord = Readonly<Record<string, string>>;

/** In lower case, as all headers are here. @throws A2AError for what would become another header, or none. */
export function plainHeaders(headers: HeadersRecord): HeadersRecord {
  const entries = Object.entries(headers);
  const unfit = entries.find(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value));
  if (unfit !== undefined) {
    throw new A2AError('UNAUTHENTICATED', `The credential for ${JSON.stringify(unfit[0])} does not fit into a header`);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
