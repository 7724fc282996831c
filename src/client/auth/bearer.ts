import { A2AError } from '../../errors.ts';

/** @throws A2AError `UNAUTHENTICATED` for an empty token or characters that would start another header. */
export function bearer(token: string): Readonly<Record<string, string>> {
  if (token === '' || /[^\x21-\x7e]/.test(token)) {
    const problem = token === '' ? 'is empty' : 'contains characters that headers cannot contain, such as spaces';
    throw new A2AError('UNAUTHENTICATED', `The bearer token ${problem}`);
  }
  return { authorization: `Bearer ${token}` };
}
