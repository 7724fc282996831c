import type { Caller } from '../engine/handler.ts';
import type { HttpRequest } from './http.ts';

/**
 * Says who calls, by the headers of the request: it is asked before the body is read. What it knows at once it gives at
 * once, so that nobody waits for a promise.
 *
 * @throws A2AError `UNAUTHENTICATED` that the caller gets.
 */
export type Identify = (request: HttpRequest) => Caller | Promise<Caller>;

/** Everybody, as long as nobody has to say who he is. */
const ANONYMOUS: Caller = Object.freeze({ id: 'anonymous', isVerified: false });

export const anybody: Identify = () => ANONYMOUS;
