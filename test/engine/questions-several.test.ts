/** Several questions that are open at once. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type AskedHandle, Waits } from '../../src/engine/run/waits.ts';
import { QUESTIONS, SENSITIVE } from '../../src/model/question.ts';
import type { Task } from '../../src/model/task.ts';
import type { Store } from '../../src/store/store.ts';
import { deferred } from '../../src/support/deferred.ts';
import { fakeClock } from '../../src/testing/fake-clock.ts';
import {
  ANN,
  artifactText,
  bodies,
  collect,
  type Harness,
  harness,
  openStore,
  runnable,
  startHarness,
  statusText,
  until,
  userMessage,
  VARIANTS,
  withMethods,
} from './harness.ts';

interface Listed {
  readonly id: string;
  readonly text: string;
  readonly [member: string]: unknown;
}

/** The questions that the status of a task lists. */
function listed({ status }: Task): readonly Listed[] {
  const list = status.message?.metadata?.[QUESTIONS.uri] as { readonly questions: readonly Listed[] } | undefined;
  return list?.questions ?? [];
}

function idOf(task: Task, text: string): string {
  const question = listed(task).find((one) => one.text === text);
  return question?.id ?? expect.fail(`The status does not list "${text}"`);
}

const texts = (task: Task): readonly string[] => listed(task).map(({ text }) => text);
const said = ({ history = [] }: Task): readonly unknown[] =>
  history.map(({ parts: [part] }) => (part !== undefined && 'text' in part ? part.text : part));

/** Waits until a task has a state or shows a text. */
async function untilTask({ engine }: Harness, id: string, holds: (task: Task) => boolean): Promise<Task> {
  let task = await engine.get(ANN, id);
  await until(async () => holds((task = await engine.get(ANN, id))));
  return task;
}

const isCompleted = ({ status }: Task): boolean => status.state === 'TASK_STATE_COMPLETED';
const trip = async ({ ask }: Parameters<Parameters<typeof harness>[0]>[0]): Promise<string> => {
  const [from, to] = await Promise.all([ask('From?'), ask('To?')]);
  return `${from} to ${to}`;
};

