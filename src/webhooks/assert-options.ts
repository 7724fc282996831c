import { isSecureAddress } from '../support/loopback.ts';
import { nearest } from '../support/nearest.ts';
import type { TaskSecret, WebhookOptions } from './options.ts';

const KEYS: Readonly<Record<keyof WebhookOptions, true>> = {
  onEvent: true,
  secret: true,
  secrets: true,
  token: true,
  authorization: true,
  jwks: true,
  keys: true,
  issuer: true,
  audience: true,
  toleranceMs: true,
  expects: true,
  client: true,
  seen: true,
  maxBodyBytes: true,
  insecure: true,
  log: true,
  clock: true,
};

/** What senders are checked by. */
const CHECKS = ['secret', 'secrets', 'token', 'authorization', 'jwks', 'keys', 'issuer', 'audience'] as const;

/** A check that is misspelt, empty or not there would be one that is never made, or met by anybody. @throws TypeError */
export function assertOptions(options: WebhookOptions): void {
  if (typeof options?.onEvent !== 'function') throw new TypeError('createWebhookHandler() needs onEvent, a function');
  for (const key of Object.keys(options)) assertKnown(key);
  for (const key of CHECKS) {
    if (Object.hasOwn(options, key) && options[key] === undefined)
      throw new TypeError(`${key}: is undefined, and nothing would be checked by it; give it a value or leave it out`);
  }
  const { secrets, token, authorization, jwks, keys, audience } = options;
  if (secrets?.length === 0) throw new TypeError('secrets: must not be empty');
  for (const [name, each] of Object.entries({ token, authorization })) refuseEmpty(name, each);
  if (jwks !== undefined && !URL.canParse(jwks)) throw new TypeError('jwks: must be the whole address of the keys');
  if (jwks !== undefined && !isSecureAddress(jwks)) {
    throw new TypeError(
      'jwks: must start with https://, unless the keys are on this machine; over http they could be replaced in transit',
    );
  }
  if (jwks !== undefined || keys !== undefined) assertAudience(audience);
}

function assertKnown(key: string): void {
  if (Object.hasOwn(KEYS, key)) return;
  const meant = nearest(key, Object.keys(KEYS));
  const advice = meant === undefined ? `known are ${Object.keys(KEYS).join(', ')}` : `did you mean ${meant}?`;
  throw new TypeError(`createWebhookHandler() has no option ${key}; ${advice}`);
}

/** An empty one would be met by a header that is empty, too. */
function refuseEmpty(name: string, secret: TaskSecret | undefined): void {
  const all = typeof secret === 'string' ? [secret] : Array.isArray(secret) ? (secret as readonly string[]) : ['any'];
  if (all.length === 0 || all.includes('')) throw new TypeError(`${name}: must not be empty`);
}

/** Another receiver of the same agent could pass on what it was told, and be believed. */
function assertAudience(audience: string | false | undefined): void {
  if (audience === false || (typeof audience === 'string' && URL.canParse(audience))) return;
  throw new TypeError(
    'audience: must be the whole address of this receiver, as senders know it; or false, to take what was signed for others',
  );
}
