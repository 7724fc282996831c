import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../test/helpers/verifies.ts';
import { A2AError, type A2AErrorOptions } from '../errors.ts';
import { decodeDetails, encodeDetails, type ErrorFacts, isErrorCode } from './error-details.ts';

const RPC = 'type.googleapis.com/google.rpc';
const INFO = { '@type': `${RPC}.ErrorInfo`, reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' };
const violations = [
  { field: 'message.parts', description: 'expected at least one item' },
  { field: '', description: 'expected an object' },
];

test.each<[string, A2AErrorOptions, readonly object[]]>([
  ['the reason alone', {}, [INFO]],
  ['facts', { details: { taskId: 't1' } }, [{ ...INFO, metadata: { taskId: 't1' } }]],
  ['violations', { violations }, [INFO, { '@type': `${RPC}.BadRequest`, fieldViolations: violations }]],
  ['a delay', { retryAfterMs: 1500 }, [INFO, { '@type': `${RPC}.RetryInfo`, retryDelay: '1.5s' }]],
  ['a delay of zero', { retryAfterMs: 0 }, [INFO, { '@type': `${RPC}.RetryInfo`, retryDelay: '0s' }]],
  [
    'everything',
    { details: { a: 'b' }, violations, retryAfterMs: 2000, cause: new Error('secret') },
    [
      { ...INFO, metadata: { a: 'b' } },
      { '@type': `${RPC}.BadRequest`, fieldViolations: violations },
      { '@type': `${RPC}.RetryInfo`, retryDelay: '2s' },
    ],
  ],
])(verifies(['E-04', 'E-05'], '%s is written as typed google.rpc details'), (_case, options, details) => {
  expect(encodeDetails(new A2AError('TASK_NOT_FOUND', 'gone', options))).toEqual(details);
});

test('encoded error details are decoded to the same facts', () => {
  const delays = fc.option(fc.nat({ max: 86_400_000 }), { nil: undefined });
  const dictionaries = fc.dictionary(fc.string(), fc.string());
  fc.assert(
    fc.property(dictionaries, delays, (facts, retryAfterMs) => {
      const details = Object.fromEntries(Object.entries(facts));
      const error = new A2AError('RATE_LIMIT_EXCEEDED', 'slowly', {
        details,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      expect(decodeDetails(JSON.parse(JSON.stringify(encodeDetails(error))))).toEqual({
        code: 'RATE_LIMIT_EXCEEDED',
        ...(Object.keys(details).length > 0 && { details }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
    }),
  );
});

test.each<[string, unknown, ErrorFacts]>([
  ['no data', undefined, {}],
  ['null', null, {}],
  ['a text', 'Task not found', {}],
  ['an empty list', [], {}],
  ['a list of unknown values', [null, 1, 'x', [], {}, { '@type': `${RPC}.Help`, links: [] }], {}],
  ['an unknown reason', [{ ...INFO, reason: 'QUOTA_DRAINED', metadata: { q: 'a' } }], { details: { q: 'a' } }],
  ['a reason that is a name of Object.prototype', [{ ...INFO, reason: 'constructor' }], {}],
  ['a known reason with another domain', [{ ...INFO, domain: 'googleapis.com' }], { code: 'TASK_NOT_FOUND' }],
  [
    'details in any order',
    [{ '@type': `${RPC}.RetryInfo`, retryDelay: '3s' }, INFO],
    { code: 'TASK_NOT_FOUND', retryAfterMs: 3000 },
  ],
  [
    'numbers among the facts',
    [{ ...INFO, metadata: { n: 1, b: true, o: {}, z: null } }],
    { code: 'TASK_NOT_FOUND', details: { n: '1', b: 'true' } },
  ],
  ['metadata that is a list', [{ ...INFO, metadata: ['a'] }], { code: 'TASK_NOT_FOUND' }],
  ['a delay in milliseconds', [{ '@type': `${RPC}.RetryInfo`, retryDelay: 1500 }], {}],
  ['a delay that cannot be converted to a string', [{ '@type': `${RPC}.RetryInfo`, retryDelay: { toString: 1 } }], {}],
  ['a negative delay', [{ '@type': `${RPC}.RetryInfo`, retryDelay: '-1s' }], {}],
  ['a delay of nanoseconds', [{ '@type': `${RPC}.RetryInfo`, retryDelay: '0.001000001s' }], { retryAfterMs: 1 }],
  [
    'half a violation',
    [{ '@type': `${RPC}.BadRequest`, fieldViolations: [{ field: 'id' }, 'x', { description: 1 }] }],
    {
      violations: [
        { field: 'id', description: '' },
        { field: '', description: '' },
      ],
    },
  ],
  ['violations that are not a list', [{ '@type': `${RPC}.BadRequest`, fieldViolations: {} }], {}],
  ['an object of facts', { taskId: 't1', timeoutSeconds: 300 }, { details: { taskId: 't1', timeoutSeconds: '300' } }],
  [
    'an object with our reason',
    { reason: 'VERSION_NOT_SUPPORTED', supportedVersions: '0.3' },
    { code: 'VERSION_NOT_SUPPORTED', details: { supportedVersions: '0.3' } },
  ],
  ['an object with an unknown reason', { reason: 'Missing field' }, { details: { reason: 'Missing field' } }],
  ['an object with violations', { fieldViolations: violations }, { violations }],
])('error details are decoded: %s', (_case, data, facts) => {
  expect(decodeDetails(data)).toEqual(facts);
});

test('a fact with the name __proto__ is kept like others', () => {
  const { details = {} } = decodeDetails(JSON.parse('{"__proto__":"x","constructor":"y"}'));
  expect(Object.getPrototypeOf(details)).toBe(Object.prototype);
  expect(Object.entries(details)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('only error codes are recognised as codes', () => {
  expect(['TASK_NOT_FOUND', 'task_not_found', 'toString', 1, undefined].map(isErrorCode)).toEqual([
    true,
    false,
    false,
    false,
    false,
  ]);
});
