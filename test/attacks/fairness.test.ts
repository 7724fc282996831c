/** One caller floods the slots and the queue of an agent; other callers get their normal responses. */
import { expect, test } from 'vitest';

import { call, type Reply, sendOf, times } from './calls.ts';
import { type Victim, victims, whileBobCalls } from './victim.ts';

const start = victims();

/** Floods while bob calls, and waits for one more response to bob after the last message: the tasks still run then. */
function floodWhileBobCalls(victim: Victim, caller: string, count: number): Promise<readonly Reply[]> {
  return whileBobCalls(victim, async (bob) => {
    const replies = await flood(victim, caller, count);
    await bob.served();
    return replies;
  });
}

/** Sends `count` messages whose tasks keep their slots; the replies are in the order of the messages. */
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

test('the server still serves other callers after one caller has filled the slots and the queue', async () => {
  // All limits but the rate have their defaults: at the default rate it would take two minutes.
  const victim = await start({ heapMb: 64, store: 'sqlite', isUnlimited: true });

  // The reserve has ten slots for callers that run nothing: carol's first task takes one and keeps it.
  expect(statuses(await flood(victim, 'carol', 1))).toEqual({ 200: 1 });
  const replies = await floodWhileBobCalls(victim, 'alice', 1150);

  // 90 tasks of alice run and 1,000 wait; the server rejects the others. While a task of bob waits, alice may queue only 800.
  const { 200: accepted = 0, 503: rejected = 0 } = statuses(replies);
  expect(accepted + rejected).toBe(1150);
  expect(accepted).toBeGreaterThanOrEqual(890);
  expect(accepted).toBeLessThanOrEqual(1090);
  const last = replies.at(-1);
  expect(last?.headers.get('retry-after')).toBe('1');
  expect(last?.text).toMatch(/This agent is busy: .* The message was not stored\. Send the message again/);
  // Further messages of carol wait in the queue, which has room for them; bob is served meanwhile.
  expect(statuses(await floodWhileBobCalls(victim, 'carol', 5))).toEqual({ 200: 5 });
  expect(statuses(await flood(victim, 'alice', 1))).toEqual({ 503: 1 });
});
