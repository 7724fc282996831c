import { createHmac } from 'node:crypto';
import type { HandlerOptions } from '../../src/server/index.ts';

type ServerModule = typeof import('../../src/server/index.ts');

/** The checks that a server can run before it calls the agent. */
export type Guard = 'repeats' | 'bearer' | 'jwt' | 'rate' | 'metrics';

const TOKEN = '5c2f6b0e9a7d4318b1c7e0d2f3a4968b5c2f6b0e9a7d4318b1c7e0d2f3a4968b';
const SECRET = 'a-secret-that-is-only-used-to-measure';
/** Limits that no request exceeds, because the bench does not measure rejections. */
const ANY_NUMBER = { perMinute: 10 ** 9, burst: 10 ** 9 };
const VALID_SECONDS = 24 * 60 * 60;

/** The options of our server for these checks. */
export function guardOptions(guards: readonly Guard[], { bearerTokens, sharedSecret }: ServerModule): HandlerOptions {
  return {
    ...(guards.includes('bearer') && { auth: bearerTokens({ alice: TOKEN }) }),
    ...(guards.includes('jwt') && { auth: sharedSecret({ secret: SECRET }) }),
    limits: { rate: guards.includes('rate') ? ANY_NUMBER : false },
    ...(guards.includes('metrics') && { metrics: true }),
  };
}

/** The headers that a caller sends for these checks. */
export function guardHeaders(guards: readonly Guard[]): Readonly<Record<string, string>> {
  if (guards.includes('bearer')) return { authorization: `Bearer ${TOKEN}` };
  return guards.includes('jwt') ? { authorization: `Bearer ${signedToken()}` } : {};
}

function signedToken(): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { sub: 'alice', iat: now, exp: now + VALID_SECONDS, scope: 'read write' };
  const text = [{ alg: 'HS256', typ: 'JWT' }, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url');
}
