import { expect, test } from 'vitest';
import type { FieldViolation } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { decodeParams, decodeResult } from '../dialect.ts';
import { v03 } from '../v03/index.ts';
import { strayIds } from './request-params.ts';

const options = { repairs: strayIds.repairs ?? [], newId: () => 'made-up' };
const bare = { kind: 'message', role: 'user', parts: [{ kind: 'text', text: "I'd like to book a flight." }] };
const said: Omit<Message, 'messageId'> = { role: 'ROLE_USER', parts: [{ text: "I'd like to book a flight." }] };

const BESIDE = {
  code: 'ids-beside-message',
  field: '',
  description: 'expected messageId and contextId inside the message; read them from the params',
};
const MISSING = {
  code: 'message-id-missing',
  field: 'message',
  description: 'expected the member messageId; generated one',
};

test.each<[string, JsonObject, Message, readonly object[]]>([
  [
    'messageId beside the message, as in the multi-turn example of 0.2',
    { message: bare, messageId: 'c53ba666' },
    { messageId: 'c53ba666', ...said },
    [BESIDE],
  ],
  [
    'contextId beside the message, as two systems send it',
    { message: { ...bare, messageId: 'm1' }, contextId: 'c1' },
    { messageId: 'm1', contextId: 'c1', ...said },
    [BESIDE],
  ],
  [
    'both',
    { message: bare, messageId: 'm1', contextId: 'c1' },
    { messageId: 'm1', contextId: 'c1', ...said },
    [BESIDE],
  ],
  ['no message id', { message: bare }, { messageId: 'made-up', ...said }, [MISSING]],
  ['a message id of null', { message: { ...bare, messageId: null } }, { messageId: 'made-up', ...said }, [MISSING]],
  [
    'no message id and contextId beside',
    { message: bare, contextId: 'c1' },
    { messageId: 'made-up', contextId: 'c1', ...said },
    [BESIDE, MISSING],
  ],
  [
    'ids beside a message that has its own, which win',
    { message: { ...bare, messageId: 'm1', contextId: 'c1' }, messageId: 'm2', contextId: 'c2' },
    { messageId: 'm1', contextId: 'c1', ...said },
    [],
  ],
  [
    'an id beside that is no text',
    { message: { ...bare, messageId: 'm1' }, contextId: 7 },
    { messageId: 'm1', ...said },
    [],
  ],
])('an id outside its message is moved: %s', (_case, params, message, warnings) => {
  const read = decodeParams(v03, 'SendMessage', params, options);
  expect(read.value).toEqual({ message });
  expect(read.warnings).toEqual(warnings);
});

test('other params are kept when ids are moved', () => {
  const params = { message: bare, messageId: 'm1', configuration: { blocking: false }, metadata: { a: 1 } };
  expect(decodeParams(v03, 'SendMessage', params, options).value).toMatchObject({
    configuration: { returnImmediately: true },
    metadata: { a: 1 },
  });
});

test('a message that is not an object is rejected, even with ids beside it', () => {
  expect(() => decodeParams(v03, 'SendMessage', { message: 'hi', contextId: 'c1' }, options)).toThrow(
    expect.objectContaining({ violations: [{ field: 'message', description: 'expected an object' }] }),
  );
});

test('a status message without an id is accepted in responses', () => {
  const status = {
    state: 'input-required',
    message: { kind: 'message', role: 'agent', parts: [{ kind: 'text', text: 'Where to?' }] },
  };
  const { value, warnings } = decodeResult(
    v03,
    'GetTask',
    { kind: 'task', id: 't1', contextId: 'c1', status },
    options,
  );
  expect(value.status.message).toEqual({ messageId: 'made-up', role: 'ROLE_AGENT', parts: [{ text: 'Where to?' }] });
  expect(warnings).toEqual([{ ...MISSING, field: 'status.message' }]);
});

const NO_ID: FieldViolation = { field: 'message.messageId', description: 'expected the member messageId' };
const OUTSIDE: FieldViolation = { field: '', description: 'expected messageId and contextId inside the message' };

test.each<[string, JsonObject, readonly FieldViolation[]]>([
  ['messageId beside the message', { message: bare, messageId: 'c53ba666' }, [NO_ID, OUTSIDE]],
  ['contextId beside the message', { message: { ...bare, messageId: 'm1' }, contextId: 'c1' }, [OUTSIDE]],
  ['no message id', { message: bare }, [NO_ID]],
])('strict decoding rejects %s', (_case, params, violations) => {
  expect(() => decodeParams(v03, 'SendMessage', params, { ...options, strict: true })).toThrow(
    expect.objectContaining({ code: 'INVALID_PARAMS', violations }),
  );
});
