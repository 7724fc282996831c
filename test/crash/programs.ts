/** What the agent of the crash tests can do, and what must come of it however often its process is killed. */
import type { HandlerResult, StepContext, TaskContext } from '../../src/engine/handler.ts';
import { QuestionExpiredError } from '../../src/engine/handler.ts';
import type { Output } from '../../src/engine/output/output.ts';
import type { TaskState } from '../../src/model/state.ts';

/** How the client asks: for the task at once, for what comes of it, or for all that happens on the way. */
export type Mode = 'now' | 'wait' | 'stream';

/**
 * Runs a step of that name and gives its value, which is another one at every execution. The step may publish something
 * through its own context.
 */
export type Step = (name: string, publish?: (own: StepContext, value: string) => Promise<void>) => Promise<string>;

/** The value of a step that was recorded, by `turn:name#occurrence`. */
export type ValueOf = (step: string) => string;

interface Program {
  readonly modes: readonly Mode[];
  run(ctx: TaskContext, step: Step): AsyncGenerator<Output, HandlerResult> | Promise<HandlerResult>;
  /** The state in the end; nothing if the outcome is a message and no task. */
  readonly end: TaskState | undefined;
  /** All pieces of each artifact, each of them given once. */
  gives(value: ValueOf): Readonly<Record<string, readonly string[]>>;
  /** What an interrupted execution has published is replaced by what the recorded one has: only the end is compared. */
  readonly isCorrected?: boolean;
  /** Artifacts that may be missing. */
  readonly mayLack?: readonly string[];
  /** What the last status says. */
  readonly lastWord?: string;
}

const ALL: readonly Mode[] = ['now', 'wait', 'stream'];
const FOR_EVER_MS = 3_600_000;
export const UNANSWERED = 'Is anybody there?';
/** What the client sends to a task that reads its inbox. */
export const MAIL = ['first', 'second', 'last'] as const;

const PIECES = ['piece 1;', 'piece 2;', 'piece 3;'] as const;

/** What the client gives to a task that wants an authorization. */
export const CREDENTIAL = 'open sesame';

/** The answer of our client, the same at every repeat. */
export function answerTo(question: string): string {
  return question.endsWith('(yes/no)') ? 'yes' : `To ${question} this`;
}

export const PROGRAMS = {
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
    gives: (value) => ({
      one: [value('0:a#1'), 'more'],
      two: [`${value('0:b#1')},${value('0:b#2')}`, 'end'],
      response: ['done'],
    }),
  },
  /** A step streams, and says the same at every execution. */
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
    gives: (value) => ({
      response: ['before;', ...PIECES, value('0:model#1'), ...PIECES, value('0:tool#1'), answerTo('Enough?'), 'after;'],
    }),
  },
  /** Steps at once stream something else at every execution. */
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
    gives: (value) => ({
      one: ['one', ...PIECES].map((piece) => `${piece} ${value('0:one#1')}`),
      two: ['two', ...PIECES].map((piece) => `${piece} ${value('0:two#1')}`),
      response: ['before;', value('0:one#1'), value('0:two#1'), `last ${value('0:last#1')}`, value('0:last#1')],
    }),
    isCorrected: true,
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
    gives: (value) => ({ response: ['before', value('0:between#1'), value('0:beside#1')] }),
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
    gives: (value) => ({ response: ['hello', `${answerTo('Who?')} ${value('0:note#1')}`, 'true'] }),
  },
  authorize: {
    modes: ALL,
    async *run({ authorize }, step) {
      yield 'closed';
      const credential = await authorize('Log in');
      yield `${credential} ${await step('enter')}`;
    },
    end: 'TASK_STATE_COMPLETED',
    gives: (value) => ({ response: ['closed', `${CREDENTIAL} ${value('0:enter#1')}`] }),
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
    gives: (value) => ({
      response: [`${value('0:note#1')} `, `${value('1:note#1')} ${answerTo('Turn 1?')}`, answerTo('Turn 2?')],
    }),
  },
  inbox: {
    modes: ['now', 'stream'],
    async *run({ inbox }) {
      yield 'open';
      for await (const { text } of inbox) {
        yield text;
        if (text === MAIL.at(-1)) return;
      }
    },
    end: 'TASK_STATE_COMPLETED',
    gives: () => ({ response: ['open', ...MAIL] }),
  },
  /** Gives an output while it waits for an answer. */
  late: {
    modes: ALL,
    async *run(ctx) {
      const [answer] = await Promise.all([ctx.ask('What then?'), later(ctx)]);
      yield answer;
    },
    end: 'TASK_STATE_COMPLETED',
    gives: () => ({ late: ['late'], response: [answerTo('What then?')] }),
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
    gives: () => ({ response: ['nobody'] }),
  },
  'cancel asleep': {
    modes: ['now', 'stream'],
    async *run({ sleep }) {
      yield 'begun';
      await sleep(FOR_EVER_MS);
    },
    end: 'TASK_STATE_CANCELED',
    gives: () => ({ response: ['begun'] }),
  },
  'cancel at work': {
    modes: ['now', 'stream'],
    async *run({ signal, artifact }) {
      yield 'begun';
      await aborted(signal);
      await artifact('cleared').append('up');
    },
    end: 'TASK_STATE_CANCELED',
    gives: () => ({ response: ['begun'], cleared: ['up'] }),
    mayLack: ['cleared'],
  },
  fail: {
    modes: ALL,
    async *run(_, step) {
      yield await step('last');
      throw new Error('on purpose');
    },
    end: 'TASK_STATE_FAILED',
    gives: (value) => ({ response: [value('0:last#1')] }),
  },
  reject: {
    modes: ALL,
    async run({ reject }) {
      return reject('not me');
    },
    end: 'TASK_STATE_REJECTED',
    gives: () => ({}),
    lastWord: 'not me',
  },
  'reply late': {
    modes: ALL,
    async *run({ reply }) {
      yield 'first';
      return reply('bye');
    },
    end: 'TASK_STATE_COMPLETED',
    gives: () => ({ response: ['first'] }),
    lastWord: 'bye',
  },
  reply: {
    modes: ['wait', 'stream'],
    async run({ reply }) {
      return reply('just so');
    },
    end: undefined,
    gives: () => ({}),
    lastWord: 'just so',
  },
} as const satisfies Record<string, Program>;

export type Kind = keyof typeof PROGRAMS;

export const KINDS = Object.keys(PROGRAMS) as readonly Kind[];

export function programOf(kind: Kind): Program {
  return PROGRAMS[kind];
}

/** Whether it asks something that can be left open. */
export function canBeHeld(kind: Kind): boolean {
  return kind === 'ask' || kind === 'turns' || kind === 'late';
}

/** Gives an output when the question is stored and the run is suspended, or in a while if it never is. */
async function later(ctx: TaskContext): Promise<void> {
  for (let turns = 0; turns < 50 && !ctx.signal.aborted; turns++) {
    const isAsked = ctx.task.status.state === 'TASK_STATE_INPUT_REQUIRED';
    await new Promise((resolve) => setImmediate(resolve));
    if (isAsked) break;
  }
  await ctx.artifact('late').append('late');
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
