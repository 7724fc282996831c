import { expect } from 'vitest';
import { ERROR_DOMAIN, type ErrorCode, ERRORS } from '../../../src/errors.ts';
import type { Answer } from './exchange.ts';

/** In whose words an answer must be: those of 1.0, or of the versions before it. */
type Words = '1.0' | 'old';

/** What must come back. */
export interface Expected {
  readonly status: number;
  /** What kind of answer it is; `empty` if Node answers by itself, `plain` if it comes before any dialect is known. */
  readonly form: 'rpc' | 'rest' | 'plain' | 'empty' | 'accepted';
  readonly words?: Words;
  readonly code?: ErrorCode;
  /** The JSON-RPC number, where a version has another than the table. */
  readonly number?: number;
  readonly id?: string | number | null;
  /** What the message must say. */
  readonly says?: string;
  /** The first place that is named as wrong. */
  readonly field?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type More = Partial<Omit<Expected, 'form' | 'code' | 'says'>>;

/** JSON-RPC errors are answers: their status is 200 unless it is said otherwise. The id is that of all requests here. */
export function rpc(code: ErrorCode, says: string, more: More = {}): Expected {
  return { form: 'rpc', words: '1.0', status: 200, id: 'call', code, says, ...more };
}

export function rest(code: ErrorCode, says: string, more: More = {}): Expected {
  return { form: 'rest', words: '1.0', status: ERRORS[code].http, code, says, ...more };
}

/** Odd, but right or harmless: it must work. */
export function accepted(more: More = {}): Expected {
  return { form: 'accepted', status: 200, ...more };
}

/** Node itself answers, without a body. */
export function bare(status: number): Expected {
  return { form: 'empty', status };
}

/** Refused before anybody looks who speaks which version. */
export function plain(status: number, says: string): Expected {
  return { form: 'plain', status, says };
}

/** What must never be on the wire: stacks, files, statements, pages. */
const LEAKS = [
  /\bat \S+ \(/,
  /\.(?:ts|js|mjs):\d/,
  /node_modules|node:internal|file:\/\//,
  /\/(?:src|home|tmp|root|work|usr)\//,
  /\b(?:SELECT|INSERT|UPDATE|DELETE) .*\b(?:FROM|INTO|SET|WHERE)\b/,
  /<\/?(?:html|body|pre|h1)\b/i,
  /SyntaxError|TypeError|RangeError|ReferenceError|Unexpected token|in JSON at/,
];

export function assertAnswer(answer: Answer, expected: Expected): void {
  const { status, headers, text } = answer;
  expect({ status, text: text.slice(0, 600) }).toMatchObject({ status: expected.status });
  for (const leak of LEAKS) expect(text).not.toMatch(leak);
  expect(headers).toMatchObject(expected.headers ?? {});
  if (expected.form === 'empty') {
    expect(text).toBe('');
    return;
  }
  expect(text.length).toBeLessThan(expected.form === 'accepted' ? Infinity : 20_000);
  if (status === 204 || headers['content-type'] === 'text/event-stream') return;
  expect(headers['content-type']).toMatch(/^application\/(?:a2a\+)?json$/);
  const body = JSON.parse(text) as Body;
  switch (expected.form) {
    case 'rpc':
      return assertRpc(body, expected);
    case 'rest':
      expect(headers['x-content-type-options']).toBe('nosniff');
      return assertRest(body, headers, expected);
    case 'plain':
      expect(body).toStrictEqual({ error: containing(expected.says) });
      return;
    case 'accepted':
      expect(body).not.toHaveProperty('error');
  }
}

/** Matchers are `any` to the compiler. */
const SOMETHING: unknown = expect.anything();

function containing(text = ''): unknown {
  return expect.stringContaining(text);
}

interface Body {
  readonly type?: string;
  readonly error?: { readonly message?: unknown; readonly data?: unknown; readonly details?: unknown };
}

function assertRpc({ error, ...envelope }: Body, expected: Expected): void {
  const { code = 'INTERNAL_ERROR', number = ERRORS[code].rpc } = expected;
  expect(envelope).toStrictEqual({ jsonrpc: '2.0', id: expected.id });
  expect(error).toStrictEqual({
    code: number,
    message: containing(expected.says),
    data: SOMETHING,
  });
  assertFacts(error?.data, expected);
}

function assertRest(body: Body, headers: Readonly<Record<string, string>>, expected: Expected): void {
  const { code = 'INTERNAL_ERROR', status, words } = expected;
  const message = containing(expected.says);
  if (words === '1.0') {
    const grpc = code === 'METHOD_NOT_FOUND' ? 'NOT_FOUND' : ERRORS[code].grpc;
    expect(headers['content-type']).toBe('application/a2a+json');
    expect(body).toStrictEqual({ error: { code: status, status: grpc, message, details: SOMETHING } });
    return assertFacts(body.error?.details, expected);
  }
  const { number = ERRORS[code].rpc } = expected;
  expect(headers['content-type']).toBe('application/json');
  const { type = 'Error', ...members } = body;
  expect(type).toMatch(/^[A-Za-z]*Error$/);
  expect(members).toStrictEqual({ code: number, message, error: { code: number, message, data: SOMETHING } });
  assertFacts(body.error?.data, expected);
}

interface Violations {
  readonly fieldViolations?: readonly { readonly field: string }[];
}

/** 1.0 and JSON-RPC of 0.3 have a list of typed details, the others an object of facts. */
function assertFacts(facts: unknown, { words, code, field }: Expected): void {
  if (words === 'old' && !Array.isArray(facts)) {
    expect(facts).toMatchObject({ reason: code });
    if (field !== undefined) expect((facts as Violations).fieldViolations?.[0]?.field).toBe(field);
    return;
  }
  const [info, bad] = facts as readonly unknown[];
  expect(info).toMatchObject({
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: code,
    domain: ERROR_DOMAIN,
  });
  if (field === undefined) return;
  expect(bad).toMatchObject({ '@type': 'type.googleapis.com/google.rpc.BadRequest' });
  expect((bad as Violations).fieldViolations?.[0]?.field).toBe(field);
}
