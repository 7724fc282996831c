/** A question of a called agent becomes a question of the calling task, and its answer reaches the one that asked. */
import { describe, expect, test } from 'vitest';
import type { CallQuestion } from '../../src/engine/calls/call.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { QUESTIONS, SENSITIVE } from '../../src/model/question.ts';
import type { Task } from '../../src/model/task.ts';
import { calling, echo, failureOf, tasksOf } from './calling.ts';
import { pass, turns } from './cluster.ts';
import { ANN, artifactText, statusText, until, userMessage, VARIANTS } from './harness.ts';

const callsNext =
  (next: string): Handler =>
  async ({ call, text }) =>
    (await call(next, text)).text;

interface Listed {
  readonly id: string;
  readonly text: string;
}

/** The questions that the status of a task lists. */
function listed(task: Task): readonly Listed[] {
  const list = task.status.message?.metadata?.[QUESTIONS.uri] as { readonly questions?: unknown } | undefined;
  return (list?.questions ?? []) as readonly Listed[];
}

const nameIn = (question: Listed | undefined): string | undefined => /Value of (.)/.exec(question?.text ?? '')?.[1];

describe.each(VARIANTS)('on $name', (variant) => {
  test('a question at the bottom is asked at the top, with its path, and its answer reaches the bottom', async () => {
    const bottom: Handler = async ({ ask }) => `sure: ${String(await ask({ confirm: 'Really?' }))}`;
    const host = await calling(callsNext('middle'), { middle: callsNext('bottom'), bottom }, { variant });

    const asking = await host.task('go');

    expect(statusText(asking)).toContain('Really? (yes/no)');
    expect(asking.status.message?.metadata?.[QUESTIONS.uri]).toMatchObject({
      questions: [{ kind: 'confirm', text: 'Really?', path: ['middle', 'bottom'] }],
    });
    expect(asking.status.message?.parts[1]).toMatchObject({ data: { question: { kind: 'confirm', text: 'Really?' } } });
    const done = await host.reply(asking, 'yes');
    expect(artifactText(done)).toBe('sure: true');
    for (const agent of ['middle', 'bottom']) {
      const [child] = await tasksOf(host, agent);
      expect(child?.status.state).toBe('TASK_STATE_COMPLETED');
    }
  });

  test('an answer that does not match the question of the called agent is rejected at the top', async () => {
    const bottom: Handler = async ({ ask }) => `size ${await ask({ choose: 'Size?', options: ['S', 'M'] })}`;
    const host = await calling(callsNext('bottom'), { bottom }, { variant });
    const asking = await host.task('go');

    await expect(host.reply(asking, 'XL')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });

    expect(artifactText(await host.reply(asking, '2'))).toBe('size M');
  });

  test('a question survives a restart of the host, and is asked once', async () => {
    const bottom: Handler = async ({ ask }) => `hello ${await ask('Name?')}`;
    const first = await calling(callsNext('middle'), { middle: callsNext('bottom'), bottom }, { variant });
    const asking = await first.task('go');
    const second = await first.restart();

    const done = await second.reply(asking, 'Ann');

    expect(artifactText(done)).toBe('hello Ann');
    const questions = done.history?.filter(
      ({ parts: [part] }) => part !== undefined && 'text' in part && part.text === 'Name?',
    );
    expect(questions).toHaveLength(1);
  });

  test('two called agents that ask at the same time both get their own answer', async () => {
    const asker: Handler = async ({ ask, text }) => `${text}=${await ask(`Value of ${text}?`)}`;
    const run: Handler = async ({ call }) => {
      const [a, b] = await Promise.all([call('asker', 'a'), call('asker', 'b')]);
      return `${a.text} ${b.text}`;
    };
    const host = await calling(run, { asker }, { variant });
    let task = await host.task('go');
    await until(async () => {
      task = await host.engine.get(ANN, task.id);
      return listed(task).length === 2;
    });
    const [first, second] = listed(task);
    await host.reply(task, `<${nameIn(second)}>`, { answers: second?.id ?? '', returnImmediately: true });
    task = await host.reply(task, `<${nameIn(first)}>`, { answers: first?.id ?? '' });

    expect(artifactText(task)).toBe('a=<a> b=<b>');
  });

  test('a question that expires at the called agent is withdrawn', async () => {
    const bottom: Handler = async ({ ask }) => {
      await ask('Anyone?', { timeoutMs: 5000 }).catch(() => {});
      return 'nobody';
    };
    const host = await calling(callsNext('bottom'), { bottom }, { variant });
    const asking = await host.task('go');
    const subscribed = host.engine.subscribe({ ...ANN }, asking.id);
    await pass(host.clock, 8000, 500);
    await until(async () => (await host.engine.get(ANN, asking.id)).status.state === 'TASK_STATE_COMPLETED');

    expect(artifactText(await host.engine.get(ANN, asking.id))).toBe('nobody');
    expect(subscribed).toBeDefined();
  });

  test('a call fails if its question is not answered in time', async () => {
    const bottom: Handler = async ({ ask }) => ask('Anyone?');
    const run: Handler = async ({ call }) => (await failureOf(call('bottom', 'x'))).message;
    const host = await calling(run, { bottom }, { variant, limits: { questionTtlMs: 5000 } });
    const asking = await host.task('go');
    await pass(host.clock, 8000, 500);
    await until(async () => (await host.engine.get(ANN, asking.id)).status.state === 'TASK_STATE_COMPLETED');

    expect(artifactText(await host.engine.get(ANN, asking.id))).toBe(
      'The call to bottom timed out: The question was not answered in time',
    );
    expect((await tasksOf(host, 'bottom'))[0]?.status.state).toBe('TASK_STATE_CANCELED');
  });

  test("with questions: 'fail' a question fails the call", async () => {
    const bottom: Handler = async ({ ask }) => ask('Name?');
    const run: Handler = async ({ call }) => (await failureOf(call('bottom', 'x', { questions: 'fail' }))).outcome;
    const host = await calling(run, { bottom }, { variant });

    expect(artifactText(await host.task('go'))).toBe('failed');
    expect((await tasksOf(host, 'bottom'))[0]?.status.state).toBe('TASK_STATE_CANCELED');
  });

  test('a handler that answers questions itself answers each of them once', async () => {
    const asked: CallQuestion[] = [];
    const bottom: Handler = async ({ ask }) => `${String(await ask({ confirm: 'Sure?' }))} ${await ask('Name?')}`;
    const run: Handler = async ({ call, ask }) => {
      const questions = (question: CallQuestion) => {
        asked.push(question);
        return question.kind === 'confirm' ? true : 'Bob';
      };
      const { text } = await call('bottom', 'x', { questions });
      await ask('Go on?');
      return text;
    };
    const first = await calling(run, { bottom }, { variant });
    const asking = await first.task('go');
    const second = await first.restart();

    expect(artifactText(await second.reply(asking, 'yes'))).toBe('true Bob');
    expect(asked.map(({ text, kind, path }) => [text, kind, path])).toEqual([
      ['Sure?', 'confirm', ['bottom']],
      ['Name?', 'text', ['bottom']],
    ]);
  });

  test('the answer to a sensitive question reaches the called agent and no history', async () => {
    const bottom: Handler = async ({ ask }) => `length ${(await ask('PIN?', { sensitive: true })).length}`;
    const host = await calling(callsNext('middle'), { middle: callsNext('bottom'), bottom }, { variant });
    const asking = await host.task('go');
    expect(asking.status.message?.metadata).toMatchObject({ [SENSITIVE]: true });

    const done = await host.reply(asking, '4711');

    expect(artifactText(done)).toBe('length 4');
    for (const agent of ['agent', 'middle', 'bottom']) {
      const [record] = await tasksOf(host, agent);
      const task = await host.engine.get(ANN, record?.id ?? '');
      expect(JSON.stringify(task)).not.toContain('4711');
    }
  });

  test('a credential for a called agent is given to the calling task, and a plain message is not one', async () => {
    const bottom: Handler = async ({ authorize }) => `token ${(await authorize('Log in')).length}`;
    const host = await calling(callsNext('bottom'), { bottom }, { variant });
    const asking = await host.task('go');
    expect(asking.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const still = await host.reply(asking, 'secret', { returnImmediately: true });
    expect(still.status.state).toBe('TASK_STATE_AUTH_REQUIRED');

    await host.engine.authorize(ANN, asking.id, 'secret');
    await until(async () => (await host.engine.get(ANN, asking.id)).status.state === 'TASK_STATE_COMPLETED');

    expect(artifactText(await host.engine.get(ANN, asking.id))).toBe('token 6');
  });

  test('an answer that arrives after the decision is rejected and reaches nobody', async () => {
    const bottom: Handler = async ({ ask }) => {
      const answer = await ask('Name?');
      return `got ${answer}`;
    };
    const host = await calling(callsNext('bottom'), { bottom }, { variant });
    const asking = await host.task('go');
    const question = asking.status.message?.messageId ?? '';
    const done = await host.reply(asking, 'first', { answers: question });

    await expect(host.reply(asking, 'second', { answers: question })).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
    });

    expect(artifactText(done)).toBe('got first');
    const [child] = await tasksOf(host, 'bottom');
    const task = await host.engine.get(ANN, child?.id ?? '');
    expect(JSON.stringify(task.history)).not.toContain('second');
  });

  test('status texts and an artifact of a called agent are relayed, once each, also after a restart', async () => {
    const bottom: Handler = async function* ({ ask }) {
      yield { status: 'working', text: 'Reading' };
      yield { artifact: 'report', text: 'one ', append: true };
      await ask('More?');
      yield { artifact: 'report', text: 'two', append: true };
    };
    const run: Handler = async ({ call, ask }) => {
      await call('bottom', 'x', { progress: 'relay', relay: { artifact: 'report' } });
      await ask('Done?');
      return 'done';
    };
    const first = await calling(run, { bottom }, { variant });
    const asking = await first.task('go');
    await pass(first.clock, 3000, 250);
    const second = await first.restart();
    const sent = second.reply(asking, 'yes');
    await pass(second.clock, 3000, 250);
    const done = await second.reply(await sent, 'yes');

    expect(artifactText(done, 'report')).toBe('one two');
    const said = JSON.stringify(done.history);
    expect(said.split('bottom: Reading')).toHaveLength(2);
    await turns();
  });

  test('a question that two attempts pass on is answered once', async () => {
    const answers: string[] = [];
    const bottom: Handler = async ({ ask, step }) => {
      const name = await ask('Name?');
      await step('note', () => void answers.push(name));
      return name;
    };
    const first = await calling(callsNext('bottom'), { bottom, echo }, { variant });
    const asking = await first.task('go');
    const second = await first.crash();

    await second.reply(asking, 'Ann', { message: userMessage('Ann', { taskId: asking.id }) });

    await until(async () => (await tasksOf(second, 'agent'))[0]?.status.state === 'TASK_STATE_COMPLETED');
    expect(answers).toEqual(['Ann']);
  });
});
