/**
 * Set-up file of the projects whose files share a process and connect to servers. It clears the card cache of the client,
 * because a server of a later file may get the port of an earlier one.
 */
import { afterAll } from 'vitest';

import { sharedCards } from '../../src/client/card/card-cache.ts';

const keys = new Set<string>();
const get = sharedCards.get;
sharedCards.get = (key, ...rest) => {
  keys.add(key);
  return get.call(sharedCards, key, ...rest);
};

afterAll(() => {
  sharedCards.get = get;
  for (const key of keys) sharedCards.forget(key);
});
