import type { JWK } from 'jose';
import type { PushPolicy } from '../../engine/outbox/push-policy.ts';
import { algorithmOf } from '../../push/notification-tokens.ts';
import { secretBytes } from '../../push/webhook-signature.ts';
import { defined } from '../../support/defined.ts';
import { ADDRESS_KEYS, checkAddressOptions, checkRange, type OutboundOptions } from './address-options.ts';
import { type Check, isObject } from '../../support/check.ts';

/** How push notifications are delivered, and to which addresses. */
export interface PushOptions extends OutboundOptions {
  /**
   * Signs notifications according to Standard Webhooks: `whsec_…`, or any string of at least 16 bytes. With several secrets each
   * adds a signature, for rotation. Default: unsigned.
   */
  readonly signingSecret?: string | readonly string[];
  /**
   * A private key (JWK) that signs a JWT for each notification. The public keys are served at `/.well-known/jwks.json`. With several
   * keys the first one signs and all are published, for rotation.
   */
  readonly signingKey?: JWK | readonly JWK[];
  /** The `iss` claim of these JWTs. Default: `publicUrl`. */
  readonly issuer?: string;
  /** The time limit for one delivery, 10,000 to 30,000 ms. Default: 15 s. */
  readonly timeoutMs?: number;
  /** How long an event is retried after its first failed attempt, in milliseconds. 0 means one attempt. Default: one day. */
  readonly maxAgeMs?: number;
  /** The largest number of attempts for one event. Default: unlimited within `maxAgeMs`. */
  readonly maxAttempts?: number;
  /** Disables a push configuration after this many undeliverable events in a row. Default: 20. */
  readonly disableAfter?: number;
  /** Deliveries at the same time. Default: 32. */
  readonly concurrency?: number;
  /** Deliveries at the same time to one host. Default: 8. */
  readonly perReceiver?: number;
  /** Deliveries at the same time for the tasks of one caller. Default: 16. */
  readonly perOwner?: number;
  /** Undeliverable events that are kept for `redeliver()`, the latest of all tasks. Default: 10,000. */
  readonly maxDeadLetters?: number;
}

/** The members that the engine uses, with their smallest value. */
const LEAST = {
  maxAgeMs: 0,
  maxAttempts: 1,
  disableAfter: 1,
  concurrency: 1,
  perReceiver: 1,
  perOwner: 1,
  maxDeadLetters: 0,
} as const satisfies Partial<Record<keyof PushPolicy, number>>;

const POLICY_KEYS = Object.keys(LEAST) as readonly (keyof typeof LEAST)[];

const KEYS = [...ADDRESS_KEYS, 'signingSecret', 'signingKey', 'issuer', 'timeoutMs', ...POLICY_KEYS];

/** The range of 1.0 §4.3.3. */
const LEAST_TIMEOUT_MS = 10_000;
const MOST_TIMEOUT_MS = 30_000;

export function readPushOptions(check: Check, value: unknown): PushOptions | undefined {
  if (value === undefined) return undefined;
  const given = check.record(value, 'push', "{ allowHosts: ['hooks.example.com'] }") ?? {};
  check.keys(given, KEYS, 'push.');
  checkAddressOptions(check, given, 'push.');
  for (const name of ['signingSecret', 'signingKey'])
    if (Object.hasOwn(given, name) && several(given[name]).length === 0)
      check.fault(`push.${name}`, 'is undefined or empty, so nothing would be signed; pass a value or leave it out');
  for (const secret of several(given['signingSecret'])) checkSecret(check, secret);
  for (const key of several(given['signingKey'])) {
    const isPrivate = isObject(key) && algorithmOf(key) !== undefined;
    if (!isPrivate) check.fault('push.signingKey', 'expected a private key as a JWK with kty EC, OKP or RSA');
  }
  check.optionalText(given['issuer'], 'push.issuer', 'https://agent.example.com');
  checkRange(check, given['timeoutMs'], 'push.timeoutMs', LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS);
  for (const key of POLICY_KEYS) check.count(given[key], `push.${key}`, LEAST[key]);
  return given;
}

/** The members that the engine uses, as far as they are set. */
export function pushPolicyOf(options: PushOptions = {}): Partial<PushPolicy> {
  const { maxAgeMs, maxAttempts, disableAfter, concurrency, perReceiver, perOwner, maxDeadLetters } = options;
  return defined({ maxAgeMs, maxAttempts, disableAfter, concurrency, perReceiver, perOwner, maxDeadLetters });
}

/** Returns an array of one, several or no values. */
export function several<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function checkSecret(check: Check, secret: unknown): void {
  if (typeof secret !== 'string') {
    check.fault('push.signingSecret', 'expected a string');
    return;
  }
  try {
    secretBytes(secret);
  } catch (error) {
    check.fault('push.signingSecret', error instanceof Error ? error.message : 'is invalid');
  }
}
