/** The handlers of the crash tests, and their results, which do not depend on kills of the process. */
import type { HandlerResult, StepContext, TaskContext } from '../../src/engine/handler.ts';
import { QuestionExpiredError } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import type { TaskState } from '../../src/model/state.ts';

/** How the client sends the message: it returns at once, waits for the result, or reads a stream. */
export type Mode = 'now' | 'wait' | 'stream';

/**
 * Runs a step of that name and resolves to its value, which differs between executions. The step may publish outputs
 * through its own context.
 */
export type Step = (name: string, publish?: (own: StepContext, value: string) => Promise<void>) => Promise<string>;

/** The recorded value of a step, by `turn:name#occurrence`. */
export type ValueOf = (step: string) => string;

interface TestHandler {
  readonly modes: readonly Mode[];
  run(ctx: TaskContext, step: Step): AsyncGenerator<Output, HandlerResult> | Promise<HandlerResult>;
  /** The final state, or undefined if the handler replies with a message and creates no task. */
  readonly end: TaskState | undefined;
  /** All pieces of each artifact. */
  artifacts(value: ValueOf): Readonly<Record<string, readonly string[]>>;
  /** Whether outputs of an interrupted execution are replaced by those of the recorded one: only the final artifacts are compared. */
  readonly replacesPieces?: boolean;
  /** Artifacts that may be missing. */
  readonly optionalArtifacts?: readonly string[];
  /** The text of the last status. */
  readonly lastText?: string;
}

const ALL: readonly Mode[] = ['now', 'wait', 'stream'];
const ONE_HOUR_MS = 3_600_000;
export const UNANSWERED = 'Is anybody there?';
/** The messages that the client sends to a task that reads its inbox. */
export const INBOX_TEXTS = ['first', 'second', 'last'] as const;

const PIECES = ['piece 1;', 'piece 2;', 'piece 3;'] as const;

/** The credential that the client sends to a task that asks for authorization. */
export const CREDENTIAL = 'open sesame';

/** The answer of the client, the same for every repeat. */
export function answerTo(question: string): string {
  return question.endsWith('(yes/no)') ? 'yes' : `To ${question} this`;
}

