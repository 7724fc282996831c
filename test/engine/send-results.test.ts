import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { ANN, harness, until, VARIANTS } from './harness.ts';

const HANDLERS: readonly { readonly publishes: string; readonly run: Handler }[] = [
  { publishes: 'nothing', run: async () => {} },
  {
    publishes: 'several artifacts in chunks',
    async *run() {
      yield 'one';
      yield { artifact: 'table', data: { rows: [1, 2] }, metadata: { page: 1 } };
      yield 'two';
      yield { artifact: 'table', data: { rows: [3] }, append: true, lastChunk: true };
    },
  },
  {
    publishes: 'statuses with text, which become history',
    async *run({ step }) {
      yield { status: 'working', text: 'first' };
      await step('wait', () => 1);
      yield { status: 'working', text: 'second', metadata: { percent: 50 } };
      yield { status: 'completed', text: 'last' };
    },
  },
  {
    publishes: 'a status and then throws',
    async *run() {
      yield { status: 'working', text: 'about to fail' };
      throw new Error('broken');
    },
  },
];

describe.each(VARIANTS)('$name', (variant) => {
  test.each(HANDLERS.map(({ publishes, run }) => [publishes, run] as const))(
    'send returns the same task as get when the handler publishes %s',
    async (_, run) => {
      const { engine, task } = await harness(run, { variant });
      const answer = await task('hello');
      expect(answer).toEqual(await engine.get(ANN, answer.id));
      expect(answer.history?.[0]?.parts).toEqual([{ text: 'hello' }]);
    },
  );

  test('the task that send returns contains the question and its answer', async () => {
    const run: Handler = async function* run({ ask }) {
      yield 'before';
      const name = await ask('Your name?');
      yield { status: 'working', text: `so you are ${name}` };
      yield 'after';
    };
    const { engine, task, reply } = await harness(run, { variant });
    const asked = await task('hello');
    expect(asked).toEqual(await engine.get(ANN, asked.id));
    const answer = await reply(asked, 'Ann');
    expect(answer).toEqual(await engine.get(ANN, asked.id));
    expect(answer.history?.map(({ parts }) => parts)).toEqual([
      [{ text: 'hello' }],
      [{ text: 'Your name?' }],
      [{ text: 'Ann' }],
      [{ text: 'so you are Ann' }],
    ]);
  });

  test('the task that send returns contains a message that arrived while the handler worked', async () => {
    let goOn = (): void => {};
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const run: Handler = async function* run() {
      yield { status: 'working', text: 'at it' };
      await gate;
      yield 'done';
    };
    const { engine, task, send } = await harness(run, { variant });
    const { id } = await task('hello', { returnImmediately: true });
    const waiting = send('one more', {
      message: { messageId: 'more', taskId: id, role: 'ROLE_USER', parts: [{ text: 'one more' }] },
    });
    await until(async () => (await engine.get(ANN, id)).history?.at(-1)?.messageId === 'more');
    goOn();
    const answer = await waiting;
    expect(answer).toEqual({ task: await engine.get(ANN, id) });
    expect('task' in answer && answer.task.history?.map(({ messageId }) => messageId)).toContain('more');
  });
});
