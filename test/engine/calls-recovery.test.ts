/** A process dies at any point of a call: another one continues, and there is one child, one question, one answer and one result. */
import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { agentsOf, calling, echo, tasksOf } from './calling.ts';
import { type Cluster, cluster, type Node, pass, turns, untilAborted } from './cluster.ts';
import { ANN, artifactText, STORES, until, userMessage, VARIANTS } from './harness.ts';

const POINTS = [
  'before-commit',
  'after-commit',
  'after-suspend',
  'after-call',
  'after-call-claim',
  'after-child-created',
  'after-question',
  'after-follow-up',
  'after-call-answered',
  'after-called',
  'after-claim',
  'before-resume',
  'before-end',
  'after-end',
] as const;

const run: Handler = async ({ call, step }) => {
  const [a, b] = await Promise.all([call('asks', 'a'), call('echo', 'b')]);
  return step('join', () => `${a.text} ${b.text}`);
};
const asks: Handler = async ({ ask, step }) => {
  const name = await ask('Name?');
  return step('greet', () => `hello ${name}`);
};
const limits = { keepJournal: 'whole' } as const;

/** Answers questions of a task until it has ended, or for some rounds. A call to a dead process never returns. */
async function answerAll(
  { store, clock }: Pick<Cluster, 'store' | 'clock'>,
  node: Node,
  rounds: number,
): Promise<void> {
  for (let i = 0; i < rounds; i++) {
    const [parent] = await tasksOf({ store }, 'agent');
    if (parent?.endedAt !== undefined) return;
    const { message } = parent?.status ?? {};
    if (parent !== undefined && message !== undefined && parent.status.state === 'TASK_STATE_INPUT_REQUIRED') {
      const { messageId: answers } = message;
      const sent = node.send('Ann', {
        message: userMessage('Ann', { taskId: parent.id, messageId: `to ${answers}` }),
        idempotencyKey: answers,
        answers,
        returnImmediately: true,
      });
      await Promise.race([sent.catch(() => {}), turns(50)]);
    }
    await pass(clock, 1000, 500);
  }
}

describe.each(STORES)('on $name', (variant) => {
  const cases = POINTS.flatMap((point) => [1, 2, 4].map((times) => [point, times] as const));

  test.each(cases)('a process that dies %s, the %ith time, loses and repeats nothing', async (point, times) => {
    const { node, clock, store } = cluster(run, { variant });
    const agents = agentsOf(run, { asks, echo }, limits);
    let left = times;
    let kill = (): void => {};
    const first = await node({
      agents,
      faultPoint: (name) => {
        if (name === point && --left === 0) kill();
      },
    });
    kill = () => first.kill();
    await Promise.race([first.send('go', { returnImmediately: true }).catch(() => {}), turns(50)]);
    await answerAll({ store, clock }, first, 5);
    // Runs that are always replayed do not resume in memory.
    if (times === 1 && (variant.maxSuspended > 0 || point !== 'before-resume')) expect(left).toBeLessThanOrEqual(0);
    first.kill();
    await pass(clock, 20_000, 5000);
    const second = await node({ agents });
    await answerAll({ store, clock }, second, 60);

    const [parent] = await tasksOf({ store }, 'agent');
    const taskId = parent?.id ?? '';
    await until(async () => (await store.countCalls(ANN)) === 0);

    const task = await second.engine.get(ANN, taskId);
    expect(artifactText(task)).toBe('hello Ann echo b');
    expect(await tasksOf({ store }, 'asks')).toHaveLength(1);
    expect(await tasksOf({ store }, 'echo')).toHaveLength(1);
    const counts: Record<string, number> = {};
    for (const { kind } of await store.journal(taskId)) counts[kind] = (counts[kind] ?? 0) + 1;
    expect(counts).toMatchObject({ call: 2, called: 2, 'call-question': 1, question: 1, answer: 1 });
  });
});

describe.each(VARIANTS)('on $name', (variant) => {
  test('a call is not made again when its task resumes after a restart', async () => {
    const callsAndAsks: Handler = async ({ call, ask }) => {
      const { text } = await call('echo', 'x');
      return `${text} ${await ask('And?')}`;
    };
    const first = await calling(callsAndAsks, { echo }, { variant });
    const asking = await first.task('go');
    const second = await first.crash();

    expect(artifactText(await second.reply(asking, 'yes'))).toBe('echo x yes');
    expect(await tasksOf(second, 'echo')).toHaveLength(1);
  });

  test('a child that ends while no process lives is delivered when one starts', async () => {
    const sleeps: Handler = async ({ sleep }) => {
      await sleep(10_000);
      return 'awake';
    };
    const first = await calling(async ({ call }) => (await call('sleeps', 'x')).text, { sleeps }, { variant });
    const sent = first.task('go').catch(() => {});
    await until(async () => (await tasksOf(first, 'sleeps')).length === 1);
    await turns();
    const second = await first.restart();
    await sent;
    await pass(second.clock, 12_000, 500);
    const [parent] = await tasksOf(second, 'agent');

    await until(async () => (await tasksOf(second, 'agent'))[0]?.endedAt !== undefined);
    expect(artifactText(await second.engine.get(ANN, parent?.id ?? ''))).toBe('awake');
  });

  test('a cancel that was stored before a crash reaches the child', async () => {
    const waits: Handler = async ({ signal }) => {
      await untilAborted(signal);
      return 'stopped';
    };
    const first = await calling(async ({ call }) => (await call('waits', 'x')).text, { waits }, { variant });
    void first.task('go').catch(() => {});
    await until(async () => (await tasksOf(first, 'waits')).length === 1);
    await turns();
    const [parent] = await tasksOf(first, 'agent');
    await first.store.append({ taskId: parent?.id ?? '', guard: {}, canceling: true, wakeAt: first.clock.now() });
    const second = await first.crash();
    await pass(second.clock, 10_000, 500);

    for (const agent of ['agent', 'waits'])
      await until(async () => (await tasksOf(second, agent))[0]?.status.state === 'TASK_STATE_CANCELED');
    expect(await second.store.countCalls(ANN)).toBe(0);
  });

  test("an interrupted handler with recovery: 'fail' fails, and its calls are canceled", async () => {
    const waits: Handler = async ({ signal }) => {
      await untilAborted(signal);
      return 'stopped';
    };
    const first = await calling(
      async ({ call }) => (await call('waits', 'x')).text,
      { waits },
      {
        variant,
        maxSuspended: 1000,
        limits: { recovery: 'fail' },
      },
    );
    void first.task('go').catch(() => {});
    await until(async () => (await tasksOf(first, 'waits')).length === 1);
    await turns();
    const second = await first.crash();
    const child = (await tasksOf(second, 'waits'))[0]?.id ?? '';
    const canceled = second.engine.cancel(ANN, child);
    await pass(second.clock, 10_000, 500);
    await canceled;

    await until(async () => (await tasksOf(second, 'agent'))[0]?.status.state === 'TASK_STATE_FAILED');
    expect(await second.store.countCalls(ANN)).toBe(0);
  });
});
