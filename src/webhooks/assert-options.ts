import { isSecureAddress } from '../support/net/loopback.ts';
import { Check, kindOf } from '../support/check.ts';
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
  const check = new Check();
  check.keys(check.options(options), Object.keys(KEYS), '');
  const { onEvent, secrets, token, authorization, jwks, keys, audience } = options ?? {};
  if (typeof onEvent !== 'function') check.fault('onEvent', `expected a function, got ${kindOf(onEvent)}`);
  for (const key of CHECKS) {
    if (Object.hasOwn(options ?? {}, key) && options[key] === undefined)
      check.fault(key, 'is undefined, so it would check nothing; pass a value or remove the option');
  }
  if (secrets?.length === 0) check.fault('secrets', 'must not be empty');
  for (const [name, secret] of Object.entries({ token, authorization }))
    if (isEmpty(secret)) check.fault(name, 'must not be empty');
  if (jwks !== undefined && !URL.canParse(jwks)) check.fault('jwks', 'expected the absolute URL of a JSON Web Key Set');
  else if (jwks !== undefined && !isSecureAddress(jwks)) check.fault('jwks', INSECURE_JWKS);
  const hasAudience = audience === false || (typeof audience === 'string' && URL.canParse(audience));
  if ((jwks !== undefined || keys !== undefined) && !hasAudience) check.fault('audience', NO_AUDIENCE);
  check.finish('Invalid options for createWebhookHandler():');
}

const INSECURE_JWKS =
  'expected an https URL, because over http the keys could be replaced in transit; http is allowed for loopback addresses only';

/** Without an audience, another receiver of the same agent could replay its notifications here. */
const NO_AUDIENCE =
  'expected the absolute URL of this receiver as senders use it, or false to accept tokens signed for other receivers';

/** An empty secret would match an empty header. */
function isEmpty(secret: TaskSecret | undefined): boolean {
  return Array.isArray(secret) ? secret.length === 0 || secret.includes('') : secret === '';
}
