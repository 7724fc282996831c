import type { A2AError } from '../../errors.ts';
import type { Log } from '../../observe/log.ts';
import type { HttpRequest } from '../http.ts';

/** Told of everybody who is turned away, before he is, and whether he has brought any credentials. */
export type OnRefusal = (request: HttpRequest, error: A2AError, hasCredentials: boolean) => void;

const MAX_PATH = 100;

/**
 * Writes down who was turned away and why. Never what he has brought, and of the address the path alone: a query may hold
 * a key. Who has brought nothing at all is probably new here, and not worth a warning.
 */
export function refusals(log: Log): OnRefusal {
  return ({ method, path = '' }, { code, message }, hasCredentials) => {
    // Nobody was found wanting.
    if (code === 'UNAVAILABLE') return;
    const fields = { code, reason: message, method, path: path.slice(0, MAX_PATH) };
    if (!hasCredentials) log.info('Refused', fields);
    else log.warn('Refused', fields);
  };
}
