import { A2AError } from '../errors.ts';
import type { PagePosition } from '../store/store.ts';
import { digest } from '../support/digest.ts';

/**
 * Where a page ended, as a text to come back with. `query` says all that the list was asked for and by whom: the token is
 * good for that list only. It is no secret and opens nothing, since a list never goes beyond the tasks of its caller.
 */
export function encodePageToken({ statusTime, id }: PagePosition, query: string): string {
  const position = `${statusTime.toString(36)}.${id}`;
  return `${digest(position + query)}.${position}`;
}

/** @throws A2AError `INVALID_PARAMS` */
export function decodePageToken(token: string, query: string): PagePosition {
  const [, check, time = '', id = ''] = /^([a-z0-9]{22})\.(-?[a-z0-9]{1,11})\.(.{1,256})$/s.exec(token) ?? [];
  const statusTime = Number.parseInt(time, 36);
  if (check === undefined || check !== digest(`${time}.${id}${query}`) || !Number.isSafeInteger(statusTime)) {
    throw new A2AError('INVALID_PARAMS', 'pageToken: expected the nextPageToken of the page before this one', {
      violations: [{ field: 'pageToken', description: 'expected the nextPageToken of a list with the same filters' }],
    });
  }
  return { statusTime, id };
}
