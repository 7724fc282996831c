import type { Run } from './run.ts';

/**
 * Returns a promise to await before a run has side effects, if other nodes may have taken over its task; `undefined` if the
 * lease is confirmed.
 */
export function confirmLease(run: Run): Promise<void> | undefined {
  return run.env.liveness.isSureOf(run.leaseEpoch) ? undefined : makeSure(run);
}

async function makeSure(run: Run): Promise<void> {
  const { store, liveness, node, leaseMs, clock } = run.env;
  let since: number;
  do {
    const { leaseEpoch } = liveness;
    since = clock.now();
    // The heartbeat comes first: a lease that is still valid after it stays valid for another lease period.
    await run.reading(() => store.heartbeat(node, leaseMs));
    const stored = await run.reading(() => store.read(run.record, run.taskId, { history: 0 }));
    const { fence, endedAt } = stored?.record ?? {};
    if (fence !== run.record.fence || endedAt !== undefined)
      run.stop('lease-lost', { kind: 'rejected', record: stored?.record });
    run.assertRunning();
    run.leaseEpoch = leaseEpoch;
    // Again, if the response took so long that the lease may have expired.
  } while (!liveness.lasts(since));
}
