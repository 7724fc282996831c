/** Calls between agents of one host: what a handler can call, and what it gets. */
import { describe, expect, test } from 'vitest';
import { CallError, type Call, type CallReply } from '../../src/engine/calls/call.ts';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';
import type { Runnable } from '../../src/engine/runnable.ts';
import { A2AError } from '../../src/errors.ts';
import { deferred } from '../../src/support/deferred.ts';
import { calling, echo, failureOf, tasksOf } from './calling.ts';
import { pass, untilAborted } from './cluster.ts';
import { ANN, artifactText, runnable, statusText, until, userMessage, VARIANTS } from './harness.ts';

describe.each(VARIANTS)('on $name', (variant) => {
  test('a handler calls another agent and gets its result', async () => {
    const { task, store } = await calling(
      async ({ call }) => {
        const { outcome, text } = await call('echo', 'hello');
        return `${outcome}: ${text}`;
      },
      { echo },
      { variant },
    );

    expect(artifactText(await task('go'))).toBe('completed: echo hello');
    expect(await store.countCalls(ANN)).toBe(0);
  });

  test('the results of several calls arrive in the order in which they were recorded, also in a replay', async () => {
    const gates: Record<string, ReturnType<typeof deferred<void>>> = {};
    const gated: Handler = async ({ text }) => {
      await (gates[text] ??= deferred<void>()).promise;
      return text;
    };
    const seen: string[][] = [];
    const run: Handler = async ({ call, ask }) => {
      const order: string[] = [];
      seen.push(order);
      const one = async (text: string): Promise<string> => {
        const reply = await call('gated', text);
        order.push(reply.text);
        return reply.text;
      };
      const all = await Promise.all([one('a'), one('b'), one('c')]);
      await ask('Go on?');
      return all.join();
    };
    const first = await calling(run, { gated }, { variant });
    const parent = first.task('go');
    for (const text of ['b', 'c', 'a']) {
      await until(() => gates[text] !== undefined);
      gates[text]?.resolve();
      await until(() => seen.at(-1)?.includes(text) === true);
    }
    const asking = await parent;
    const second = await first.restart();

    expect(artifactText(await second.reply(asking, 'yes'))).toBe('a,b,c');
    expect(seen.at(-1)).toEqual(['b', 'c', 'a']);
    expect(await tasksOf(second, 'gated')).toHaveLength(3);
  });

  test('a task that waits only for calls holds neither a slot nor a lease', async () => {
    const gate = deferred<void>();
    const slow: Handler = async () => {
      await gate.promise;
      return 'done';
    };
    const host = await calling(async ({ call }) => (await call('slow', 'x')).text, { slow }, { variant });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'slow')).length === 1 && host.engine.runningTasks().length === 1);

    const [waiting] = await tasksOf(host, 'agent');
    expect(waiting).toMatchObject({ status: { state: 'TASK_STATE_WORKING' }, openCalls: 1 });
    expect(waiting?.node).toBeUndefined();
    expect(host.engine.runningTasks()).not.toContain(waiting?.id);
    gate.resolve();
    expect(artifactText(await parent)).toBe('done');
  });

  test('Promise.race returns the first result, and the loser is canceled through its signal', async () => {
    const stopped = deferred<void>();
    const never: Handler = async ({ signal }) => {
      await untilAborted(signal);
      stopped.resolve();
      return 'too late';
    };
    const run: Handler = async ({ call }) => {
      const loser = new AbortController();
      const winner = await Promise.race([call('never', 'x', { signal: loser.signal }), call('echo', 'y')]);
      loser.abort();
      return winner.text;
    };
    const host = await calling(run, { never, echo }, { variant, limits: {} });

    expect(artifactText(await host.task('go'))).toBe('echo y');
    await stopped.promise;
    await pass(host.clock, 3000);
    await until(async () => (await tasksOf(host, 'never'))[0]?.status.state === 'TASK_STATE_CANCELED');
  });

  test('Promise.allSettled has a result for each call', async () => {
    const run: Handler = async ({ call }) => {
      const all = await Promise.allSettled([call('echo', 'a'), call('broken', 'b')]);
      return all.map((one) => (one.status === 'fulfilled' ? one.value.text : (one.reason as CallError).outcome)).join();
    };
    const broken: Handler = async function* () {
      yield { status: 'failed', text: 'No' };
    };
    const host = await calling(run, { echo, broken }, { variant });

    expect(artifactText(await host.task('go'))).toBe('echo a,failed');
  });

  test('a call that does not complete is thrown with its outcome, or returned with throwOnFailure: false', async () => {
    const replies: CallReply[] = [];
    const errors: CallError[] = [];
    const run: Handler = async ({ call }) => {
      errors.push(await failureOf(call('picky', 'x')));
      replies.push(await call('picky', 'x', { throwOnFailure: false }));
      return 'done';
    };
    const host = await calling(run, { picky: async ({ reject }) => reject('Not today') }, { variant });

    await host.task('go');

    expect(errors.at(-1)).toMatchObject({ outcome: 'rejected', message: 'The call to picky was rejected: Not today' });
    expect(errors.at(-1)?.call?.peer).toBe('picky');
    expect(replies.at(-1)).toMatchObject({ outcome: 'rejected', text: 'Not today' });
  });

  test('the error of an uncaught call does not show the reason of the called agent to the caller', async () => {
    const run: Handler = async ({ call }) => (await call('broken', 'x')).text;
    const broken: Handler = async function* () {
      yield { status: 'failed', text: 'Database db7.internal is down' };
    };
    const host = await calling(run, { broken }, { variant });

    const failed = await host.task('go');

    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(statusText(failed)).not.toContain('db7');
  });

  test('the data of the artifact "result" is the data of the reply', async () => {
    const run: Handler = async ({ call }) => {
      const { data } = await call('query', { data: { sql: 'select 1' } }, { skill: 'sql' });
      return { data: data ?? null };
    };
    const query: Handler = async ({ parts, skillId }) => {
      const [part] = parts;
      const sql = part !== undefined && 'data' in part ? part.data : null;
      return { artifact: 'result', data: { sql, skillId: skillId ?? null } };
    };
    const host = await calling(run, { query }, { variant });

    const done = await host.task('go');

    expect(done.artifacts?.[0]?.parts).toEqual([{ data: { sql: { sql: 'select 1' }, skillId: 'sql' } }]);
  });

  test('the child belongs to the caller of the parent and to a context of its own', async () => {
    const seen: TaskContext[] = [];
    const look: Handler = async (ctx) => {
      seen.push(ctx);
      return 'seen';
    };
    const run: Handler = async ({ call }) => (await call('look', 'x')).text;
    const host = await calling(run, { look }, { variant });

    const one = await host.task('go');
    await host.task('go', { message: userMessage('x', { contextId: one.contextId ?? '' }) });
    await host.task('go');

    const [first, second, third] = seen;
    expect(first?.caller).toMatchObject({ id: 'ann', isVerified: true, actors: ['agent'] });
    expect(first?.contextId).not.toBe(one.contextId);
    expect(second?.contextId).toBe(first?.contextId);
    expect(third?.contextId).not.toBe(first?.contextId);
  });

  test('an agent that rejects the caller rejects the call', async () => {
    const closed: Runnable = {
      ...runnable(echo, {}, 'closed'),
      access: {
        admit: ({ scopes }) => {
          if (scopes?.includes('crm') !== true) throw new A2AError('PERMISSION_DENIED', 'Needs the scope crm');
        },
        require: () => {},
      },
    };
    const outcomes: string[] = [];
    const run: Handler = async ({ call }) => {
      outcomes.push((await failureOf(call('closed', 'x'))).message);
      return 'done';
    };
    const host = await calling(run, { closed }, { variant });

    await host.task('go');

    expect(outcomes.at(-1)).toBe('The call to closed was rejected: Needs the scope crm');
    expect(await tasksOf(host, 'closed')).toEqual([]);
  });

  test('a message is delivered once although two equal calls are made', async () => {
    const run: Handler = async ({ call }) => {
      const [a, b] = await Promise.all([call('count', 'x'), call('count', 'x')]);
      return `${a.text},${b.text}`;
    };
    let count = 0;
    const host = await calling(run, { count: async () => String(++count) }, { variant });

    const done = await host.task('go');

    expect(artifactText(done)?.split(',').sort()).toEqual(['1', '2']);
    expect(count).toBe(2);
  });
});

