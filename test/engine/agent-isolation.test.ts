/** Several agents on one store: callers of one agent neither see nor change the tasks of another. */
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { TaskContext } from '../../src/engine/handler.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { Store } from '../../src/store/store.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import { ANN, artifactText, collect, type Harness, openStore, runnable, startHarness } from './harness.ts';
import { userMessage, type Variant, VARIANTS } from './harness.ts';

const POET = { ...ANN, agent: 'poet' };
const PAINTER = { ...ANN, agent: 'painter' };
const HOOK = { config: { id: 'hook', url: 'https://example.com/' }, dialect: '1.0' };

interface Nodes {
  readonly store: Store;
  readonly poet: Harness;
  readonly painter: Harness;
}

async function run({ text, ask }: TaskContext): Promise<string> {
  return text === 'ask' ? `answered ${await ask('Which?')}` : text;
}

/** Both agents on one node, or each on its own. */
async function start(variant: Variant, isShared: boolean, handler = run): Promise<Nodes> {
  const clock = fakeClock();
  const store = openStore(variant, clock);
  const [poet, painter] = [runnable(handler, {}, 'poet'), runnable(handler, {}, 'painter')];
  const options = { store, clock, maxSuspended: variant.maxSuspended };
  if (isShared) {
    const node = await startHarness({ ...options, agents: [poet, painter] }, clock);
    return { store, poet: node, painter: node };
  }
  return {
    store,
    poet: await startHarness({ ...options, agents: [poet] }, clock),
    painter: await startHarness({ ...options, agents: [painter] }, clock),
  };
}

function submission(taskId: string, more: Partial<Submission> = {}): Submission {
  return { ...PAINTER, caller: { id: 'ann', isVerified: true }, message: userMessage('no', { taskId }), ...more };
}

const CALLS: readonly (readonly [string, (engine: Engine, taskId: string) => Promise<unknown>])[] = [
  ['get', (engine, id) => engine.get(PAINTER, id)],
  ['cancel', (engine, id) => engine.cancel(PAINTER, id)],
  ['subscribe', (engine, id) => collect(engine.subscribe(PAINTER, id))],
  ['resume', (engine, id) => collect(engine.subscribe(PAINTER, id, { after: 0 }))],
  ['follow up', (engine, id) => engine.send(submission(id))],
  ['follow up and not wait', (engine, id) => engine.send(submission(id, { returnImmediately: true }))],
  ['follow up with a push config', (engine, id) => engine.send(submission(id, { pushConfig: HOOK }))],
  ['follow up by a stream', async (engine, id) => collect((await engine.stream(submission(id))).items)],
  ['set a push config', (engine, id) => engine.setPushConfig(PAINTER, id, HOOK)],
  ['get a push config', (engine, id) => engine.getPushConfig(PAINTER, id, 'own')],
  ['list push configs', (engine, id) => engine.listPushConfigs(PAINTER, id)],
  ['delete a push config', (engine, id) => engine.deletePushConfig(PAINTER, id, 'own')],
];

describe.each(VARIANTS)('$name', (variant) => {
  describe.each([true, false])('on one node: %s', (isShared) => {
    test.each(CALLS)(
      'a call that names a task of another agent gets TASK_NOT_FOUND and does not change the task: %s',
      async (_, call) => {
        const { store, poet, painter } = await start(variant, isShared);
        const asked = await poet.task('ask', {
          ...POET,
          pushConfig: { ...HOOK, config: { ...HOOK.config, id: 'own' } },
        });
        const all = async (): Promise<unknown> => [
          await store.read(ANN, asked.id, { artifacts: true }),
          await store.events(asked.id, 0, 100),
          await store.journal(asked.id),
          await store.pushConfigs(ANN, asked.id, { limit: 10 }),
        ];
        const before = await all();
        const unknown = { code: 'TASK_NOT_FOUND', message: `Task ${asked.id} does not exist` };
        await expect(call(painter.engine, asked.id)).rejects.toMatchObject(unknown);
        expect(await painter.engine.has(PAINTER, asked.id)).toBe(false);
        expect(await poet.engine.has(POET, asked.id)).toBe(true);
        expect(await all()).toEqual(before);
        expect(artifactText(await poet.reply(asked, 'red', POET))).toBe('answered red');
      },
    );

    test('a list limited to one agent has only tasks of that agent, a list without an agent has all tasks of the owner', async () => {
      const { poet, painter } = await start(variant, isShared);
      const [a, b, c] = [
        await poet.task('one', POET),
        await painter.task('two', PAINTER),
        await poet.task('three', POET),
      ];
      const ids = async (engine: Engine, access: typeof ANN): Promise<unknown> => {
        const { tasks, total } = await engine.list(access, { limit: 10 });
        return [tasks.map(({ id }) => id).sort(), total];
      };
      expect(await ids(poet.engine, POET)).toEqual([[a.id, c.id].sort(), 2]);
      expect(await ids(painter.engine, PAINTER)).toEqual([[b.id], 1]);
      expect(await ids(painter.engine, ANN)).toEqual([[a.id, b.id, c.id].sort(), 3]);
    });

    test('aliases, idempotency keys and contexts of one agent do not exist for another', async () => {
      const { poet, painter } = await start(variant, isShared, async ({ text, history }) => {
        const earlier = await history();
        return `${text} after ${earlier.length}`;
      });
      const message = userMessage('same', { contextId: 'shared' });
      const same = { message, alias: 'mine', idempotencyKey: 'key' };
      const one = await poet.task('', { ...same, ...POET });
      const two = await painter.task('', { ...same, ...PAINTER });
      expect([one, two].map((done) => artifactText(done))).toEqual(['same after 0', 'same after 0']);
      expect(await poet.engine.resolveAlias(POET, 'mine')).toBe(one.id);
      expect(await painter.engine.resolveAlias(PAINTER, 'mine')).toBe(two.id);
      expect((await painter.task('', { ...same, ...PAINTER })).id).toBe(two.id);
      const next = { message: { ...message, messageId: 'next' } };
      expect(artifactText(await painter.task('', { ...next, ...PAINTER }))).toBe('same after 1');
    });
  });

  test('a follow-up for an agent that this node does not serve is rejected and not stored', async () => {
    const { store, poet, painter } = await start(variant, false);
    const asked = await poet.task('ask', POET);
    const before = await store.read(ANN, asked.id);
    const lost = painter.engine.send(submission(asked.id, { agent: 'poet' }));
    await expect(lost).rejects.toMatchObject({ code: 'INTERNAL_ERROR', message: 'Agent poet is not registered here' });
    expect(await store.read(ANN, asked.id)).toEqual(before);
  });

  test('maxPausedPerCaller counts the questions of each agent by itself', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const agents = ['poet', 'painter'].map((id) => runnable(run, { maxPausedPerCaller: 1 }, id));
    const node = await startHarness({ store, clock, agents }, clock);
    const states = [await node.task('ask', POET), await node.task('ask', PAINTER), await node.task('ask', POET)];
    expect(states.map(({ status }) => status.state)).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_FAILED',
    ]);
  });
});
