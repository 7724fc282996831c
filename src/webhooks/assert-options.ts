import { isSecureAddress } from '../support/net/loopback.ts';
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

/** The options that authenticate senders. */
const CHECKS = ['secret', 'secrets', 'token', 'authorization', 'jwks', 'keys', 'issuer', 'audience'] as const;

/** Rejects misspelt, empty and undefined checks, which would never run or accept any sender. @throws TypeError */
export function assertOptions(options: WebhookOptions): void {
  if (typeof options?.onEvent !== 'function')
    throw new TypeError(`onEvent: expected a function, got ${typeof options?.onEvent}`);
  for (const key of Object.keys(options)) assertKnown(key);
  for (const key of CHECKS) {
    if (Object.hasOwn(options, key) && options[key] === undefined)
      throw new TypeError(`${key}: is undefined, so it would check nothing; pass a value or remove the option`);
  }
  const { secrets, token, authorization, jwks, keys, audience } = options;
  if (secrets?.length === 0) throw new TypeError('secrets: must not be empty');
  for (const [name, each] of Object.entries({ token, authorization })) rejectEmpty(name, each);
  if (jwks !== undefined && !URL.canParse(jwks))
    throw new TypeError('jwks: expected the absolute URL of a JSON Web Key Set');
  if (jwks !== undefined && !isSecureAddress(jwks)) {
    throw new TypeError(
      'jwks: expected an https URL, because over http the keys could be replaced in transit; http is allowed for loopback addresses only',
    );
  }
  if (jwks !== undefined || keys !== undefined) assertAudience(audience);
}

function assertKnown(key: string): void {
  if (Object.hasOwn(KEYS, key)) return;
  const meant = nearest(key, Object.keys(KEYS));
  const advice = meant === undefined ? `the options are ${Object.keys(KEYS).join(', ')}` : `did you mean ${meant}?`;
  throw new TypeError(`${key}: is not an option; ${advice}`);
}

/** An empty secret would match an empty header. */
function rejectEmpty(name: string, secret: TaskSecret | undefined): void {
  const all = typeof secret === 'string' ? [secret] : Array.isArray(secret) ? (secret as readonly string[]) : ['any'];
  if (all.length === 0 || all.includes('')) throw new TypeError(`${name}: must not be empty`);
}

/** Without an audience, another receiver of the same agent could replay its notifications here. */
function assertAudience(audience: string | false | undefined): void {
  if (audience === false || (typeof audience === 'string' && URL.canParse(audience))) return;
  throw new TypeError(
    'audience: expected the absolute URL of this receiver as senders use it, or false to accept tokens signed for other receivers',
  );
}
