import { expect, test } from 'vitest';
import type { SendMessageRequest } from '../model/operation.ts';
import { operationCodec } from './dialect.ts';
import { encodeRestRequest, restUrl } from './rest/rest-request.ts';
import { dialects, clientDialect } from './select.ts';

const REQUEST: SendMessageRequest = {
  message: {
    messageId: 'm',
    role: 'ROLE_USER',
    contextId: 'c',
    parts: [{ text: 'hi' }, { data: { parts: [{ kind: 'mine' }] } }],
  },
  configuration: { returnImmediately: true },
};

test.each([
  ['JSONRPC', '1.0', 'v1'],
  ['JSONRPC', '0.2', 'v02'],
  ['JSONRPC', '0.1', 'v01'],
  ['HTTP+JSON', '1.0', 'v1'],
  ['HTTP+JSON', '0.3', 'v03-proto'],
  ['HTTP+JSON', '0.2', undefined],
  ['HTTP+JSON', '0.1', 'flat-task'],
] as const)('over %s, version %s selects the dialect %s', (binding, version, name) => {
  expect(clientDialect(binding, version, 'https://example.com/a2a')).toBe(name && dialects[name]);
});

test.each(['SendMessage', 'SendStreamingMessage'] as const)(
  'a client of agent-native encodes %s in its format',
  (operation) => {
    const dialect = clientDialect('JSONRPC', '0.3', 'https://example.com/apps/mail/_agent-native/a2a');
    expect(dialect && operationCodec(dialect, operation).params.encode(REQUEST)).toEqual({
      message: {
        kind: 'message',
        messageId: 'm',
        role: 'user',
        contextId: 'c',
        parts: [
          { type: 'text', text: 'hi' },
          { type: 'data', data: { parts: [{ kind: 'mine' }] } },
        ],
      },
      configuration: { blocking: false },
      contextId: 'c',
      async: true,
    });
  },
);

test('a request to agent-native contains neither async for callers that wait nor a context that was not set', () => {
  const dialect = clientDialect('JSONRPC', '0.3', 'https://example.com/_agent-native/a2a');
  const { contextId: _, ...message } = REQUEST.message;
  const params = dialect && operationCodec(dialect, 'SendMessage').params.encode({ message });
  expect(Object.keys(params as object)).toEqual(['message']);
});

test('tool parts are encoded as tool parts, and other parts are not changed', () => {
  const dialect = clientDialect('JSONRPC', '0.3', 'https://example.com/api/a2a');
  const answer = { toolUseId: 'input-1', result: { value: 'Rome' } };
  const parts = [{ data: answer, metadata: { 'a2a:kind': 'tool-result', mine: 1 } }, { data: answer }];
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts };
  expect(dialect && operationCodec(dialect, 'SendMessage').params.encode({ message })).toMatchObject({
    message: {
      parts: [
        { kind: 'tool-result', ...answer, metadata: { mine: 1 } },
        { kind: 'data', data: answer },
      ],
    },
  });
});

test('the flat form has its own paths', () => {
  const flat = dialects['flat-task'];
  const sent = encodeRestRequest(flat, 'SendMessage', REQUEST);
  expect(sent).toMatchObject({ verb: 'POST', body: { params: { message: 'hi' } } });
  expect(restUrl('https://example.com', sent)).toBe('https://example.com/a2a/tasks/send');
  const asked = encodeRestRequest(flat, 'GetTask', { id: 'a/b' });
  expect([asked.verb, restUrl('https://example.com', asked)]).toEqual(['GET', 'https://example.com/a2a/tasks/a%2Fb']);
});
