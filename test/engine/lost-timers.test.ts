/** Hosts that silently drop the timers of a request when the request ends. */
import { describe, expect, test } from 'vitest';
import type { Worked } from '../../src/engine/on-demand/on-demand.ts';
import type { Clock } from '../../src/support/time/clock.ts';
import { deferred } from '../../src/support/deferred.ts';
import { type Cluster, cluster, type Node, pass, turns } from './cluster.ts';
import { artifactText, until, VARIANTS } from './harness.ts';

const STORED = { returnImmediately: true, elsewhere: true } as const;
const SECOND = 1000;

interface ForgetfulClock extends Clock {
  /** Drops all timers: the requests that set them are over. */
  forget(): void;
}

function forgetful(clock: Clock): ForgetfulClock {
  const cancels = new Set<() => void>();
  return {
    now: () => clock.now(),
    callAt(time, run) {
      const cancel = clock.callAt(time, run);
      cancels.add(cancel);
      return cancel;
    },
    forget() {
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

/** A node that has lost the timers of its first request. */
async function startForgetful({ node, clock }: Cluster): Promise<Node> {
  const own = forgetful(clock);
  const started = await node({ clock: own });
  await started.task('start');
  void started.engine.onDemand.work('no-such-task', { forMs: SECOND, lingers: true });
  await turns(20);
  own.forget();
  return started;
}

describe.each(VARIANTS)('$name', (variant) => {
  test('a request after lost timers works until its deadline and keeps the lease of its task', async () => {
    let runs = 0;
    const all = cluster(
      async ({ text, signal }) => {
        if (text === 'start') return 'done';
        runs++;
        return new Promise<string>((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
      { variant, onDemand: true },
    );
    const [first, other] = [await startForgetful(all), await all.node()];
    const { id } = await other.task('go', STORED);
    let worked: Worked | undefined;
    void first.engine.onDemand.work(id, { forMs: 40 * SECOND }).then((result) => (worked = result));
    await until(() => runs === 1);
    await pass(all.clock, 35 * SECOND, SECOND);
    expect(await other.engine.onDemand.sweep({ forMs: 0, limit: 10 })).toMatchObject({ taken: 0 });
    expect([runs, worked]).toEqual([1, undefined]);
    await pass(all.clock, 6 * SECOND, SECOND);
    expect(worked).toBe('unfinished');
  });

  test('a send on a node with lost timers finds the end of a task that another node runs', async () => {
    const door = deferred<void>();
    let runs = 0;
    const all = cluster(
      async ({ text }) => {
        if (text === 'start') return 'done';
        runs++;
        await door.promise;
        return 'there';
      },
      { variant, onDemand: true },
    );
    const [first, other] = [await startForgetful(all), await all.node()];
    // All hints are lost.
    first.connection.set('held', 'watch');
    let work: Promise<Worked> | undefined;
    const onStored = (id: string): void => void (work = other.engine.onDemand.work(id, { forMs: 60 * SECOND }));
    const answer = first.task('go', { elsewhere: true, onStored });
    await until(() => runs === 1);
    door.resolve();
    await work;
    let text: string | undefined;
    void answer.then((task) => (text = artifactText(task)));
    await pass(all.clock, 6 * SECOND, SECOND);
    expect(text).toBe('there');
  });
});