describe.each(VARIANTS)('$name', (variant) => {
  test('questions that are asked at once are all recorded, and the oldest is shown with a list of all', async () => {
    const { task, store } = await harness(
      async ({ ask }) => {
        await Promise.all([
          ask('From?'),
          ask({ choose: 'How?', options: ['train', 'bus'] }),
          ask({ confirm: 'Today?' }),
        ]);
      },
      { variant },
    );
    const asked = await task('go');
    expect(statusText(asked)).toBe('From?');
    const { message } = asked.status;
    expect(listed(asked)).toMatchObject([
      { id: message?.messageId, path: [], kind: 'text', text: 'From?' },
      { path: [], kind: 'choose', text: 'How?', options: [{ id: 'train' }, { id: 'bus' }], schema: { type: 'string' } },
      { path: [], kind: 'confirm', text: 'Today?', schema: { type: 'boolean' } },
    ]);
    expect(new Set(listed(asked).map(({ id }) => id)).size).toBe(3);
    const recorded = (await store.journal(asked.id)).filter(({ kind }) => kind === 'question');
    expect(recorded).toHaveLength(3);
  });

  test('a question that is asked alone is not listed', async () => {
    const { task, reply } = await harness(async ({ ask }) => `${await ask('From?')} to ${await ask('To?')}`, {
      variant,
    });
    const first = await task('go');
    expect(first.status.message).not.toHaveProperty('metadata');
    const second = await reply(first, 'Rome');
    expect(second.status.message).not.toHaveProperty('metadata');
    expect(artifactText(await reply(second, 'Oslo'))).toBe('Rome to Oslo');
  });

  test('the answer to the shown question shows the next one, without a status in between', async () => {
    const { engine, task, reply, clock } = await harness(trip, { variant });
    const first = await task('go');
    const items = collect(engine.subscribe(ANN, first.id, { after: 0 }));
    const second = await reply(first, 'Rome');
    expect(second.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(statusText(second)).toBe('To?');
    expect(second.status.message?.messageId).toBe(idOf(first, 'To?'));
    expect(texts(second)).toEqual(['To?']);
    clock.advance(5000);
    const done = await reply(second, 'Oslo');
    expect(artifactText(done)).toBe('Rome to Oslo');
    expect(said(done)).toEqual(['go', 'From?', 'Rome', 'To?', 'Oslo']);
    const states = bodies(await items).flatMap((body) =>
      'statusUpdate' in body ? [body.statusUpdate.status.state.replace('TASK_STATE_', '')] : [],
    );
    expect(states).toEqual(['INPUT_REQUIRED', 'INPUT_REQUIRED', 'WORKING', 'COMPLETED']);
  });

  test('an answer that names another question leaves the shown one shown', async () => {
    const node = await harness(trip, { variant });
    const { task, reply } = node;
    const asked = await task('go');
    const still = await reply(asked, 'Oslo', { answers: idOf(asked, 'To?') });
    expect(statusText(still)).toBe('From?');
    expect(still.status.message?.messageId).toBe(asked.status.message?.messageId);
    expect(texts(still)).toEqual(['From?']);
    const done = await reply(still, 'Rome');
    expect(artifactText(done)).toBe('Rome to Oslo');
    expect(said(done)).toEqual(['go', 'To?', 'Oslo', 'From?', 'Rome']);
  });

  test('a handler gets the answer to a question that is not shown while the shown one is open', async () => {
    const node = await harness(
      async ({ ask, artifact }) => {
        const to = ask('To?').then((answer) => artifact('to').append(answer));
        await Promise.all([ask('From?'), to]);
      },
      { variant },
    );
    const asked = await node.task('go');
    await node.reply(asked, 'Rome', { answers: idOf(asked, 'From?') });
    const still = await node.engine.get(ANN, asked.id);
    expect(statusText(still)).toBe('To?');
    await node.reply(still, 'Oslo');
    expect(artifactText(await untilTask(node, asked.id, isCompleted), 'to')).toBe('Oslo');
  });

  test('a message without an id is rejected for 5 seconds after the shown question was replaced', async () => {
    const { task, reply, clock, engine } = await harness(trip, { variant });
    const first = await task('go');
    const second = await reply(first, 'Rome');
    clock.advance(4999);
    const id = idOf(second, 'To?');
    await expect(reply(second, 'Milan')).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining(id) as string,
      details: { questionId: id, question: 'To?' },
    });
    expect(statusText(await engine.get(ANN, first.id))).toBe('To?');
    clock.advance(1);
    expect(artifactText(await reply(second, 'Oslo'))).toBe('Rome to Oslo');
  });

  test('a message that names the question is accepted at once', async () => {
    const { task, reply } = await harness(trip, { variant });
    const second = await reply(await task('go'), 'Rome');
    expect(artifactText(await reply(second, 'Oslo', { answers: idOf(second, 'To?') }))).toBe('Rome to Oslo');
  });

  test('a message that names a question that is no longer open is rejected, also with the same content', async () => {
    const { task, reply } = await harness(trip, { variant });
    const first = await task('go');
    await reply(first, 'Rome', { answers: idOf(first, 'From?') });
    const again = reply(first, 'Rome', { answers: idOf(first, 'From?') });
    await expect(again).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(reply(first, 'Rome', { answers: 'nothing' })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('an answer is checked against the question that it names', async () => {
    const { task, reply } = await harness(
      async ({ ask }) => JSON.stringify(await Promise.all([ask('Who?'), ask({ confirm: 'Sure?' })])),
      { variant },
    );
    const asked = await task('go');
    const unfit = reply(asked, 'perhaps', { answers: idOf(asked, 'Sure?') });
    await expect(unfit).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await reply(asked, 'yes', { answers: idOf(asked, 'Sure?') });
    expect(artifactText(await reply(asked, 'Ann'))).toBe('["Ann",true]');
  });

  test('a question that is asked while another one is shown is added to the list', async () => {
    const gate = deferred<void>();
    const node = await harness(
      async ({ ask, step }) => {
        const later = step('work', () => gate.promise).then(() => ask('To?'));
        return (await Promise.all([ask('From?'), later])).join(' to ');
      },
      { variant },
    );
    const asked = await node.task('go');
    expect(texts(asked)).toEqual([]);
    gate.resolve();
    const both = await untilTask(node, asked.id, (now) => texts(now).length === 2);
    expect(statusText(both)).toBe('From?');
    expect(both.status.message?.messageId).toBe(asked.status.message?.messageId);
    expect(texts(both)).toEqual(['From?', 'To?']);
    await node.reply(both, 'Oslo', { answers: idOf(both, 'To?') });
    const done = await node.reply(both, 'Rome');
    expect(artifactText(done)).toBe('Rome to Oslo');
    expect(said(done)).toEqual(['go', 'To?', 'Oslo', 'From?', 'Rome']);
  });

  test('each question expires at its own time, and the others stay open', async () => {
    const node = await harness(
      async ({ ask }) => {
        const results = await Promise.allSettled([
          ask('A?', { timeoutMs: 30_000 }),
          ask('B?', { timeoutMs: 10_000 }),
          ask('C?', { timeoutMs: 60_000 }),
        ]);
        return results.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).name)).join();
      },
      { variant },
    );
    const { clock } = node;
    const { id } = await node.task('go');
    clock.advance(10_000);
    const without = await untilTask(node, id, (now) => texts(now).length === 2);
    expect(statusText(without)).toBe('A?');
    expect(texts(without)).toEqual(['A?', 'C?']);
    clock.advance(20_000);
    const last = await untilTask(node, id, (now) => statusText(now) === 'C?');
    expect(last.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    clock.advance(5000);
    expect(artifactText(await node.reply(last, 'Ann'))).toBe('QuestionExpiredError,QuestionExpiredError,Ann');
    const states = bodies(await collect(node.engine.subscribe(ANN, id, { after: 0 }))).flatMap((body) =>
      'statusUpdate' in body ? [body.statusUpdate.status.state] : [],
    );
    expect(states.filter((state) => state === 'TASK_STATE_WORKING')).toHaveLength(1);
  });

  test('a credential answers the question for it although another question is shown', async () => {
    const node = await harness(
      async ({ ask, authorize }) => (await Promise.all([ask('Who?'), authorize('Sign in')])).join(),
      { variant },
    );
    const asked = await node.task('go');
    expect(listed(asked)).toMatchObject([
      { kind: 'text' },
      { kind: 'auth-required', text: 'Sign in', sensitive: true },
    ]);
    await node.engine.authorize(ANN, asked.id, 's3cret');
    const still = await node.engine.get(ANN, asked.id);
    expect(statusText(still)).toBe('Who?');
    const done = await node.reply(still, 'Ann');
    expect(artifactText(done)).toBe('Ann,s3cret');
    expect(said(done)).toEqual(['go', 'Sign in', 'Who?', 'Ann']);
  });

  test('a credential goes to the question with the given id', async () => {
    const node = await harness(
      async ({ authorize }) => (await Promise.all([authorize('Mail'), authorize('Calendar')])).join(),
      { variant },
    );
    const asked = await node.task('go');
    expect(asked.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    await node.engine.authorize(ANN, asked.id, 'two', idOf(asked, 'Calendar'));
    await node.engine.authorize(ANN, asked.id, 'one');
    expect(artifactText(await untilTask(node, asked.id, isCompleted))).toBe('one,two');
  });

  test('a plain message does not answer an authorization beside another question, not even in band', async () => {
    const node = await harness(
      async ({ ask, authorize }) => (await Promise.all([authorize('Sign in', { inBand: true }), ask('Who?')])).join(),
      { variant },
    );
    const asked = await node.task('go');
    const still = await node.reply(asked, 'Ann');
    expect(still.status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    await node.reply(asked, 's3cret', { answers: idOf(asked, 'Sign in') });
    expect(artifactText(await node.reply(asked, 'Ann', { answers: idOf(asked, 'Who?') }))).toBe('s3cret,Ann');
  });

  test('a message that names an authorization needs a part that is marked as sensitive', async () => {
    const node = await harness(
      async ({ ask, authorize }) => (await Promise.all([ask('Who?'), authorize('Sign in')])).join(),
      { variant },
    );
    const asked = await node.task('go');
    const answers = idOf(asked, 'Sign in');
    await expect(node.reply(asked, 's3cret', { answers })).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    const parts = [{ text: 's3cret', metadata: { [SENSITIVE]: true } }];
    await node.reply(asked, '', { answers, message: userMessage('', { taskId: asked.id, parts }) });
    expect(artifactText(await node.reply(asked, 'Ann'))).toBe('Ann,s3cret');
  });

  test('the answer to a sensitive question that is not shown stays out of the history', async () => {
    const node = await harness(
      async ({ ask }) => (await Promise.all([ask('Who?'), ask('Pin?', { sensitive: true })])).join(),
      { variant },
    );
    const asked = await node.task('go');
    expect(listed(asked)).toMatchObject([{ text: 'Who?' }, { text: 'Pin?', sensitive: true }]);
    expect(asked.status.message?.metadata).not.toHaveProperty([SENSITIVE]);
    await node.reply(asked, '1234', { answers: idOf(asked, 'Pin?') });
    const done = await node.reply(asked, 'Ann');
    expect(artifactText(done)).toBe('Ann,1234');
    expect(said(done)).toEqual(['go', 'Pin?', '[redacted]', 'Who?', 'Ann']);
    const last = await node.store.journal(asked.id);
    expect(JSON.stringify([last, done.history])).not.toContain('1234');
  });

  test('open questions survive a crash, and a replay gets the answers in the order in which they came', async () => {
    const orders: string[][] = [];
    const first = await harness(
      async ({ ask }) => {
        const order: string[] = [];
        orders.push(order);
        await Promise.all(['A?', 'B?', 'C?'].map(async (text) => order.push(await ask(text))));
        await ask('Continue?');
        return order.join();
      },
      { variant },
    );
    const asked = await first.task('go');
    const second = await first.crash();
    const b = await second.reply(asked, 'b', { answers: idOf(asked, 'B?') });
    expect(texts(b)).toEqual(['A?', 'C?']);
    const third = await second.crash();
    expect(statusText(await third.engine.get(ANN, asked.id))).toBe('A?');
    await third.reply(asked, 'c', { answers: idOf(asked, 'C?') });
    await third.reply(asked, 'a', { answers: idOf(asked, 'A?') });
    await untilTask(third, asked.id, (now) => statusText(now) === 'Continue?');
    const fourth = await third.crash();
    third.clock.advance(5000);
    expect(artifactText(await fourth.reply(asked, 'yes'))).toBe('b,c,a');
    expect(orders.at(-1)).toEqual(['b', 'c', 'a']);
    const warnings = [second, third, fourth].flatMap(({ log }) => log.filter(({ message }) => /journal/.test(message)));
    expect(warnings).toEqual([]);
  });

  test('an answer that arrives while the result of a step is being stored comes in the order of the journal', async () => {
    const orders: string[][] = [];
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const gate = deferred<void>();
    const append: Store['append'] = async (write) => {
      const result = await store.append(write);
      if (write.journal?.some(({ kind }) => kind === 'step') === true) await gate.promise;
      return result;
    };
    const worked = deferred<void>();
    const agents = [
      runnable(async ({ ask, step }) => {
        const order: string[] = [];
        orders.push(order);
        const steps = step('work', () => worked.promise).then(() => order.push('step'));
        await Promise.all([steps, ask('Who?').then(() => order.push('answer'))]);
        await ask('Continue?');
        return order.join();
      }),
    ];
    const slow = withMethods(store, { append });
    const first = await startHarness({ maxSuspended: variant.maxSuspended, clock, store: slow, agents }, clock);
    const asked = await first.task('go');
    worked.resolve();
    const kinds = async (): Promise<readonly string[]> => (await store.journal(asked.id)).map(({ kind }) => kind);
    await until(async () => (await kinds()).includes('step'));
    await first.reply(asked, 'Ann', { returnImmediately: true });
    expect((await kinds()).slice(-2)).toEqual(['step', 'answer']);
    // The run reads the answer before it learns that the step is stored.
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    await untilTask(first, asked.id, (now) => statusText(now) === 'Continue?');
    const second = await first.crash({ store });
    expect(artifactText(await second.reply(asked, 'yes'))).toBe('step,answer');
    expect(orders).toEqual([
      ['step', 'answer'],
      ['step', 'answer'],
    ]);
  });

  test('an answer and a question that is asked at the same moment are both stored', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const gate = deferred<void>();
    let answer: (() => Promise<unknown>) | undefined;
    const append: Store['append'] = async (write) => {
      const isSecond = write.journal?.some(({ kind, key }) => kind === 'question' && key.startsWith('0.2')) === true;
      const first = isSecond ? answer : undefined;
      if (first !== undefined) {
        answer = undefined;
        await first();
      }
      return store.append(write);
    };
    const agents = [
      runnable(async ({ ask, step }) => {
        const to = step('work', () => gate.promise).then(() => ask('To?'));
        return (await Promise.all([ask('From?'), to])).join(' to ');
      }),
    ];
    const slow = withMethods(store, { append });
    const node = await startHarness({ maxSuspended: variant.maxSuspended, clock, store: slow, agents }, clock);
    const asked = await node.task('go');
    answer = () => node.reply(asked, 'Rome', { returnImmediately: true });
    gate.resolve();
    const second = await untilTask(node, asked.id, (now) => statusText(now) === 'To?');
    expect(texts(second)).not.toContain('From?');
    clock.advance(5000);
    expect(artifactText(await node.reply(second, 'Oslo'))).toBe('Rome to Oslo');
  });

  test('a question that was answered before the run learned that it is stored is not shown again', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    const gate = deferred<void>();
    const worked = deferred<void>();
    const append: Store['append'] = async (write) => {
      const result = await store.append(write);
      if (write.journal?.some(({ kind }) => kind === 'question') === true) await gate.promise;
      return result;
    };
    const agents = [
      runnable(async ({ ask, step }) => {
        await ask('Start?');
        const work = step('work', () => worked.promise);
        const from = ask('From?', { timeoutMs: 10_000 }).catch(() => 'nowhere');
        const places = await Promise.all([from, ask('To?')]);
        await work;
        return places.join(' to ');
      }),
    ];
    const first = await startHarness({ maxSuspended: variant.maxSuspended, clock, store, agents }, clock);
    const start = await first.task('go');
    const { id } = start;
    const node = await first.restart({ store: withMethods(store, { append }) });
    await node.reply(start, 'yes', { returnImmediately: true });
    const asked = await untilTask(node, id, (now) => texts(now).length === 2);
    await node.reply(asked, 'Oslo', { answers: idOf(asked, 'To?'), returnImmediately: true });
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    const items = collect(node.engine.subscribe(ANN, id));
    clock.advance(10_000);
    await untilTask(node, id, (now) => statusText(now) !== 'From?');
    worked.resolve();
    expect(artifactText(await untilTask(node, id, isCompleted))).toBe('nowhere to Oslo');
    expect(JSON.stringify(bodies(await items).slice(1))).not.toContain('To?');
  });

  test('a handler that records steps faster than an answer is stored does not keep it out', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    // Each try to answer meets a journal that has grown.
    const append: Store['append'] = async (write) => {
      const isAnswer = write.guard.lease === undefined && write.guard.lastJournal !== undefined;
      if (isAnswer) {
        const { length } = await store.journal(write.taskId);
        await until(async () => (await store.journal(write.taskId)).length > length);
      }
      return store.append(write);
    };
    const agents = [
      runnable(async ({ ask, step }) => {
        const answers: string[] = [];
        const questions = Promise.all([ask('From?'), ask('To?')]).then((all) => answers.push(...all));
        while (answers.length === 0) await step('work', () => new Promise<void>((done) => setImmediate(done)));
        await questions;
        return answers.join(' to ');
      }),
    ];
    const slow = withMethods(store, { append });
    const node = await startHarness({ maxSuspended: variant.maxSuspended, clock, store: slow, agents }, clock);
    const asked = await node.task('go');
    await node.reply(asked, 'Rome', { returnImmediately: true });
    const second = await untilTask(node, asked.id, (now) => statusText(now) === 'To?');
    clock.advance(5000);
    await node.reply(second, 'Oslo', { returnImmediately: true });
    expect(artifactText(await untilTask(node, asked.id, isCompleted))).toBe('Rome to Oslo');
  });

  test('a question that an earlier version has recorded stays open beside a new one', async () => {
    const clock = fakeClock();
    const store = openStore(variant, clock);
    // Earlier versions recorded neither the id nor the state of a question.
    const append: Store['append'] = async (write) => {
      const journal = write.journal?.map((entry) => {
        if (entry.kind !== 'question') return entry;
        const { id: _, state: __, ...body } = entry.body as Record<string, never>;
        return { ...entry, body };
      });
      return store.append({ ...write, ...(journal && { journal }) });
    };
    const older = withMethods(store, { append });
    const agents = [runnable(({ ask }) => ask('From?'))];
    const options = { maxSuspended: variant.maxSuspended, clock, agents };
    const first = await startHarness({ ...options, store: older }, clock);
    const asked = await first.task('go');
    clock.advance(15_001);
    await first.engine.close();
    const second = await startHarness({ ...options, store, agents: [runnable(trip)] }, clock);
    await second.reply(asked, 'Rome');
    const now = await untilTask(second, asked.id, (task) => statusText(task) === 'To?');
    clock.advance(5000);
    expect(artifactText(await second.reply(now, 'Oslo'))).toBe('Rome to Oslo');
  });

  test('a question of changed code replaces the one that it no longer asks', async () => {
    const first = await harness(({ ask }) => ask('Old?'), { variant });
    const asked = await first.task('go');
    const second = await first.restart({
      agents: [runnable(async ({ ask }) => (await Promise.all([ask('New?'), ask('More?')])).join())],
    });
    await second.reply(asked, 'x').catch(() => {});
    const now = await untilTask(second, asked.id, (task) => statusText(task) === 'New?');
    expect(texts(now)).toEqual(['New?', 'More?']);
  });

  describe('asked by another part of the run', () => {
    /** Asks questions that start with the name of an agent as if they came from it. */
    function forwarding(): readonly AskedHandle[] {
      const handles: AskedHandle[] = [];
      const { openQuestion } = Waits.prototype;
      const spy = vi.spyOn(Waits.prototype, 'openQuestion').mockImplementation(function (this: Waits, toAsk) {
        const [part] = toAsk.question.parts;
        const [, agent, text = ''] = /^(\w+): (.*)$/.exec(part !== undefined && 'text' in part ? part.text : '') ?? [];
        if (agent === undefined) return openQuestion.call(this, toAsk);
        const question = { ...toAsk.question, parts: [{ text }] };
        const handle = openQuestion.call(this, { ...toAsk, key: `call ${agent}`, question, path: ['desk', agent] });
        handles.push(handle);
        return handle;
      });
      onTestFinished(() => spy.mockRestore());
      return handles;
    }

    test('a question is listed with its path, also alone, and its answer is delivered', async () => {
      forwarding();
      const { task, reply, crash } = await harness(({ ask }) => ask('analytics: Which month?'), { variant });
      const asked = await task('go');
      expect(statusText(asked)).toBe('Which month?');
      expect(listed(asked)).toMatchObject([{ path: ['desk', 'analytics'], kind: 'text', text: 'Which month?' }]);
      const { reply: answer } = await crash();
      void reply;
      expect(artifactText(await answer(asked, 'May'))).toBe('May');
    });

    test('the withdrawal of the shown question shows the next one, and the handler continues', async () => {
      const handles = forwarding();
      const node = await harness(
        async ({ ask }) => {
          const other = ask('analytics: Which month?').catch((error: Error) => error.name);
          return `${await ask('Who?')}, ${await other}`;
        },
        { variant, maxSuspended: 1000 },
      );
      const asked = await node.task('go');
      expect(texts(asked)).toEqual(['Which month?', 'Who?']);
      expect(await handles.at(-1)?.withdraw()).toBe(true);
      const now = await node.engine.get(ANN, asked.id);
      expect(statusText(now)).toBe('Who?');
      await expect(node.reply(asked, 'May', { answers: idOf(asked, 'Which month?') })).rejects.toThrow(
        'no longer open',
      );
      await expect(node.reply(asked, 'Ann')).rejects.toThrow('5 seconds');
      node.clock.advance(5000);
      expect(artifactText(await node.reply(asked, 'Ann'))).toBe('Ann, AbortError');
    });

    test('the withdrawal of the only question sets the task to working', async () => {
      const handles = forwarding();
      const gate = deferred<string>();
      const node = await harness(
        async ({ ask, step }) => {
          const asking = ask('analytics: Which month?').catch(() => 'withdrawn');
          return `${await step('work', () => gate.promise)}, ${await asking}`;
        },
        { variant },
      );
      const asked = await node.task('go');
      expect(await handles.at(-1)?.withdraw()).toBe(true);
      expect((await node.engine.get(ANN, asked.id)).status.state).toBe('TASK_STATE_WORKING');
      gate.resolve('done');
      expect(artifactText(await untilTask(node, asked.id, isCompleted))).toBe('done, withdrawn');
    });

    test('a question cannot be withdrawn after its answer', async () => {
      const handles = forwarding();
      const gate = deferred<string>();
      const node = await harness(
        async ({ ask, step }) => {
          const asking = ask('analytics: Which month?');
          await step('work', () => gate.promise);
          return asking;
        },
        { variant },
      );
      const asked = await node.task('go');
      await node.reply(asked, 'May', { returnImmediately: true });
      expect(await handles.at(-1)?.withdraw()).toBe(false);
      gate.resolve('done');
      expect(artifactText(await untilTask(node, asked.id, isCompleted))).toBe('May');
    });

    test('a replay that no longer asks the question withdraws it, and is not reported as changed code', async () => {
      forwarding();
      const first = await harness(async ({ ask }) => (await Promise.all([ask('mail: Which?'), ask('Who?')])).join(), {
        variant,
      });
      const asked = await first.task('go');
      const second = await first.crash({
        agents: [
          runnable(async ({ ask }) => {
            const who = await ask('Who?');
            return `${who} ${await ask('Sure?')}`;
          }),
        ],
      });
      await second.reply(asked, 'never', { answers: idOf(asked, 'Which?') });
      await untilTask(second, asked.id, (now) => statusText(now) === 'Who?');
      expect(second.log.filter(({ message }) => message.includes('no longer matches'))).toEqual([]);
    });
  });
});
