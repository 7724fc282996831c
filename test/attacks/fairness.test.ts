/** One caller floods the slots and the queue of an agent; other callers get their normal responses. */
import { expect, test } from 'vitest';

import { call, type Reply, sendOf, times } from './calls.ts';
import { type Victim, victims, whileBobCalls } from './victim.ts';

const start = victims();

/** Floods while bob is served, also after the last message: the tasks are still there then. */
function floodWhileBobCalls(victim: Victim, caller: string, count: number): Promise<readonly Reply[]> {
  return whileBobCalls(victim, async (bob) => {
    const replies = await flood(victim, caller, count);
    await bob.served();
    return replies;
  });
}

/** Sends so many messages whose tasks keep the slot that they get; the replies are in the order of the messages. */
async function flood({ port }: Victim, caller: string, count: number): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (let sent = 0; sent < count; sent += 50) {
    const some = times(Math.min(50, count - sent), () =>
      call(port, caller, sendOf('stay', { returnImmediately: true })),
    );
    replies.push(...(await Promise.all(some)));
  }
  return replies;
}

function statuses(replies: readonly Reply[]): Readonly<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('a caller that sends all messages its rate allows leaves slots to another caller', async () => {
  const victim = await start({ heapMb: 64, store: 'sqlite' });

  // With all limits at their defaults this is its burst: 90 tasks run, 10 wait.
  expect(statuses(await floodWhileBobCalls(victim, 'alice', 100))).toEqual({ 200: 100 });
});

test('a caller that fills the slots and the queue keeps no other caller out', async () => {
  // All limits but the rate have their defaults: at the default rate it would take two minutes.
  const victim = await start({ heapMb: 64, store: 'sqlite', isUnlimited: true });

  // The reserve has ten slots for callers that run nothing: carol's first task takes one and keeps it.
  expect(statuses(await flood(victim, 'carol', 1))).toEqual({ 200: 1 });
  const replies = await floodWhileBobCalls(victim, 'alice', 1150);

  // Of alice 90 tasks run and 1,000 wait; the rest is rejected. While bob has a task waiting, she may fill 800 places only.
  const { 200: accepted = 0, 503: rejected = 0 } = statuses(replies);
  expect(accepted + rejected).toBe(1150);
  expect(accepted).toBeGreaterThanOrEqual(890);
  expect(accepted).toBeLessThanOrEqual(1090);
  const last = replies.at(-1);
  expect(last?.headers.get('retry-after')).toBe('1');
  expect(last?.text).toMatch(/This agent is busy: .* Nothing was stored\. Send the message again/);
  // What carol sends besides has to wait, and there is room for it in the queue; bob is served meanwhile.
  expect(statuses(await floodWhileBobCalls(victim, 'carol', 5))).toEqual({ 200: 5 });
  expect(statuses(await flood(victim, 'alice', 1))).toEqual({ 503: 1 });
});
