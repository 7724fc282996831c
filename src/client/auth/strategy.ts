import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import type { Deadline } from '../request/deadline.ts';

/** The request that credentials are needed for. */
export interface AuthContext {
  /** The origin that the request goes to. Only origins that the user named, or the one of a given card, get credentials. */
  readonly origin: string;
  /** The agent card. Undefined while the card itself is requested. */
  readonly card: AgentCard | undefined;
  /** The `WWW-Authenticate` header of the response that rejected the previous credentials. Only set in `refresh()`. */
  readonly challenge?: string | undefined;
}

/**
 * A custom way to authenticate.
 *
 * @example
 * const auth: AuthStrategy = { headers: async () => ({ 'x-session': await session.token() }) };
 */
export interface AuthStrategy {
  /** Returns the headers for a request. Called for every request, so cache expensive results. */
  headers(context: AuthContext): HeadersRecord | Promise<HeadersRecord>;
  /**
   * Called after a 401. Gets new credentials and returns whether there are any. Without it a 401 is final. It is called at most
   * once per call, and only once for all concurrent calls that were rejected with the same credentials.
   */
  refresh?(context: AuthContext): boolean | Promise<boolean>;
}

/** A built-in strategy, which also gets the deadline of the call. */
export interface BuiltInStrategy extends Pick<AuthStrategy, 'refresh'> {
  headers(context: AuthContext, deadline: Deadline): HeadersRecord | Promise<HeadersRecord>;
  /** Returns query parameters to add to the URL, if the card requires the credentials there. */
  query?(context: AuthContext): Readonly<Record<string, string>>;
}

/** Header values by name. */
export type HeadersRecord = Readonly<Record<string, string>>;

/** @throws A2AError `UNAUTHENTICATED` for an empty token or characters that would start another header. */
export function bearer(token: string): HeadersRecord {
  if (token === '' || /[^\x21-\x7e]/.test(token)) {
    const problem = token === '' ? 'is empty' : 'contains characters that headers cannot contain, such as spaces';
    throw new A2AError('UNAUTHENTICATED', `The bearer token ${problem}`);
  }
  return { authorization: `Bearer ${token}` };
}

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
