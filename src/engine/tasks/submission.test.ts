import { expect, test } from 'vitest';
import type { Message } from '../../model/message.ts';
import { assertStorable, contentDigest, idempotencyOf, originOfSubmission, type Submission } from './submission.ts';

const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'a' }] };
const submission: Submission = {
  tenant: '',
  owner: 'ann',
  agent: 'agent',
  message,
  caller: { id: 'ann', isVerified: true },
};
const anonymous = { ...submission, caller: { id: 'x', isVerified: false } };

test('a request is known by its key, or by the id and the content of its message if the caller is verified', () => {
  const content = contentDigest(submission);
  expect(idempotencyOf({ ...submission, idempotencyKey: 'k' }, 0)).toMatchObject({ key: 'agent/k:k' });
  expect(idempotencyOf(submission, 0)).toMatchObject({ key: `agent/m:m:${content}`, digest: content });
  expect(idempotencyOf({ ...anonymous, idempotencyKey: 'k' }, 0)).toMatchObject({ key: 'agent/k:k' });
  expect(idempotencyOf(anonymous, 0)).toBeUndefined();
  expect(idempotencyOf({ ...submission, agent: 'other' }, 0)?.key).toMatch(/^other\/m:m:/);
});

test('with deduplicateByMessageId: false a request is known by its key only', () => {
  const off = { ...submission, deduplicateByMessageId: false };
  expect(idempotencyOf(off, 0)).toBeUndefined();
  expect(idempotencyOf({ ...off, idempotencyKey: 'k' }, 0)).toMatchObject({ key: 'agent/k:k' });
});

test('a key that looks like the id of a message is none', () => {
  const keys = [idempotencyOf({ ...submission, idempotencyKey: 'm:m' }, 0), idempotencyOf(submission, 0)];
  expect(new Set(keys.map((idempotency) => idempotency?.key)).size).toBe(2);
});

test('a request is remembered for a day', () => {
  expect(idempotencyOf(submission, 1000)?.keepUntil).toBe(1000 + 24 * 60 * 60 * 1000);
});

test.each<[string, Partial<Submission>]>([
  ['another agent', { agent: 'other' }],
  ['another task', { message: { ...message, taskId: 't' } }],
  ['another context', { message: { ...message, contextId: 't' } }],
  ['other parts', { message: { ...message, parts: [{ text: 'b' }] } }],
  ['parts cut otherwise', { message: { ...message, parts: [{ text: 'a' }, { text: '' }] } }],
])('%s is other content', (_, other) => {
  expect(contentDigest({ ...submission, ...other })).not.toBe(contentDigest(submission));
});

test('how the content is delivered does not matter', () => {
  const other = { ...submission, returnImmediately: true, metadata: { a: 1 }, message: { ...message, messageId: 'n' } };
  expect(contentDigest(other)).toBe(contentDigest(submission));
});

test('the origin keeps only the parts of a request that runs need', () => {
  const { caller } = submission;
  expect(originOfSubmission(submission)).toEqual({ caller, acceptedOutputModes: [] });
  const more = { metadata: { a: 1 }, extensions: ['x'], acceptedOutputModes: ['text/plain'] };
  expect(originOfSubmission({ ...submission, ...more, idempotencyKey: 'k' })).toEqual({ caller, ...more });
});

test.each<[string, number, (name: string) => Partial<Submission>]>([
  ['tenant', 256, (tenant) => ({ tenant })],
  ['owner', 512, (owner) => ({ owner })],
  ['message.messageId', 256, (messageId) => ({ message: { ...message, messageId } })],
  ['message.contextId', 256, (contextId) => ({ message: { ...message, contextId } })],
  ['message.taskId', 256, (taskId) => ({ message: { ...message, taskId } })],
  ['idempotencyKey', 256, (idempotencyKey) => ({ idempotencyKey })],
  ['alias', 256, (alias) => ({ alias })],
])('%s may have %d characters, and not one more', (field, most, named) => {
  assertStorable({ ...submission, ...named('x'.repeat(most)) });
  expect(() => assertStorable({ ...submission, ...named('x'.repeat(most + 1)) })).toThrow(
    `${field} must have at most ${most} characters`,
  );
});
