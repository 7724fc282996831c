import { A2AError } from '../../errors.ts';

type HeadersRecord = Readonly<Record<string, string>>;

/** Lower-cases header names. @throws A2AError `UNAUTHENTICATED` for characters that would start another header. */
export function plainHeaders(headers: HeadersRecord): HeadersRecord {
  const entries = Object.entries(headers);
  const unfit = entries.find(([name, value]) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[^\t\x20-\x7e]/.test(value));
  if (unfit !== undefined) {
    const message = `The credential for the header ${JSON.stringify(unfit[0])} contains characters that headers cannot contain`;
    throw new A2AError('UNAUTHENTICATED', message);
  }
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}
