import { describe, expect, test } from 'vitest';
import type { TaskContext } from '../../src/engine/handler.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import { deferred } from '../../src/support/deferred.ts';
import { untilAborted, turns } from './cluster.ts';
import { ANN, artifactText, harness, type HarnessOptions, until, userMessage, VARIANTS } from './harness.ts';

const AS_ANN = { ...ANN, agent: 'agent', caller: { id: 'ann', isVerified: true } };

describe.each(VARIANTS)('$name', (variant) => {
  async function begun(onDisconnect: 'continue' | 'cancel', options: HarnessOptions = {}) {
    const door = deferred<void>();
    const leave = new AbortController();
    const run = async function* run({ signal, ask, text }: TaskContext) {
      yield 'work';
      if (text === 'ask') await ask('Which?');
      await Promise.race([door.promise, untilAborted(signal)]);
      if (!signal.aborted) yield ' done';
    };
    const node = await harness(run, { variant, limits: { onDisconnect }, ...options });
    const submission = (text: string, more: Partial<Submission> = {}): Submission => ({
      ...AS_ANN,
      message: userMessage(text),
      signal: leave.signal,
      ...more,
    });
    const onlyTask = async () => {
      await until(async () => (await node.engine.list(ANN, { limit: 1 })).total === 1);
      return (await node.engine.list(ANN, { limit: 1 })).tasks[0]?.id ?? '';
    };
    const ended = async (id: string, state: string): Promise<void> =>
      until(async () => (await node.engine.get(ANN, id)).status.state === state);
    return { ...node, door, leave, submission, onlyTask, ended };
  }

  test('a task continues when its sender disconnects', async () => {
    const { engine, door, leave, submission, onlyTask, ended } = await begun('continue');
    const sending = engine.send(submission('go'));
    const id = await onlyTask();
    leave.abort();
    expect(await sending).toMatchObject({ task: { id, status: { state: 'TASK_STATE_WORKING' } } });
    door.resolve();
    await ended(id, 'TASK_STATE_COMPLETED');
    expect(artifactText(await engine.get(ANN, id))).toBe('work done');
  });

  test('with onDisconnect cancel a task is canceled when its sender disconnects', async () => {
    const { engine, leave, submission, onlyTask, ended } = await begun('cancel');
    const sending = engine.send(submission('go'));
    const id = await onlyTask();
    leave.abort();
    await sending;
    await ended(id, 'TASK_STATE_CANCELED');
    expect(artifactText(await engine.get(ANN, id))).toBe('work');
  });

  test('a send whose signal is aborted before the call creates the task all the same', async () => {
    const { engine, door, leave, submission, onlyTask, ended } = await begun('continue');
    leave.abort();
    const result = await engine.send(submission('go'));
    const id = await onlyTask();
    expect(result).toMatchObject({ task: { id } });
    door.resolve();
    await ended(id, 'TASK_STATE_COMPLETED');
  });

  test.each(['signal', 'return', 'throw'])('a task continues when the client closes its stream (%s)', async (way) => {
    const { engine, door, leave, submission, ended } = await begun('continue');
    const { taskId, items } = await engine.stream(submission('go'));
    await leaveStream(items, way, leave);
    await turns(10);
    expect((await engine.get(ANN, taskId)).status.state).toBe('TASK_STATE_WORKING');
    door.resolve();
    await ended(taskId, 'TASK_STATE_COMPLETED');
  });

  test.each(['signal', 'return', 'throw'])(
    'with onDisconnect cancel a task is canceled when the client closes its stream (%s)',
    async (way) => {
      const { engine, leave, submission, ended } = await begun('cancel');
      const { taskId, items } = await engine.stream(submission('go'));
      await leaveStream(items, way, leave);
      await ended(taskId, 'TASK_STATE_CANCELED');
    },
  );

  test('with onDisconnect cancel a task is canceled when its stream is aborted before the first read', async () => {
    const { engine, leave, submission, onlyTask, ended } = await begun('cancel');
    await engine.stream(submission('go'));
    const id = await onlyTask();
    leave.abort();
    await ended(id, 'TASK_STATE_CANCELED');
  });

  test('with onDisconnect cancel a client that disconnects after the end or during a question cancels nothing', async () => {
    const { engine, door, leave, submission, ended } = await begun('cancel');
    door.resolve();
    const done = await engine.send(submission('go'));
    const asked = await engine.send(submission('ask'));
    expect(done).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
    leave.abort();
    await turns(10);
    if (!('task' in asked)) expect.fail('No task');
    expect((await engine.get(ANN, asked.task.id)).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    await engine.send({ ...AS_ANN, message: userMessage('this', { taskId: asked.task.id }) });
    await ended(asked.task.id, 'TASK_STATE_COMPLETED');
  });

  test('with onDisconnect cancel a client that disconnects after it has read the question can answer it', async () => {
    const { engine, door, leave, submission } = await begun('cancel');
    door.resolve();
    const { taskId, items } = await engine.stream(submission('ask'));
    for await (const _ of items)
      if ((await engine.get(ANN, taskId)).status.state === 'TASK_STATE_INPUT_REQUIRED') break;
    leave.abort();
    await turns(20);
    const done = await engine.send({ ...AS_ANN, message: userMessage('this', { taskId }) });
    expect(done).toMatchObject({ task: { status: { state: 'TASK_STATE_COMPLETED' } } });
  });

  test.each(['send', 'stream'] as const)(
    'with onDisconnect cancel a task is canceled when the client of a follow-up disconnects (%s)',
    async (way) => {
      const { engine, leave, submission, ended } = await begun('cancel');
      const asked = await engine.send(submission('ask', { signal: new AbortController().signal }));
      if (!('task' in asked)) expect.fail('No task');
      const { id } = asked.task;
      const answer = submission('this', { message: userMessage('this', { taskId: id }) });
      const pending =
        way === 'send'
          ? engine.send(answer)
          : engine.stream(answer).then(({ items }) => leaveStream(items, 'signal', leave));
      await until(async () => (await engine.get(ANN, id)).status.state !== 'TASK_STATE_INPUT_REQUIRED');
      leave.abort();
      await pending;
      await ended(id, 'TASK_STATE_CANCELED');
    },
  );

  test('with onDisconnect cancel a subscriber that disconnects cancels nothing', async () => {
    const { engine, door, leave, submission, onlyTask, ended } = await begun('cancel');
    const sending = engine.send(submission('go', { signal: new AbortController().signal }));
    const id = await onlyTask();
    await leaveStream(engine.subscribe(ANN, id, { signal: leave.signal }), 'signal', leave);
    await turns(10);
    door.resolve();
    await sending;
    await ended(id, 'TASK_STATE_COMPLETED');
  });
});

/** Reads the first batch of a stream, and closes it. */
async function leaveStream(items: AsyncIterable<unknown>, way: string, leave: AbortController): Promise<void> {
  try {
    for await (const _ of items) {
      if (way === 'return') break;
      if (way === 'throw') throw new Error('The connection broke');
      leave.abort();
    }
  } catch {
    // As expected.
  }
}
