import type { Run } from './run.ts';

/** Something to wait for before a run does anything elsewhere: others may run the task by now. */
export function certaintyOf(run: Run): Promise<void> | undefined {
  return run.env.liveness.isSureOf(run.spell) ? undefined : makeSure(run);
}

async function makeSure(run: Run): Promise<void> {
  const { store, liveness, node, leaseMs, clock } = run.env;
  let since: number;
  do {
    const { spell } = liveness;
    since = clock.now();
    // First that it lives: what is still its own after that is nobody else's for as long as a lease lasts.
    await run.reading(() => store.heartbeat(node, leaseMs));
    const stored = await run.reading(() => store.read(run.record, run.taskId, { history: 0 }));
    const { fence, endedAt } = stored?.record ?? {};
    if (fence !== run.record.fence || endedAt !== undefined)
      run.stop('lease-lost', { kind: 'refused', record: stored?.record });
    run.assertRunning();
    run.spell = spell;
    // Anew, if it took so long to hear that.
  } while (!liveness.lasts(since));
}
