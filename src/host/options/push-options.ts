import type { JWK } from 'jose';
import { PUSH_POLICY, type PushPolicy } from '../../engine/outbox/push-policy.ts';
import { algorithmOf } from '../../push/notification-tokens.ts';
import { secretBytes } from '../../push/webhook-signature.ts';
import { count, option, type OptionTable, pickOptions, readTable, type Settings, text } from '../../support/options.ts';
import { ADDRESSES, type OutboundOptions } from './address-options.ts';
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

/** The options of `push`. The range of `timeoutMs` is that of 1.0 §4.3.3. */
export const PUSH = {
  ...ADDRESSES,
  signingSecret: option((check, value, path) => {
    for (const secret of several(value)) checkSecret(check, secret, path);
    return value as string | readonly string[];
  }),
  signingKey: option((check, value, path) => {
    const arePrivate = several(value).every((key) => isObject(key) && algorithmOf(key) !== undefined);
    if (!arePrivate) check.fault(path, 'expected a private key as a JWK with kty EC, OKP or RSA');
    return value as JWK | readonly JWK[];
  }),
  issuer: text('https://agent.example.com'),
  timeoutMs: count({ least: 10_000, most: 30_000, byDefault: 15_000 }),
  ...PUSH_POLICY,
} as const satisfies OptionTable<PushOptions>;

export type PushSettings = Settings<typeof PUSH>;

/** The members that the engine uses. */
export const pushPolicyOf = (settings: PushSettings): Partial<PushPolicy> => pickOptions(settings, PUSH_POLICY);

export function readPushOptions(check: Check, value: unknown): PushSettings {
  const given = check.record(value, 'push', "{ allowHosts: ['hooks.example.com'] }") ?? {};
  for (const name of ['signingSecret', 'signingKey'])
    if (Object.hasOwn(given, name) && several(given[name]).length === 0)
      check.fault(`push.${name}`, 'is undefined or empty, so nothing would be signed; pass a value or leave it out');
  return readTable(check, given, PUSH, 'push.');
}

/** Returns an array of one, several or no values. */
export function several<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

function checkSecret(check: Check, secret: unknown, path: string): void {
  if (typeof secret !== 'string') {
    check.fault(path, 'expected a string');
    return;
  }
  try {
    secretBytes(secret);
  } catch (error) {
    check.fault(path, error instanceof Error ? error.message : 'is invalid');
  }
}
