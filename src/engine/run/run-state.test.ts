import { expect, test } from 'vitest';
import {
  afterClaim,
  afterEnd,
  afterRelease,
  afterSignal,
  afterStop,
  hasEnded,
  holdsLease,
  RUNNING,
  type RunState,
} from './run-state.ts';

const SUSPENDED = afterRelease(RUNNING);
const ENDING = afterEnd(RUNNING);
const WAITING_TO_END = afterEnd(SUSPENDED);
const OVER = afterStop(ENDING);

test.each<[string, (state: RunState) => RunState, readonly string[]]>([
  ['its lease is released', afterRelease, ['suspended', 'suspended', 'ending, not held', 'ending, not held', 'over']],
  ['it is claimed again', afterClaim, ['running', 'running', 'ending, held', 'ending, held', 'over']],
  ['its handler ends', afterEnd, ['ending, held', 'ending, not held', 'ending, held', 'ending, not held', 'over']],
  ['its end is stored', (state) => afterStop(state), ['over', 'over', 'over', 'over', 'over']],
])('a run changes its state when %s', (_event, after, states) => {
  expect([RUNNING, SUSPENDED, ENDING, WAITING_TO_END, OVER].map((state) => nameOf(after(state)))).toEqual(states);
});

test('a cancel replaces a timeout as the reason to stop, and no other reason is replaced', () => {
  const timedOut = afterSignal(RUNNING, 'timeout');
  const canceled = afterSignal(timedOut, 'canceled');
  expect([timedOut.stop, canceled.stop]).toEqual(['timeout', 'canceled']);
  expect(afterSignal(canceled, 'timeout').stop).toBe('canceled');
  expect(afterStop(afterEnd(canceled), 'lease-lost').stop).toBe('canceled');
  expect(afterStop(RUNNING, 'lease-lost').stop).toBe('lease-lost');
  expect(afterSignal(OVER, 'canceled').stop).toBeUndefined();
});

test('a run keeps its reason to stop while it is suspended, claimed and ending', () => {
  const canceled = afterSignal(RUNNING, 'canceled');
  const states = [afterRelease(canceled), afterClaim(afterRelease(canceled)), afterEnd(canceled)];
  expect(states.map(({ stop }) => stop)).toEqual(['canceled', 'canceled', 'canceled']);
});

test('only running and ending runs can hold a lease, and only ending and ended runs ignore their handler', () => {
  const states = [RUNNING, SUSPENDED, ENDING, WAITING_TO_END, OVER];
  expect(states.map(holdsLease)).toEqual([true, false, true, false, false]);
  expect(states.map(hasEnded)).toEqual([false, false, true, true, true]);
});

function nameOf(state: RunState): string {
  return state.kind === 'ending' ? `ending, ${state.isHeld ? 'held' : 'not held'}` : state.kind;
}
