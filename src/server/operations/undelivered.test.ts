import { expect, test } from 'vitest';
import { A2AError } from '../../errors.ts';
import type { SendMessageResponse } from '../../model/operation.ts';
import type { Task } from '../../model/task.ts';
import { undeliveredCancel, undeliveredSend } from './undelivered.ts';

const REJECTION = new A2AError('RATE_LIMIT_EXCEEDED', 'Too much', { details: { limit: 'l' }, retryAfterMs: 2000 });
const VERIFIED = { caller: { id: 'ann', isVerified: true }, idempotencyKey: undefined };
const ANONYMOUS = { caller: { id: 'anonymous', isVerified: false }, idempotencyKey: undefined };
const TASK = { task: { id: 't-1', status: { state: 'TASK_STATE_COMPLETED' } } };
const MESSAGE = { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [] } };
const GET = 'get task t-1';
const BY_ID = 'repeat the request with the same messageId, which does not run it again';
const BY_KEY = 'repeat the request with the same Idempotency-Key, which does not run it again';

test.each([
  ['a caller with credentials', VERIFIED, { message: { messageId: 'm' } }, TASK, `${GET}, or ${BY_ID}`, 2000],
  ['a caller whose message has no id', VERIFIED, { message: {} }, TASK, GET, undefined],
  ['a caller whose params are not an object', VERIFIED, undefined, TASK, GET, undefined],
  ['an anonymous caller', ANONYMOUS, { message: { messageId: 'm' } }, TASK, GET, undefined],
  ['a caller with an Idempotency-Key', { ...ANONYMOUS, idempotencyKey: 'k' }, {}, TASK, `${GET}, or ${BY_KEY}`, 2000],
  ['a caller that gets a bare message', VERIFIED, { message: { messageId: 'm' } }, MESSAGE, BY_ID, 2000],
  [
    'an anonymous caller that gets a bare message',
    ANONYMOUS,
    {},
    MESSAGE,
    'its result is lost: send an Idempotency-Key with messages',
    undefined,
  ],
])(
  'the error explains how to get the result of the message: %s',
  (_who, context, params, output, advice, retryAfterMs) => {
    const error = undeliveredSend(REJECTION, context, {
      params,
      output: output as SendMessageResponse,
      deduplicateByMessageId: true,
    });

    expect(error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: `Too much. The message was accepted and processed; ${advice}`,
      details: { limit: 'l', accepted: 'true', ...('task' in output && { taskId: 't-1' }) },
      retryAfterMs,
    });
  },
);

test('the error of CancelTask states that the task was canceled', () => {
  const error = undeliveredCancel(REJECTION, ANONYMOUS, {
    params: {},
    output: TASK.task as Task,
    deduplicateByMessageId: true,
  });

  expect(error).toMatchObject({
    message: 'Too much. The task was canceled; get the task to see its result',
    details: { accepted: 'true', taskId: 't-1' },
    retryAfterMs: 2000,
  });
});

test('the error does not advise to repeat the messageId if deduplication is off', () => {
  const params = { message: { messageId: 'm' } };
  const done = { params, output: TASK as SendMessageResponse, deduplicateByMessageId: false };
  const { message, retryAfterMs } = undeliveredSend(REJECTION, VERIFIED, done);

  expect(message).toBe(`Too much. The message was accepted and processed; ${GET}`);
  expect(retryAfterMs).toBeUndefined();
});