describe.each(VARIANTS.slice(0, 2))('limits of calls on $name', (variant) => {
  const nested: Handler = async ({ call, text }) => {
    const [next, ...rest] = text.split(' ');
    if (next === undefined || next === '') return 'bottom';
    return (await call(next, rest.join(' '))).text;
  };
  const errors: string[] = [];
  const noting =
    (run: Handler): Handler =>
    async (ctx) => {
      try {
        return (await run(ctx)) as string;
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        errors.push(error.message);
        return error.outcome;
      }
    };

  test.each([
    ['agent', 'The call to agent was rejected: agent cannot call itself. Continue without this call.'],
    [
      'b agent',
      'The call to agent was rejected: agent cannot be called here, because it waits for the result of this call: agent › b › agent. Continue without this call.',
    ],
  ])('agents that call each other in a cycle are stopped: %s', async (text, message) => {
    const host = await calling(noting(nested), { b: noting(nested) }, { variant });

    await host.task(text);

    expect(errors.at(-1)).toBe(message);
  });

  test('calls deeper than maxDepth are rejected', async () => {
    const others = { b: noting(nested), c: noting(nested), d: noting(nested) };
    const host = await calling(noting(nested), others, { variant, maxDepth: 2 });

    expect(artifactText(await host.task('b c d'))).toBe('rejected');
    expect(errors.at(-1)).toContain('3 calls would lead to it and 2 are allowed (maxDepth): agent › b › c › d.');
    expect(artifactText(await host.task('b c'))).toBe('bottom');
  });

  test('calls above maxOpenCalls of one owner are rejected', async () => {
    const gate = deferred<void>();
    const slow: Handler = async () => {
      await gate.promise;
      return 'done';
    };
    const run: Handler = async ({ call }) => {
      const all = await Promise.allSettled([1, 2, 3].map((n) => call('slow', String(n))));
      return all.map(({ status }) => status).join();
    };
    const host = await calling(run, { slow }, { variant, maxOpenCalls: 2 });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'slow')).length === 2);
    gate.resolve();

    expect(artifactText(await parent)).toBe('fulfilled,fulfilled,rejected');
  });

  test('an unknown peer is reported to the author of the handler', async () => {
    const host = await calling(async ({ call }) => (await call('nobody', 'x')).text, { echo }, { variant });

    await host.task('go');

    const logged = host.log.find(({ fields }) => fields?.['error'] instanceof TypeError);
    expect(String(logged?.fields?.['error'])).toContain('"nobody". Agents of this host: echo.');
  });

  test('a call inside a step is an error', async () => {
    const host = await calling(
      async ({ call, step }) => step('s', async () => (await call('echo', 'x')).text),
      { echo },
      { variant },
    );

    await host.task('go');

    const logged = host.log.find(({ fields }) => fields?.['error'] !== undefined);
    expect(String(logged?.fields?.['error'])).toContain('call() cannot be called inside a step');
  });

  test('a full queue delays a call and does not fail it', async () => {
    const gate = deferred<void>();
    const busy = runnable(
      async ({ text }) => {
        if (text === 'block') await gate.promise;
        return `did ${text}`;
      },
      { concurrency: 1, queue: 0 },
      'busy',
    );
    const host = await calling(async ({ call }) => (await call('busy', 'x')).text, { busy }, { variant });
    const blocking = host.task('block', { agent: 'busy' });
    await until(() => host.engine.runningTasks().length === 1);
    const parent = host.task('go');
    await until(async () => (await host.store.countCalls(ANN)) === 1);
    await pass(host.clock, 3000, 250);
    expect(await tasksOf(host, 'busy')).toHaveLength(1);
    gate.resolve();
    await blocking;
    await pass(host.clock, 6000, 500);

    expect(artifactText(await parent)).toBe('did x');
  });
});

