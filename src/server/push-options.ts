import type { JWK } from 'jose';
import type { PushPolicy } from '../engine/push-policy.ts';
import { algorithmOf } from '../push/notification-tokens.ts';
import { secretBytes } from '../push/webhook-signature.ts';
import { defined } from '../support/defined.ts';
import { ADDRESS_KEYS, checkAddressOptions, checkRange, type OutboundOptions } from './address-options.ts';
import { type Check, isObject, kindOf } from './check.ts';

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
  /** How long an event is tried again, counted from the first attempt in vain; a day if not set. 0: it is tried once. */
  readonly maxAgeMs?: number;
  /** Attempts for one event; any number within `maxAgeMs` if not set. */
  readonly maxAttempts?: number;
  /** Events in a row that are given up before nothing more is sent to a configuration, 20 if not set. */
  readonly disableAfter?: number;
  /** Deliveries under way at the same time, 32 if not set. */
  readonly concurrency?: number;
  /** As many of them may be to one host, 8 if not set. */
  readonly perReceiver?: number;
  /** As many of the deliveries under way may be for tasks of one caller, 16 if not set. */
  readonly perOwner?: number;
  /** Events that were given up and stay to be sent again, the latest of all tasks; 10,000 if not set. */
  readonly maxDeadLetters?: number;
}

/** What the engine is told of it, and the least that makes sense. */
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
  for (const key of POLICY_KEYS) checkCount(check, given[key], `push.${key}`, LEAST[key]);
  return given;
}

/** How hard receivers are tried to be told, as far as somebody has said so. */
export function pushPolicyOf(options: PushOptions = {}): Partial<PushPolicy> {
  const { maxAgeMs, maxAttempts, disableAfter, concurrency, perReceiver, perOwner, maxDeadLetters } = options;
  return defined({ maxAgeMs, maxAttempts, disableAfter, concurrency, perReceiver, perOwner, maxDeadLetters });
}

function checkCount(check: Check, value: unknown, path: string, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return;
  check.fault(path, `must be a whole number, ${least} or more, not ${kindOf(value)}`);
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
