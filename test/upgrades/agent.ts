/** The agent of the stored databases. It runs in the process that is killed, and in the tests that open its database. */
import type { AgentOptions } from '../../src/agent/agent-options.ts';
import type { Handler, TaskContext } from '../../src/engine/handler.ts';

/** The tasks that run when the process is killed. Their caller gets no slot for another one. */
const RUNNING_TASKS = 7;

const FIVE_MINUTES_MS = 300_000;

/** The process that runs the agent. */
export interface AgentProcess {
  /** Part of the result of each step, so that results show which process has run it. */
  readonly name: 'old' | 'new';
  /** Where the old process is killed. Resolves in the new one. */
  readonly hold: () => Promise<void>;
  /** Called when the function of a step runs. */
  readonly onStep?: (taskId: string, step: string) => void;
}

interface Tools extends AgentProcess {
  /** Called in the function of a step, with the name of the step. Returns the result of the step. */
  readonly ran: (step: string) => string;
}

type Scenario = (ctx: TaskContext, tools: Tools) => ReturnType<Handler>;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  async *interrupted({ step }, { name, hold, ran }) {
    yield { status: 'working', text: 'Writing' };
    const first = await step('first', async ({ artifact }) => {
      await artifact('report').append('one ');
      await artifact('report').append('two ');
      return ran('first');
    });
    const failure = await step('failing', () => {
      throw new Error(`${ran('failing')} failed`);
    }).catch(({ message }: Error) => message);
    const second = await step('second', async ({ artifact }) => {
      await artifact('report').append(`three ${name} `);
      await hold();
      await artifact('report').append('four');
      return ran('second');
    });
    yield [first, failure, second].join(', ');
  },

  async *retried({ step }, { name, ran }) {
    yield await step(
      'fetch',
      async ({ artifact, attempt }) => {
        await artifact('attempts').append(`attempt ${attempt}`);
        if (name === 'old') throw new Error('Not reachable');
        return ran('fetch');
      },
      { retries: 1, backoffMs: FIVE_MINUTES_MS },
    );
  },

  /** The first attempt of the old process published something else, which the second one has replaced. */
  async *corrected({ artifact, step }, { name, hold, ran }) {
    await artifact('report').append('one ');
    yield await step(
      'write',
      async (own) => {
        const isDraft = name === 'old' && own.attempt === 1;
        await own.artifact('report').append(isDraft ? 'draft ' : 'two ');
        if (isDraft) throw new Error('Not good enough');
        await hold();
        await own.artifact('report').append('three');
        return ran('write');
      },
      { retries: 1, backoffMs: 0 },
    );
  },

  async *inbox({ step, inbox }, { hold, ran }) {
    const before = await step('before', () => ran('before'));
    yield 'listening, ';
    await hold();
    const messages = await inbox.take();
    yield [before, ...messages.map(({ text }) => text)].join(', ');
  },

  async *answered({ ask, status, step }, { hold, ran }) {
    const answer = await ask('Which colour?');
    await status('Painting');
    yield await step('paint', async () => {
      await hold();
      return `${ran('paint')} ${answer}`;
    });
  },

  async *canceling({ artifact, signal }, { hold }) {
    yield 'begun';
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await artifact('cleanup').append('begun');
    await hold();
  },

  /** Records entries of all kinds. The process is killed in the second turn. */
  async *recorded({ ask, inbox, sleep, status, step, text }, { hold, ran }) {
    if (text === 'recorded') {
      yield 'first turn, ';
      yield { status: 'input-required', text: 'What then?' };
      return;
    }
    const { length: early } = await inbox.take();
    const question = ask('Now?');
    const first = await Promise.race([question, sleep(1).then(() => 'slept')]);
    const second = await Promise.race([question, sleep(FIVE_MINUTES_MS).then(() => 'slept too long')]);
    await status('Listening');
    for await (const message of inbox) {
      yield `${early} messages, ${first}, ${second}, ${message.text}, `;
      break;
    }
    const generated = await step('generate', async function* generate() {
      yield 'one ';
      yield 'two, ';
      return ran('generate');
    });
    const parallel = await Promise.all(['left', 'right'].map((name) => step(name, () => ran(name))));
    const nested = await step(
      'outer',
      async (outer) => `${ran('outer')} ${await outer.step('inner', () => ran('inner'))}`,
    );
    const corrected = await step(
      'draft',
      async ({ artifact, attempt }) => {
        await artifact('draft').append(`draft ${attempt}`);
        if (attempt === 1) throw new Error('Not good enough');
        return ran('draft');
      },
      { retries: 1, backoffMs: 0 },
    );
    await status('Finishing');
    const last = await step('last', async () => {
      await hold();
      return ran('last');
    });
    yield [generated, ...parallel, nested, corrected, last].join(', ');
  },

  queued: ({ step }, { ran }) => step('only', () => ran('only')),

  async *sleeping({ step, sleep }, { ran }) {
    yield `${await step('before', () => ran('before'))}, `;
    await sleep(FIVE_MINUTES_MS);
    yield await step('after', () => ran('after'));
  },

  text: asking(({ ask }) => ask('Which city?')),
  confirm: asking(({ ask }) => ask({ confirm: 'Book it?' })),
  choose: asking(({ ask }) => ask({ choose: 'Which size?', options: ['S', { id: 'M', label: 'Medium' }] })),
  form: asking(({ ask }) =>
    ask({ form: 'Where to?', fields: { city: { type: 'string' }, floor: { type: 'integer' } } }),
  ),
  schema: asking(({ ask }) => ask('How many?', { schema: { type: 'integer' } })),
  authorize: asking(({ authorize }) => authorize({ text: 'Sign in', url: 'https://example.com/login' })),

  async *expired({ ask }, { ran }) {
    const answer = await ask('Which city?', { timeoutMs: FIVE_MINUTES_MS }).catch(({ name }: Error) => name);
    yield `${ran('after')} ${answer}`;
  },

  async *turns({ step, text, task }, { ran }) {
    const [, city] = text.split(' ');
    const prepared = await step('prepare', () => ran('prepare'));
    if (city === undefined) {
      yield `${prepared}, `;
      yield { status: 'input-required', text: 'Which city?' };
    } else {
      yield `${prepared}, ${city}, ${task.history?.length} messages`;
    }
  },

  async *completed({ ask, artifact, step }, { ran }) {
    yield { status: 'working', text: 'Packing' };
    await artifact('list').append('one ');
    await artifact('list').append('two', { lastChunk: true, description: 'What is in the box', metadata: { box: 1 } });
    yield { artifact: 'order.json', data: { items: ['one', 'two'], total: 9.5 } };
    yield { artifact: 'label.png', bytes: 'iVBORw0KGgo=', mediaType: 'image/png', filename: 'label.png' };
    yield { artifact: 'invoice', url: 'https://example.com/invoice.pdf', mediaType: 'application/pdf' };
    const answer = await ask('Which colour?');
    yield `${await step('pack', () => ran('pack'))} ${answer}`;
  },

  async *notified({ status }) {
    await status('Packing');
    yield 'Packed';
  },

  async *canceled({ sleep }) {
    yield 'begun';
    await sleep(FIVE_MINUTES_MS);
  },

  async *failed() {
    yield 'begun';
    yield { status: 'failed', text: 'Out of stock' };
  },

  rejected: async ({ reject }) => reject('Not sold here'),
};

/** A handler with a question between two steps. */
function asking(question: (ctx: TaskContext) => Promise<unknown>): Scenario {
  return async function* run(ctx, { ran }) {
    const before = await ctx.step('before', () => ran('before'));
    const answer = await question(ctx);
    yield [before, JSON.stringify(answer), await ctx.step('after', () => ran('after'))].join(', ');
  };
}

export function agentOptions(process: AgentProcess): AgentOptions {
  return {
    id: 'upgraded',
    name: 'Upgraded',
    description: 'Leaves tasks in every state. The first word of a message names the scenario.',
    outputModes: ['*/*'],
    runsPerCaller: RUNNING_TASKS,
    // Longer than the old process lives after the cancellation.
    cancelGraceMs: FIVE_MINUTES_MS,
    run(ctx) {
      const [name = ''] = ctx.text.split(' ');
      const scenario = SCENARIOS[name];
      if (scenario === undefined) throw new Error(`Unknown scenario: ${name}`);
      const ran = (step: string): string => {
        process.onStep?.(ctx.taskId, step);
        return `${step} ${process.name}`;
      };
      return scenario(ctx, { ...process, ran });
    },
  };
}