describe.each(VARIANTS)('time limits of calls on $name', (variant) => {
  const slow: Handler = async ({ sleep }) => {
    await sleep(60_000);
    return 'at last';
  };

  test('waitMs ends the wait and not the call', async () => {
    const outcomes: string[] = [];
    const run: Handler = async ({ call }) => {
      const error = await failureOf(call('slow', 'x', { waitMs: 5000 }));
      outcomes.push(error.outcome);
      return (await (error.call as Call).result()).text;
    };
    const host = await calling(run, { slow }, { variant });
    const parent = host.task('go');
    await until(async () => (await host.store.countCalls(ANN)) === 1);
    await pass(host.clock, 70_000, 1000);

    expect(artifactText(await parent)).toBe('at last');
    expect(new Set(outcomes)).toEqual(new Set(['pending']));
    expect(await tasksOf(host, 'slow')).toHaveLength(1);
  });

  test('waitMs has no effect on a call that ends in time', async () => {
    const host = await calling(
      async ({ call }) => (await call('echo', 'x', { waitMs: 5000 })).text,
      { echo },
      { variant },
    );

    expect(artifactText(await host.task('go'))).toBe('echo x');
  });

  test('the child is canceled when the deadline of its call passes', async () => {
    const run: Handler = async ({ call }) => (await failureOf(call('slow', 'x', { deadlineMs: 5000 }))).message;
    const host = await calling(run, { slow }, { variant });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'slow')).length === 1);
    await pass(host.clock, 10_000, 500);

    expect(artifactText(await parent)).toBe('The call to slow timed out: The deadline of the call has passed');
    expect((await tasksOf(host, 'slow'))[0]?.status.state).toBe('TASK_STATE_CANCELED');
  });

  test('a child has at most the deadline of its parent', async () => {
    const middle: Handler = async ({ call }) => (await call('slow', 'x', { deadlineMs: 3_600_000 })).text;
    const run: Handler = async ({ call }) => (await failureOf(call('middle', 'x', { deadlineMs: 5000 }))).outcome;
    const host = await calling(run, { middle, slow }, { variant });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'slow')).length === 1);
    await pass(host.clock, 12_000, 500);

    expect(artifactText(await parent)).toBe('timed-out');
    expect((await tasksOf(host, 'slow'))[0]?.status.state).toBe('TASK_STATE_CANCELED');
  });

  test('a silent child is canceled after idleMs, one that makes progress is not', async () => {
    const lively: Handler = async function* ({ sleep }) {
      for (let i = 0; i < 10; i++) {
        yield { status: 'working', text: `Still at it ${i}` };
        await sleep(4000);
      }
      yield 'done';
    };
    const run: Handler = async ({ call }) => {
      const [one, other] = await Promise.all([
        call('slow', 'x', { idleMs: 8000, throwOnFailure: false }),
        call('lively', 'x', { idleMs: 8000 }),
      ]);
      return `${one.outcome},${other.text}`;
    };
    const host = await calling(run, { slow, lively }, { variant });
    const parent = host.task('go');
    await until(async () => (await host.store.countCalls(ANN)) === 2);
    await pass(host.clock, 50_000, 500);

    expect(artifactText(await parent)).toBe('timed-out,done');
  });

  test('a started call runs beside the handler', async () => {
    const run: Handler = async ({ startCall, step }) => {
      const started = await startCall('echo', 'x');
      const own = await step('work', () => 'worked');
      return `${own}, ${(await started.result()).text}`;
    };
    const host = await calling(run, { echo }, { variant });

    expect(artifactText(await host.task('go'))).toBe('worked, echo x');
  });

  test('the result of a detached call arrives in the inbox', async () => {
    const run: Handler = async ({ startCall, inbox }) => {
      const started = await startCall('slow', 'x');
      await started.detach({ to: 'inbox' });
      for await (const message of inbox)
        return `${message.text} ${String(message.metadata?.['callId'] === started.id)}`;
      return 'nothing';
    };
    const host = await calling(run, { slow }, { variant });
    const parent = host.task('go');
    await until(async () => (await tasksOf(host, 'slow')).length === 1);
    await pass(host.clock, 65_000, 1000);

    const done = await parent;
    expect(artifactText(done)).toBe('at last true');
    expect(done.history?.map(({ role }) => role)).toEqual(['ROLE_USER']);
  });
});
