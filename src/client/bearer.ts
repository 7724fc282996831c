import { A2AError } from '../errors.ts';

/** @throws A2AError for what would become another header, or none. */
export function bearer(token: string): Readonly<Record<string, string>> {
  if (token === '' || /[^\x21-\x7e]/.test(token)) {
    throw new A2AError('UNAUTHENTICATED', 'The bearer token is empty or has characters that a header cannot hold');
  }
  return { authorization: `Bearer ${token}` };
}
