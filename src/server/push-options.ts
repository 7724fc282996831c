import type { JWK } from 'jose';
import { algorithmOf } from '../push/notification-tokens.ts';
import { secretBytes } from '../push/webhook-signature.ts';
import { ADDRESS_KEYS, checkAddressOptions, checkRange, type OutboundOptions } from './address-options.ts';
import { type Check, isObject } from './check.ts';

/** How push notifications are delivered, and where to. */
export interface PushOptions extends OutboundOptions {
  /** Signs notifications as Standard Webhooks has it: `whsec_…`, or any text. Several: signed by each, for rotation. */
  readonly signingSecret?: string | readonly string[];
  /** A private key (JWK) that signs a token for each notification. Several: the first signs, all are published. */
  readonly signingKey?: JWK | readonly JWK[];
  /** Who the tokens say has signed them; `publicUrl` if not set. */
  readonly issuer?: string;
  /** How long a receiver may take, 10 to 30 s; 15 s if not set. */
  readonly timeoutMs?: number;
}

const KEYS = [...ADDRESS_KEYS, 'signingSecret', 'signingKey', 'issuer', 'timeoutMs'];

/** 1.0 §4.3.3 */
const LEAST_TIMEOUT_MS = 10_000;
const MOST_TIMEOUT_MS = 30_000;

export function readPushOptions(check: Check, value: unknown): PushOptions | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'push', "{ allowHosts: ['hooks.example.com'] }") ?? {};
  check.keys(given, KEYS, 'push.');
  checkAddressOptions(check, given, 'push.');
  for (const name of ['signingSecret', 'signingKey'])
    if (Object.hasOwn(given, name) && several(given[name]).length === 0)
      check.fault(`push.${name}`, 'is undefined or empty, and nothing would be signed; give a value or leave it out');
  for (const secret of several(given['signingSecret'])) checkSecret(check, secret);
  for (const key of several(given['signingKey'])) {
    const isPrivate = isObject(key) && algorithmOf(key) !== undefined;
    if (!isPrivate) check.fault('push.signingKey', 'must be a private key as a JWK of kind EC, OKP or RSA');
  }
  check.optionalText(given['issuer'], 'push.issuer', 'https://agent.example.com');
  checkRange(check, given['timeoutMs'], 'push.timeoutMs', LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS);
  return given;
}

/** One, several, or none. */
export function several<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function checkSecret(check: Check, secret: unknown): void {
  if (typeof secret !== 'string') {
    check.fault('push.signingSecret', 'must be a text');
    return;
  }
  try {
    secretBytes(secret);
  } catch (error) {
    check.fault('push.signingSecret', error instanceof Error ? error.message : 'is no good');
  }
}
