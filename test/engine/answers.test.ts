import { describe, expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import { ANN, harness, until, VARIANTS } from './harness.ts';

const HANDLERS: readonly { readonly says: string; readonly run: Handler }[] = [
  { says: 'nothing', run: async () => {} },
  {
    says: 'several artifacts in pieces',
    async *run() {
      yield 'one';
      yield { artifact: 'table', data: { rows: [1, 2] }, metadata: { page: 1 } };
      yield 'two';
      yield { artifact: 'table', data: { rows: [3] }, append: true, lastChunk: true };
    },
  },
  {
    says: 'statuses with words, which become history',
    async *run({ step }) {
      yield { status: 'working', text: 'first' };
      await step('wait', () => 1);
      yield { status: 'working', text: 'second', metadata: { percent: 50 } };
      yield { status: 'completed', text: 'last' };
    },
  },
  {
    says: 'that it has failed',
    async *run() {
      yield { status: 'working', text: 'about to fail' };
      throw new Error('broken');
    },
  },
];

describe.each(VARIANTS)('$name', (variant) => {
  test.each(HANDLERS)('who waits for a task that says $says gets what everybody can get', async ({ run }) => {
    const { engine, task } = await harness(run, { variant });
    const answer = await task('hello');
    expect(answer).toEqual(await engine.get(ANN, answer.id));
    expect(answer.history?.[0]?.parts).toEqual([{ text: 'hello' }]);
  });

  test('a question and its answer are in what the one who waits gets', async () => {
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

  test('a message that came while the handler worked is in what the one who waits gets', async () => {
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
