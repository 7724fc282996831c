import { expect, test } from 'vitest';
import type { Message } from '../../model/message.ts';
import { decode } from '../dialect.ts';
import type { Repair } from '../decoder.ts';
import { message } from './message.ts';

const wire = { role: 'user', parts: [{ type: 'text', text: 'hi' }], metadata: { a: 1 } };

test('a message without an id gets a new id', () => {
  const { value, warnings } = decode(message, wire, 'request', { strict: true, newId: () => 'fresh' });
  expect(value).toEqual({ messageId: 'fresh', role: 'ROLE_USER', parts: [{ text: 'hi' }], metadata: { a: 1 } });
  expect(warnings).toEqual([]);
});

test('members that 0.1 does not have are not encoded', () => {
  const full: Message = {
    messageId: 'm1',
    contextId: 'c1',
    taskId: 't1',
    role: 'ROLE_USER',
    parts: [{ text: 'hi' }],
    metadata: { a: 1 },
    extensions: ['urn:x'],
    referenceTaskIds: ['t0'],
  };
  expect(message.encode(full)).toEqual(wire);
});

test('ids that a caller sends are kept', () => {
  const ids = { messageId: 'm1', contextId: 'c1', taskId: 't1', extensions: ['urn:x'], referenceTaskIds: ['t0'] };
  expect(decode(message, { ...wire, ...ids }, 'request').value).toMatchObject(ids);
});

test('repairs are not called for a message without an id', () => {
  const offered: unknown[] = [];
  const spy: Repair = {
    code: 'spy',
    point: 'message',
    expected: '',
    instead: 'read something else',
    apply(json) {
      offered.push(json['messageId']);
      return undefined;
    },
  };
  decode(message, { ...wire, stranger: 1 }, 'request', { newId: () => 'fresh', repairs: [spy] });
  expect(offered).toEqual(['fresh']);
});

test('a message without role and parts is rejected in a request and accepted in a response', () => {
  expect(() => decode(message, {}, 'request')).toThrow('role: expected the member role (and 1 more)');
  const { value, warnings } = decode(message, {}, 'response', { newId: () => 'fresh' });
  expect(value).toEqual({ messageId: 'fresh', role: 'ROLE_UNSPECIFIED', parts: [] });
  expect(warnings).toHaveLength(2);
});
