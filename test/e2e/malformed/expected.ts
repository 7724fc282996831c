import { expect } from 'vitest';
import { ERROR_DOMAIN, type ErrorCode, ERRORS } from '../../../src/errors.ts';
import type { Answer } from './exchange.ts';

/** The format of an error: that of 1.0, or of the versions before it. */
type ErrorFormat = '1.0' | 'old';

/** The expected response. */
export interface Expected {
  readonly status: number;
  /** `empty` if Node responds by itself, `plain` if the server responds before it knows the dialect. */
  readonly form: 'rpc' | 'rest' | 'plain' | 'empty' | 'accepted';
  readonly errorFormat?: ErrorFormat;
  readonly code?: ErrorCode;
  /** The JSON-RPC code, if a version has another one than the table of errors. */
  readonly number?: number;
  readonly id?: string | number | null;
  /** A text that the message must contain. */
  readonly message?: string;
  /** The first member in the list of violations. */
  readonly field?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type More = Partial<Omit<Expected, 'form' | 'code' | 'message'>>;

/** A JSON-RPC error. Its HTTP status is 200, and its id that of all calls here, unless `more` has another one. */
export function rpc(code: ErrorCode, message: string, more: More = {}): Expected {
  return { form: 'rpc', errorFormat: '1.0', status: 200, id: 'call', code, message, ...more };
}

export function rest(code: ErrorCode, message: string, more: More = {}): Expected {
  return { form: 'rest', errorFormat: '1.0', status: ERRORS[code].http, code, message, ...more };
}

/** The request is valid, or its deviation harmless: it must succeed. */
export function accepted(more: More = {}): Expected {
  return { form: 'accepted', status: 200, ...more };
}

/** Node responds by itself, without a body. */
export function bare(status: number): Expected {
  return { form: 'empty', status };
}

/** Rejected before the version of the request is known. */
export function plain(status: number, message: string): Expected {
  return { form: 'plain', status, message };
}

/** Texts that must never be in a response: stacks, file names, SQL statements, HTML pages. */
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
      expect(body).toStrictEqual({ error: containing(expected.message) });
      return;
    case 'accepted':
      expect(body).not.toHaveProperty('error');
  }
}

/** Typed, because the type of matchers is `any`. */
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
    message: containing(expected.message),
    data: SOMETHING,
  });
  assertFacts(error?.data, expected);
}

function assertRest(body: Body, headers: Readonly<Record<string, string>>, expected: Expected): void {
  const { code = 'INTERNAL_ERROR', status, errorFormat } = expected;
  const message = containing(expected.message);
  if (errorFormat === '1.0') {
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

/** 1.0 and JSON-RPC of 0.3 have a list of typed details, the others one object. */
function assertFacts(facts: unknown, { errorFormat, code, field }: Expected): void {
  if (errorFormat === 'old' && !Array.isArray(facts)) {
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
