import fc from 'fast-check';
import type { JsonValue } from '../../src/model/json.ts';
import { arbitraryJson } from './arbitrary-model.ts';

/** Invalid and malicious JSON, for tests of all decoders. */

/** Changes one value of a JSON document, or removes it, or doubles it. */
function mutate(
  json: JsonValue,
  picks: readonly number[],
  change: (old: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (typeof json !== 'object' || json === null) return change(json) ?? null;
  const entries = Object.entries(json);
  const [pick = 0, ...rest] = picks;
  const at = entries.length === 0 ? undefined : entries[pick % entries.length];
  if (at === undefined) return change(json) ?? null;
  const [key, old] = at;
  const isLast = rest.length === 0 || typeof old !== 'object' || old === null;
  const next = isLast ? change(old) : mutate(old, rest, change);
  if (Array.isArray(json))
    return next === undefined
      ? (json as JsonValue[]).toSpliced(Number(key), 1)
      : (json as JsonValue[]).with(Number(key), next);
  return Object.fromEntries(
    next === undefined ? entries.filter(([each]) => each !== key) : entries.map(([k, v]) => [k, k === key ? next : v]),
  );
}

const arbitraryChange: fc.Arbitrary<(old: JsonValue) => JsonValue | undefined> = fc.oneof(
  fc.constant(() => undefined),
  fc
    .constantFrom<JsonValue[]>(null, '', 0, -1, 1.5, true, [], {}, [null], 'TASK_STATE_CANCELLED', 'unknown')
    .map((next) => () => next),
  arbitraryJson.map((next) => () => next),
  fc.constant((old: JsonValue) => [old, old]),
  fc.constant((old: JsonValue) => ({ kind: 'text', type: 'data', value: old, ['__proto__']: old })),
  fc.constant((old: JsonValue) => JSON.stringify(old)),
);

/** Changes one place of a valid JSON document. */
export const arbitraryMutation: fc.Arbitrary<(json: JsonValue) => JsonValue> = fc
  .tuple(fc.array(fc.nat({ max: 40 }), { minLength: 1, maxLength: 7 }), arbitraryChange)
  .map(
    ([picks, change]) =>
      (json) =>
        mutate(json, picks, change),
  );

const deep = (open: string, close: string): unknown => JSON.parse(open.repeat(10_000) + close.repeat(10_000));

/** Values that have broken decoders before. */
export const HOSTILE_JSON: readonly (readonly [string, unknown])[] = [
  ['lists in lists', deep('[', ']')],
  ['objects in objects', JSON.parse(`${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`)],
  ['parts in parts', JSON.parse(`${'{"kind":"data","data":'.repeat(5000)}1${'}'.repeat(5000)}`)],
  ['a long list', Array.from({ length: 11_000 }, (_, i) => i)],
  ['a wide object', Object.fromEntries(Array.from({ length: 11_000 }, (_, i) => [`k${i}`, i]))],
  ['a long text', 'A'.repeat(200_000)],
  ['a long text that is nearly base64', `${'A'.repeat(200_000)}!`],
  ['a long text that is nearly a time', `2026-03-12T10:00:00.${'1'.repeat(200_000)}`],
  ['a long text that is nearly an address', `http://h${'/v1'.repeat(66_666)}\n`],
  ['a long text that is nearly a name', `tasks/${'a'.repeat(200_000)}/`],
  ['a number above the maximum', JSON.parse('1e400')],
  ['a lone surrogate', '\ud800'],
  [
    'keys of prototypes',
    JSON.parse('{"__proto__":{"a":1},"constructor":{"prototype":1},"hasOwnProperty":1,"toString":null}'),
  ],
];

/** Requests and objects with a hostile value in all places of one kind. */
export const HOSTILE_POSITIONS: readonly ((hostile: unknown) => unknown)[] = [
  (m) => m,
  (m) => ({
    message: {
      kind: 'message',
      messageId: 'm',
      role: 'user',
      parts: [{ kind: 'text', text: 'hi', metadata: { m } }],
      metadata: { m },
    },
    metadata: { m },
  }),
  (m) => ({
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ data: m }, { raw: m }, { url: m }, m],
      content: [{ data: { data: m } }, { file: { fileWithBytes: m } }],
    },
  }),
  (m) => ({
    id: 't',
    message: { role: 'user', parts: [{ type: 'data', data: m }, { type: 'file', file: { bytes: m, uri: m } }, m] },
  }),
  (m) => ({
    kind: 'task',
    id: 't',
    contextId: 'c',
    status: { state: 'working', timestamp: m },
    artifacts: [m, { artifactId: 'a', index: m, parts: m }],
    history: m,
  }),
  (m) => ({ id: 't', state: 'working', messages: m, status: { state: m, message: m }, artifacts: m, metadata: m }),
  (m) => ({
    statusUpdate: { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING', timestamp: m } },
    parent: m,
    name: m,
    config: m,
  }),
  (m) => ({
    name: 'n',
    url: m,
    supportedInterfaces: [{ url: m, protocolBinding: 'HTTP+JSON', protocolVersion: '0.3', tenant: m }],
    securitySchemes: m,
    security: m,
    securityRequirements: [m],
    skills: [m],
    capabilities: m,
  }),
  (m) => ({
    name: 'n',
    url: 'u',
    version: '1',
    securitySchemes: { a: m, b: { type: 'oauth2', flows: m } },
    security: [{ a: m }, { b: [m] }],
    authentication: { schemes: [m] },
    skills: m,
  }),
];
