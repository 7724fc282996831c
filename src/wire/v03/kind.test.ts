import { expect, test } from 'vitest';
import { decodeParams, decodeResult } from '../dialect.ts';
import { v03 } from './index.ts';

const MESSAGE = { messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };

test.each([undefined, 'task', 7])(
  'a message of the kind %j is decoded with a warning, and rejected in strict mode',
  (kind) => {
    const params = { message: { ...MESSAGE, kind } };
    expect(decodeParams(v03, 'SendMessage', params).warnings).toEqual([
      { code: 'kind-missing', field: 'message.kind', description: "expected 'message'" },
    ]);
    expect(() => decodeParams(v03, 'SendMessage', params, { strict: true })).toThrow(
      "message.kind: expected 'message'",
    );
  },
);

test.each([
  ['task', { id: 't1', contextId: 'c1', status: { state: 'working' } }],
  ['status-update', { taskId: 't1', contextId: 'c1', status: { state: 'working' }, final: false }],
  [
    'artifact-update',
    { taskId: 't1', contextId: 'c1', artifact: { artifactId: 'a1', parts: [{ kind: 'text', text: 'yo' }] } },
  ],
])('an item without kind is recognised as %s', (kind, item) => {
  const untagged = decodeResult(v03, 'SubscribeToTask', item);
  const tagged = decodeResult(v03, 'SubscribeToTask', { kind, ...item }, { strict: true });
  expect(untagged.value).toEqual(tagged.value);
  expect(untagged.warnings.map(({ field }) => field)).toEqual(['kind']);
  expect(tagged.warnings).toEqual([]);
});

test('a value that is not an object is reported once', () => {
  expect(() => decodeParams(v03, 'SendMessage', { message: 'hi' })).toThrow(/^message: expected an object$/);
});
