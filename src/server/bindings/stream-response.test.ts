import { expect, test, vi } from 'vitest';
import { dialectOf } from '../../wire/select.ts';
import { NO_CONTINUATION } from '../../host/continuation.ts';
import type { TaskEvents } from '../operations/operation.ts';
import type { Envelope } from './sse-frames.ts';
import type { HttpContext } from './http-context.ts';
import type { MountedAgent } from '../../host/mounted-agent.ts';
import { streamResponse } from './stream-response.ts';

const ENVELOPE: Envelope = { before: '', after: '', error: String, failure: String };
const CALL = {
  caller: { id: 'alice', isVerified: true },
  dialect: dialectOf('1.0'),
  extensions: [],
} as unknown as HttpContext;

function outcomeOf(iterate: () => AsyncIterator<never>): Parameters<typeof streamResponse>[2] {
  const items = { [Symbol.asyncIterator]: iterate } as never;
  const events: TaskEvents = { items, alias: undefined, historyLength: undefined, endsAtQuestion: false };
  return { events, onEnd: vi.fn<() => void>() };
}

function agentWith(streamEnd: () => number): MountedAgent {
  return { host: { access: { streamEnd }, continuation: NO_CONTINUATION } } as unknown as MountedAgent;
}

test('a stream that starts keeps its slot', () => {
  const outcome = outcomeOf(async function* () {});

  const { status } = streamResponse(
    agentWith(() => Infinity),
    CALL,
    outcome,
    ENVELOPE,
  );

  expect(status).toBe(200);
  expect(outcome.onEnd).not.toHaveBeenCalled();
});

test('a stream that fails before it starts releases its slot and its events', () => {
  const leave = vi.fn<() => Promise<IteratorReturnResult<undefined>>>(async () => ({ done: true, value: undefined }));
  const outcome = outcomeOf(() => ({ next: async () => ({ done: true, value: undefined }), return: leave }));
  const mounted = agentWith(() => {
    throw new RangeError('No such time');
  });

  expect(() => streamResponse(mounted, CALL, outcome, ENVELOPE)).toThrow('No such time');
  expect(outcome.onEnd).toHaveBeenCalledTimes(1);
  expect(leave).toHaveBeenCalledTimes(1);
});

test('a stream whose events cannot be read releases its slot', () => {
  const outcome = outcomeOf(() => {
    throw new Error('Not there');
  });

  expect(() =>
    streamResponse(
      agentWith(() => Infinity),
      CALL,
      outcome,
      ENVELOPE,
    ),
  ).toThrow('Not there');
  expect(outcome.onEnd).toHaveBeenCalledTimes(1);
});
