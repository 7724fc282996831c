import { expect, test } from 'vitest';
import type { SendMessageConfiguration } from '../../model/operation.ts';
import { decodeParams, operationCodec, operationOf } from '../dialect.ts';
import { v02 } from '../v02/index.ts';
import { v03 } from './index.ts';

const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'hi' }] };
const model = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } as const;

test.each<[object, SendMessageConfiguration]>([
  [{}, {}],
  [{ blocking: true }, {}],
  [{ blocking: false }, { returnImmediately: true }],
  [{ historyLength: 0 }, { historyLength: 0 }],
  [{ acceptedOutputModes: [] }, {}],
  [
    { pushNotificationConfig: { url: 'https://h.example', token: 'k' } },
    { taskPushNotificationConfig: { url: 'https://h.example', token: 'k' } },
  ],
])('the configuration %j is decoded as %j', (configuration, expected) => {
  expect(decodeParams(v03, 'SendMessage', { message, configuration }).value).toEqual({
    message: model,
    configuration: expected,
  });
});

test('returnImmediately is encoded as its opposite, blocking', () => {
  const { encode } = operationCodec(v03, 'SendMessage').params;
  expect(encode({ message: model, configuration: { returnImmediately: true } })).toEqual({
    message,
    configuration: { blocking: false },
  });
});

test('a message without kind is accepted, except in strict mode', () => {
  const { kind: _, ...untagged } = message;
  expect(decodeParams(v03, 'SendMessage', { message: untagged }).value).toEqual({ message: model });
  expect(() => decodeParams(v03, 'SendMessage', { message: untagged }, { strict: true })).toThrow(
    expect.objectContaining({ violations: [{ field: 'message.kind', description: "expected 'message'" }] }),
  );
});

test('a request is encoded without the tenant', () => {
  expect(operationCodec(v03, 'GetTask').params.encode({ tenant: 'x', id: 't' })).toEqual({ id: 't' });
});

test.each([
  [v03, 'agent/getAuthenticatedExtendedCard', 'GetExtendedAgentCard'],
  [v03, 'agent/authenticatedExtendedCard', 'GetExtendedAgentCard'],
  [v02, 'agent/getAuthenticatedExtendedCard', undefined],
  [v03, 'tasks/resubscribe', 'SubscribeToTask'],
  [v03, 'tasks/list', undefined],
  [v03, 'constructor', undefined],
  [v03, '__proto__', undefined],
])('$name: the method %s is decoded as %s', (dialect, method, operation) => {
  expect(operationOf(dialect, method)).toBe(operation);
});

test('a 0.2 request always has acceptedOutputModes, because versions before 0.2.5 require it', () => {
  const { encode } = operationCodec(v02, 'SendMessage').params;
  const modes = ['text/plain', 'application/json'];
  expect(encode({ message: model, configuration: {} })).toMatchObject({
    configuration: { acceptedOutputModes: modes },
  });
  expect(encode({ message: model, configuration: { acceptedOutputModes: ['a/b'] } })).toMatchObject({
    configuration: { acceptedOutputModes: ['a/b'] },
  });
  expect(encode({ message: model })).toEqual({ message });
});
