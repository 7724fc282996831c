import type { PeerTarget } from '../../peers/peer-options.ts';
import { type Check, isObject } from '../../support/check.ts';

/** The agents on other hosts that handlers can call, by the id that they call them by. */
export type PeersOption = Readonly<Record<string, PeerTarget>>;

/** The paths at which peers notify this host about the tasks of calls start with it and end with the id of the call. */
export const CALL_HINT_PATH = '/_tandem/calls/';

/** Ids appear in paths and must not look like URLs. */
const ID = /^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/;
const KEYS = ['url', 'auth', 'version', 'binding', 'headers', 'allowOrigins'];
const EXAMPLE = "{ crm: { url: 'https://crm.example.com', auth: process.env.CRM_TOKEN } }";

export function readPeers(check: Check, value: unknown): PeersOption | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'peers', EXAMPLE) ?? {};
  for (const [id, target] of Object.entries(given)) {
    const path = `peers.${id}`;
    if (!ID.test(id)) check.fault(path, 'expected an id of letters, digits, ".", "_" and "-", at most 64 characters');
    if (isClient(target)) continue;
    if (isObject(target)) {
      check.keys(target, KEYS, `${path}.`);
      check.webAddress(target['url'], `${path}.url`);
      checkAuth(check, target, path);
    } else check.webAddress(target, path);
  }
  return given as PeersOption;
}

/** A client of this package, or of another copy of it. */
function isClient(target: unknown): boolean {
  return isObject(target) && isObject(target['card']) && typeof target['send'] === 'function';
}

/** A variable of the environment that is not set must not become a peer without credentials. */
function checkAuth(check: Check, target: Readonly<Record<string, unknown>>, path: string): void {
  if (!Object.hasOwn(target, 'auth')) return;
  const { auth } = target;
  if (auth === undefined || auth === '')
    check.fault(`${path}.auth`, 'is undefined or empty; pass a value or leave it out');
  const secret = isObject(auth) && Object.hasOwn(auth, 'secret') ? auth['secret'] : 'none';
  if (secret === undefined || secret === '') check.fault(`${path}.auth.secret`, 'expected a secret, got none');
}
