import { expect, test } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import type { SendMessageConfiguration } from '../../model/operation.ts';
import { decodeParams } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { asyncFlag } from './request-params.ts';

const repairs = asyncFlag.repairs ?? [];
const message = { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: 'Show signups' }] };
const WARNING = { code: 'async-flag', field: '', description: 'expected configuration.blocking; read async instead' };

test.each<[string, JsonObject, SendMessageConfiguration]>([
  ['async: true returns at once', { async: true }, { returnImmediately: true }],
  ['async: false waits', { async: false }, {}],
  [
    'the rest of the configuration stays',
    { async: true, configuration: { historyLength: 3 } },
    { historyLength: 3, returnImmediately: true },
  ],
  ['the official flag takes precedence', { async: true, configuration: { blocking: true } }, {}],
  ['a configuration of null', { async: true, configuration: null }, { returnImmediately: true }],
])('the async flag is decoded: %s', (_case, params, configuration) => {
  for (const operation of ['SendMessage', 'SendStreamingMessage'] as const) {
    const { value, warnings } = decodeParams(v03, operation, { message, ...params }, { repairs });
    expect(value.configuration).toEqual(configuration);
    expect(warnings).toEqual([WARNING]);
  }
});

test('an async flag that is not a boolean is ignored', () => {
  const { value, warnings } = decodeParams(v03, 'SendMessage', { message, async: 'yes' }, { repairs });
  expect(value).not.toHaveProperty('configuration');
  expect(warnings).toEqual([]);
});

test('a configuration that is not an object is rejected', () => {
  const params = { message, async: true, configuration: 'fast' };
  expect(() => decodeParams(v03, 'SendMessage', params, { repairs })).toThrow('configuration: expected an object');
});

test('strict decoding rejects the async flag', () => {
  expect(() => decodeParams(v03, 'SendMessage', { message, async: true }, { repairs, strict: true })).toThrow(
    expect.objectContaining({
      code: 'INVALID_PARAMS',
      violations: [{ field: '', description: 'expected configuration.blocking' }],
    }),
  );
});
