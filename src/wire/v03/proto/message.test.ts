import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import type { Message } from '../../../model/message.ts';
import { CARRIER } from '../../carrier.ts';
import { decode } from '../../dialect.ts';
import { artifact, message } from './message.ts';

const FULL: Message = {
  messageId: 'm1',
  contextId: 'c1',
  taskId: 't1',
  role: 'ROLE_USER',
  parts: [{ text: 'hi' }],
  metadata: { a: 1 },
  extensions: ['https://ex.test/x'],
  referenceTaskIds: ['t0', 't00'],
};

test('a message is encoded with content and with task references in its metadata', () => {
  const wire = {
    messageId: 'm1',
    contextId: 'c1',
    taskId: 't1',
    role: 'ROLE_USER',
    content: [{ text: 'hi' }],
    metadata: { a: 1, [CARRIER.referenceTaskIds]: ['t0', 't00'] },
    extensions: ['https://ex.test/x'],
  };
  expect(message.encode(FULL)).toEqual(wire);
  expect(decode(message, wire, 'request')).toEqual({ value: FULL, warnings: [], raw: wire });
});

test('metadata that contained only references is removed after decoding', () => {
  const { metadata: _, ...plain } = FULL;
  expect(decode(message, message.encode(plain), 'request').value).toEqual(plain);
});

test('references under their name in later versions are decoded', () => {
  const wire = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'a' }], referenceTaskIds: ['t0'] };
  expect(decode(message, wire, 'request').value.referenceTaskIds).toEqual(['t0']);
});

test.each([[[]], [[1]], ['t0'], [{ t0: 1 }]])('metadata that is not a list of ids stays metadata: %j', (carried) => {
  const metadata = { [CARRIER.referenceTaskIds]: carried };
  const wire = { messageId: 'm', role: 'ROLE_USER', content: [{ text: 'a' }], metadata };
  const { value } = decode(message, wire, 'request');
  expect(value.metadata).toEqual(metadata);
  expect(value).not.toHaveProperty('referenceTaskIds');
});

test.each([
  ['ROLE_AGENT', 'ROLE_AGENT'],
  [1, 'ROLE_USER'],
  [2, 'ROLE_AGENT'],
])('the role %j is decoded as %s', (role, expected) => {
  const wire = { message_id: 'm', role, content: [{ text: 'a' }] };
  expect(decode(message, wire, 'request').value).toEqual({ messageId: 'm', role: expected, parts: [{ text: 'a' }] });
});

test('content under the name of another style is decoded', () => {
  const wire = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'a' }] };
  expect(decode(message, wire, 'response').value.parts).toEqual([{ text: 'a' }]);
});

test('a request must have all required members of a message', () => {
  try {
    decode(message, { role: 'user', content: [] }, 'request');
    expect.unreachable();
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    expect(error.code).toBe('INVALID_PARAMS');
    expect(error.violations.map(({ field }) => field)).toEqual(['role', 'content', 'messageId']);
  }
});

test('a response can omit members that have the default value', () => {
  const { value, warnings } = decode(message, {}, 'response', { newId: () => 'new' });
  expect(value).toEqual({ messageId: 'new', role: 'ROLE_UNSPECIFIED', parts: [] });
  expect(warnings.map(({ field }) => field)).toEqual(['messageId', 'role', 'content']);
});

test('an artifact has its content in the member parts', () => {
  const value = {
    artifactId: 'a1',
    name: 'n',
    description: 'd',
    parts: [{ raw: 'AQI=' }],
    metadata: {},
    extensions: ['x'],
  };
  const wire = { ...value, parts: [{ file: { fileWithBytes: 'AQI=' } }] };
  expect(artifact.encode(value)).toEqual(wire);
  expect(decode(artifact, wire, 'response').value).toEqual(value);
});