export const HANDLERS = {
  steps: {
    modes: ALL,
    async *run({ artifact }, step) {
      yield { status: 'working', text: 'begun' };
      yield { artifact: 'one', text: await step('a'), append: true };
      const values = await Promise.all([step('b'), step('b')]);
      yield { artifact: 'two', text: values.join(), append: true };
      await artifact('one').append('more');
      await artifact('two').append('end', { lastChunk: true });
      return 'done';
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({
      one: [value('0:a#1'), 'more'],
      two: [`${value('0:b#1')},${value('0:b#2')}`, 'end'],
      response: ['done'],
    }),
  },
  /** Steps that publish the same outputs in every execution. */
  stream: {
    modes: ALL,
    async *run({ artifact, ask }, step) {
      yield 'before;';
      yield await step('model', async (own) => {
        for (const piece of PIECES) await own.artifact('response').append(piece);
      });
      // Through the context of the task.
      yield await step('tool', async () => {
        for (const piece of PIECES) await artifact('response').append(piece);
      });
      yield await ask('Enough?');
      yield 'after;';
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({
      response: ['before;', ...PIECES, value('0:model#1'), ...PIECES, value('0:tool#1'), answerTo('Enough?'), 'after;'],
    }),
  },
  /** Concurrent steps that publish different outputs in every execution. */
  models: {
    modes: ALL,
    async *run(_, step) {
      yield 'before;';
      const streams = ['one', 'two'].map((name) =>
        step(name, async (own, value) => {
          for (const piece of [name, ...PIECES]) await own.artifact(name).append(`${piece} ${value}`);
        }),
      );
      for (const value of await Promise.all(streams)) yield value;
      yield await step('last', (own, value) => own.artifact('response').append(`last ${value}`));
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({
      one: ['one', ...PIECES].map((piece) => `${piece} ${value('0:one#1')}`),
      two: ['two', ...PIECES].map((piece) => `${piece} ${value('0:two#1')}`),
      response: ['before;', value('0:one#1'), value('0:two#1'), `last ${value('0:last#1')}`, value('0:last#1')],
    }),
    replacesPieces: true,
  },
  sleep: {
    modes: ALL,
    async *run({ sleep }, step) {
      yield 'before';
      await sleep(3);
      yield await step('between');
      const [, value] = await Promise.all([sleep(2), step('beside')]);
      yield value;
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({ response: ['before', value('0:between#1'), value('0:beside#1')] }),
  },
  ask: {
    modes: ALL,
    async *run({ ask }, step) {
      yield 'hello';
      const answer = await ask('Who?');
      yield `${answer} ${await step('note')}`;
      yield String(await ask({ confirm: 'Sure?' }));
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({ response: ['hello', `${answerTo('Who?')} ${value('0:note#1')}`, 'true'] }),
  },
  authorize: {
    modes: ALL,
    async *run({ authorize }, step) {
      yield 'closed';
      const credential = await authorize('Log in');
      yield `${credential} ${await step('enter')}`;
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({ response: ['closed', `${CREDENTIAL} ${value('0:enter#1')}`] }),
  },
  turns: {
    modes: ALL,
    async *run({ text, task: { history = [] } }, step) {
      const turn = history.filter(({ role }) => role === 'ROLE_USER').length - 1;
      if (turn === 2) return text;
      yield `${await step('note')} ${turn === 0 ? '' : text}`;
      yield { status: 'input-required', text: `Turn ${turn + 1}?` };
      return undefined;
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: (value) => ({
      response: [`${value('0:note#1')} `, `${value('1:note#1')} ${answerTo('Turn 1?')}`, answerTo('Turn 2?')],
    }),
  },
  inbox: {
    modes: ['now', 'stream'],
    async *run({ inbox }) {
      yield 'open';
      for await (const { text } of inbox) {
        yield text;
        if (text === INBOX_TEXTS.at(-1)) return;
      }
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: () => ({ response: ['open', ...INBOX_TEXTS] }),
  },
  /** Publishes an output while it waits for an answer. */
  late: {
    modes: ALL,
    async *run(ctx) {
      const [answer] = await Promise.all([ctx.ask('What then?'), publishLate(ctx)]);
      yield answer;
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: () => ({ late: ['late'], response: [answerTo('What then?')] }),
  },
  expire: {
    modes: ['now', 'stream'],
    async *run({ ask }) {
      try {
        yield await ask(UNANSWERED, { timeoutMs: 5 });
      } catch (error) {
        if (!(error instanceof QuestionExpiredError)) throw error;
        yield 'nobody';
      }
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: () => ({ response: ['nobody'] }),
  },
  'cancel while sleeping': {
    modes: ['now', 'stream'],
    async *run({ sleep }) {
      yield 'begun';
      await sleep(ONE_HOUR_MS);
    },
    end: 'TASK_STATE_CANCELED',
    artifacts: () => ({ response: ['begun'] }),
  },
  'cancel while working': {
    modes: ['now', 'stream'],
    async *run({ signal, artifact }) {
      yield 'begun';
      await untilAborted(signal);
      await artifact('cleared').append('up');
    },
    end: 'TASK_STATE_CANCELED',
    artifacts: () => ({ response: ['begun'], cleared: ['up'] }),
    optionalArtifacts: ['cleared'],
  },
  fail: {
    modes: ALL,
    async *run(_, step) {
      yield await step('last');
      throw new Error('on purpose');
    },
    end: 'TASK_STATE_FAILED',
    artifacts: (value) => ({ response: [value('0:last#1')] }),
  },
  reject: {
    modes: ALL,
    async run({ reject }) {
      return reject('not me');
    },
    end: 'TASK_STATE_REJECTED',
    artifacts: () => ({}),
    lastText: 'not me',
  },
  'reply late': {
    modes: ALL,
    async *run({ reply }) {
      yield 'first';
      return reply('bye');
    },
    end: 'TASK_STATE_COMPLETED',
    artifacts: () => ({ response: ['first'] }),
    lastText: 'bye',
  },
  reply: {
    modes: ['wait', 'stream'],
    async run({ reply }) {
      return reply('just so');
    },
    end: undefined,
    artifacts: () => ({}),
    lastText: 'just so',
  },
} as const satisfies Record<string, TestHandler>;

export type Kind = keyof typeof HANDLERS;

export const KINDS = Object.keys(HANDLERS) as readonly Kind[];

export function handlerOf(kind: Kind): TestHandler {
  return HANDLERS[kind];
}

/** Whether the handler asks a question that may stay open for any time. */
export function hasQuestion(kind: Kind): boolean {
  return kind === 'ask' || kind === 'turns' || kind === 'late';
}

/** Publishes an output when the question is stored, or after 50 turns of the event loop if it never is. */
async function publishLate(ctx: TaskContext): Promise<void> {
  for (let turns = 0; turns < 50 && !ctx.signal.aborted; turns++) {
    const isAsked = ctx.task.status.state === 'TASK_STATE_INPUT_REQUIRED';
    await new Promise((resolve) => setImmediate(resolve));
    if (isAsked) break;
  }
  await ctx.artifact('late').append('late');
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
