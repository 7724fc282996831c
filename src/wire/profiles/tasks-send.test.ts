import { expect, test } from 'vitest';
import { tasksSendAlias } from './request-params.ts';

const kind = { role: 'user', parts: [{ kind: 'text', text: 'Research quantum computing trends' }] };
const type = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

test.each<[string, string, unknown, string | undefined]>([
  ['params of 0.2', 'tasks/send', { message: { ...kind, messageId: 'm1' } }, 'SendMessage'],
  ['parts of 0.2', 'tasks/send', { message: kind }, 'SendMessage'],
  ['a message id of 0.2', 'tasks/send', { message: { ...type, messageId: 'm1' } }, 'SendMessage'],
  ['a stream with params of 0.2', 'tasks/sendSubscribe', { message: kind }, 'SendStreamingMessage'],
  ['a null for the id', 'tasks/send', { id: null, message: kind }, 'SendMessage'],
  ['a task id of the caller', 'tasks/send', { id: 't1', message: { ...kind, messageId: 'm1' } }, undefined],
  ['params of 0.1', 'tasks/send', { id: 't1', sessionId: 's1', message: type }, undefined],
  ['neither an id nor members of 0.2', 'tasks/send', { message: type }, undefined],
  ['a null for the message id', 'tasks/send', { message: { ...type, messageId: null } }, undefined],
  ['no message', 'tasks/send', {}, undefined],
  ['a text as message', 'tasks/send', { message: 'hi' }, undefined],
  ['invalid parts', 'tasks/send', { message: { role: 'user', parts: ['kind', null] } }, undefined],
  ['params that are a list', 'tasks/send', [kind], undefined],
  ['no params', 'tasks/send', undefined, undefined],
  ['another method', 'message/send', { message: kind }, undefined],
  ['a method that is a name of Object.prototype', 'constructor', { message: kind }, undefined],
])('the version of a call is detected from %s: %s', (_case, method, params, operation) => {
  expect(tasksSendAlias(method, params)?.operation).toBe(operation);
});

test('the deviating method name leaves a warning', () => {
  expect(tasksSendAlias('tasks/send', { message: kind })?.warnings).toEqual([
    { code: 'tasks-send-alias', field: '', description: 'expected the method message/send; read tasks/send instead' },
  ]);
});
