import { expect, test } from 'vitest';
import type { Message } from '../../model/message.ts';
import type { TaskStatus } from '../../model/task.ts';
import { Conversation } from './conversation.ts';

const said = (messageId: string): Message => ({ messageId, role: 'ROLE_AGENT', parts: [] });
const status = (messageId?: string): TaskStatus => ({
  state: 'TASK_STATE_WORKING',
  ...(messageId !== undefined && { message: said(messageId) }),
});
const ids = ({ messages }: Conversation): string[] => messages.map(({ messageId }) => messageId);

test('the message of a status becomes history when another status replaces it', () => {
  const conversation = new Conversation([said('1')], status('2'));
  expect(ids(conversation)).toEqual(['1']);
  conversation.see(status('3'));
  expect(ids(conversation)).toEqual(['1', '2']);
  conversation.see(status());
  conversation.see(status());
  expect(ids(conversation)).toEqual(['1', '2', '3']);
});

test('the same status seen twice is one', () => {
  const conversation = new Conversation([], status());
  conversation.see(status('1'));
  conversation.see(status('1'));
  conversation.see(status('2'));
  expect(ids(conversation)).toEqual(['1']);
});

test('its size is that of all messages so far', () => {
  const conversation = new Conversation([said('1')], status());
  const size = (messages: readonly Message[]): number => messages.map((one) => JSON.stringify(one)).join('').length;
  expect(conversation.bytes).toBe(size([said('1')]));
  conversation.add([said('22'), said('333')]);
  expect(conversation.bytes).toBe(size([said('1'), said('22'), said('333')]));
  expect(conversation.bytes).toBe(size(conversation.messages));
});

test('messages from outside follow those that the run knows', () => {
  const history = [said('1')];
  const conversation = new Conversation(history, status('2'));
  conversation.see(status());
  conversation.add([said('3'), said('4')]);
  expect(ids(conversation)).toEqual(['1', '2', '3', '4']);
  expect(history).toHaveLength(1);
});
