/** Canceling a task cancels the tasks of the agents that it has called, whatever happens in between. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../../src/engine/calls/call.ts';
import type { Handler } from '../../src/engine/handler.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { deferred } from '../../src/support/deferred.ts';
import { agentsOf, calling, echo, tasksOf } from './calling.ts';
import { pass, untilAborted } from './cluster.ts';
import { ANN, artifactText, type Harness, openStore, startHarness, until, VARIANTS, withMethods } from './harness.ts';

const waits: Handler = async ({ signal }) => {
  await untilAborted(signal);
  return 'stopped';
};

async function stateOf(host: Harness, agent: string): Promise<string | undefined> {
  const [record] = await tasksOf(host, agent);
  return record?.status.state;
}

async function firstId(host: Harness, agent: string): Promise<string> {
  await until(async () => (await tasksOf(host, agent)).length > 0);
  return (await tasksOf(host, agent))[0]?.id ?? '';
}

/** Cancels, and lets the grace periods pass. */
async function canceled(host: Harness, taskId: string): Promise<void> {
  const cancel = host.engine.cancel(ANN, taskId);
  await pass(host.clock, 5000, 500);
  await cancel;
}

describe.each(VARIANTS)('on $name', (variant) => {
  const callsNext =
    (next: string): Handler =>
    async ({ call }) =>
      (await call(next, 'x')).text;

  test('a cancel reaches the whole tree', async () => {
    const others = { middle: callsNext('bottom'), bottom: waits };
    const host = await calling(callsNext('middle'), others, { variant });
    const parent = host.task('go');
    await firstId(host, 'bottom');

    await canceled(host, await firstId(host, 'agent'));
    await pass(host.clock, 10_000, 500);

    expect((await parent).status.state).toBe('TASK_STATE_CANCELED');
    for (const agent of ['middle', 'bottom'])
      await until(async () => (await stateOf(host, agent)) === 'TASK_STATE_CANCELED');
    expect(await host.store.countCalls(ANN)).toBe(0);
  });

  test('a canceled child is not a result', async () => {
    const run: Handler = async ({ call }) => {
      const { outcome } = await call('bottom', 'x', { throwOnFailure: false });
      return outcome;
    };
    const host = await calling(run, { bottom: waits }, { variant });
    const parent = host.task('go');

    await canceled(host, await firstId(host, 'bottom'));

    expect(artifactText(await parent)).toBe('canceled');
  });

  test('a task that ends leaves no running child, except for calls with onParentEnd: leave', async () => {
    const run: Handler = async ({ startCall }) => {
      await startCall('canceled', 'x');
      await startCall('left', 'x', { onParentEnd: 'leave' });
      return 'done';
    };
    const slow: Handler = async ({ sleep }) => {
      await sleep(20_000);
      return 'ready';
    };
    const host = await calling(run, { canceled: slow, left: slow }, { variant });

    await host.task('go');
    await pass(host.clock, 30_000, 500);

    await until(async () => (await stateOf(host, 'left')) === 'TASK_STATE_COMPLETED');
    await until(async () => (await stateOf(host, 'canceled')) === 'TASK_STATE_CANCELED');
    expect(await host.store.countCalls(ANN)).toBe(0);
  });

  test('the calls of a turn that pauses are canceled with it', async () => {
    const run: Handler = async function* ({ startCall, text }) {
      if (text !== 'go') return 'second turn';
      await startCall('bottom', 'x');
      yield { status: 'input-required', text: 'And now?' };
      return undefined;
    };
    const host = await calling(run, { bottom: waits }, { variant });

    const paused = await host.task('go');
    await pass(host.clock, 5000, 500);

    await until(async () => (await stateOf(host, 'bottom')) === 'TASK_STATE_CANCELED');
    expect(artifactText(await host.reply(paused, 'next'))).toBe('second turn');
  });

  test('call.cancel() cancels one call and leaves the others', async () => {
    const run: Handler = async ({ startCall }) => {
      const calls: Call[] = [await startCall('bottom', 'x'), await startCall('echo', 'y')];
      await calls[0]?.cancel();
      const replies = await Promise.all(calls.map((call) => call.result({ throwOnFailure: false })));
      return replies.map(({ outcome }) => outcome).join();
    };
    const host = await calling(run, { bottom: waits, echo }, { variant });
    const parent = host.task('go');
    await pass(host.clock, 5000, 500);

    expect(artifactText(await parent)).toBe('canceled,completed');
  });

  test('a call that is made while the cancel is stored is not made', async () => {
    const gate = deferred<void>();
    let error: unknown;
    const run: Handler = async ({ call, status, signal }) => {
      await status('working');
      await untilAborted(signal);
      gate.resolve();
      await call('echo', 'x').catch((reason: unknown) => (error = reason));
      return 'done';
    };
    const host = await calling(run, { echo }, { variant });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'agent'))[0]?.visible === true);

    await canceled(host, await firstId(host, 'agent'));
    await gate.promise;

    expect((await parent).status.state).toBe('TASK_STATE_CANCELED');
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(await tasksOf(host, 'echo')).toEqual([]);
  });

  test('a child that is being created when the cancel comes ends as canceled', async () => {
    const holding = deferred<void>();
    const isHeld = deferred<void>();
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const create: Store['create'] = async (task, onAccepted) => {
      if (task.agent === 'bottom') {
        isHeld.resolve();
        await holding.promise;
      }
      return store.create(task, onAccepted);
    };
    const agents = agentsOf(callsNext('bottom'), { bottom: waits });
    const { maxSuspended } = variant;
    const host = await startHarness({ store: withMethods(store, { create }), agents, clock, maxSuspended }, clock);
    const parent = host.task('go');
    await isHeld.promise;
    const cancel = host.engine.cancel(ANN, await firstId(host, 'agent'));
    await pass(host.clock, 1000, 500);
    holding.resolve();
    await pass(host.clock, 10_000, 500);
    await cancel;

    expect((await parent).status.state).toBe('TASK_STATE_CANCELED');
    await until(async () => (await stateOf(host, 'bottom')) === 'TASK_STATE_CANCELED');
    expect(await host.store.countCalls(ANN)).toBe(0);
  });

  test('a call whose changed handler no longer makes it is canceled at the end of the turn', async () => {
    const before: Handler = async ({ call, ask }) => {
      await Promise.all([call('bottom', 'x'), ask('Go on?')]);
      return 'before';
    };
    const after: Handler = async ({ ask }) => {
      await ask('Go on?');
      return 'after';
    };
    const first = await calling(before, { bottom: waits }, { variant });
    const asking = await first.task('go');
    await until(async () => (await tasksOf(first, 'bottom')).length === 1);
    const second = await first.restart({ agents: agentsOf(after, { bottom: waits }) });

    const done = await second.reply(asking, 'yes');
    await pass(second.clock, 5000, 500);

    expect(artifactText(done)).toBe('after');
    expect(second.log.find(({ message }) => message.startsWith('Handler no longer matches'))?.fields).toMatchObject({
      recorded: ['call bottom'],
    });
    await until(async () => (await stateOf(second, 'bottom')) === 'TASK_STATE_CANCELED');
  });
});
