/** Handlers as users write them. Each must compile with the options and compilers of users: see `types.test.ts`. */
import {
  agent,
  type Handler,
  type Output,
  type Question,
  skill,
  type TaskContext,
  type Agent,
} from 'tandem-a2a/server';
import { A2AError, type JsonValue } from 'tandem-a2a';
import * as z from 'zod';
import { expectType } from './expect-type.ts';

interface Order {
  id: string;
  when?: string;
  lines: Line[];
}

interface Line {
  readonly sku: string;
  readonly count: number;
}

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }

  toJSON(): string {
    return `${this.cents / 100} EUR`;
  }
}

declare function load(id: string): Promise<Order>;
declare function stream(prompt: string, options?: { signal?: AbortSignal }): AsyncIterable<string>;
declare function maybe(): Promise<Order | undefined>;

const order: Order = { id: '1', lines: [{ sku: 'a', count: 1 }] };
const base = { name: 'Agent', description: 'Compiles.' };

export const agents: readonly Agent[] = [
  // Returned values.
  agent({ ...base, run: ({ text }) => `Hello, ${text}!` }),
  agent({ ...base, run: async ({ text }) => text }),
  agent({ ...base, run: () => {} }),
  agent({ ...base, run: async () => undefined }),
  agent({ ...base, run: ({ text }) => (text === '' ? undefined : text) }),
  agent({ ...base, run: () => ({ text: 'Hello' }) }),
  agent({ ...base, run: () => ({ data: order }) }),
  agent({ ...base, run: async () => ({ data: await load('1') }) }),
  agent({ ...base, run: () => ({ data: [1, 'two', { three: null }] }) }),
  agent({ ...base, run: () => ({ data: new Date() }) }),
  agent({ ...base, run: () => ({ data: { price: new Money(100) } }) }),
  agent({ ...base, run: () => ({ bytes: new Uint8Array(1), mediaType: 'image/png', filename: 'a.png' }) }),
  agent({ ...base, run: () => ({ bytes: Buffer.from('a'), mediaType: 'text/csv' }) }),
  agent({ ...base, run: () => ({ url: 'https://example.com/a.pdf' }) }),
  agent({ ...base, run: () => ({ parts: [{ text: 'a' }, { data: order }, { url: 'https://example.com' }] }) }),
  agent({ ...base, run: () => ({ reply: 'Hello' }) }),
  agent({ ...base, run: () => ({ reply: { data: order } }) }),
  agent({ ...base, run: ({ reply }) => reply('Hello') }),
  agent({ ...base, run: ({ reject }) => reject() }),
  agent({ ...base, run: ({ text }) => (text === 'no' ? { status: 'rejected', text: 'No' } : { status: 'completed' }) }),
  agent({
    ...base,
    async run({ text, reject }) {
      if (text === '') return reject('Say something');
      return { data: await load(text) };
    },
  }),
  agent({
    ...base,
    run(ctx) {
      if (ctx.text === 'boom') throw new A2AError('UNSUPPORTED_OPERATION', 'Not that');
      return ctx.text;
    },
  }),

  // Yielded values: two artifacts with different data, an interface with an optional member.
  agent({
    ...base,
    async *run() {
      yield { artifact: 'a.json', data: { a: 1 } };
      yield { artifact: 'b.json', data: { b: 2 } };
    },
  }),
  agent({
    ...base,
    async *run() {
      const o: Order = { id: '1', lines: [] };
      yield { artifact: 'o.json', data: o };
    },
  }),
  agent({
    ...base,
    async *run({ text }) {
      yield { status: 'working', text: 'Looking' };
      yield 'a';
      yield { artifact: 'log.txt', text: 'b', append: true, metadata: { lines: 1 } };
      yield { artifact: 'table.csv', text: 'a,b', mediaType: 'text/csv', lastChunk: true };
      if (text === 'more') return { data: { rows: 3 } };
      return `Done ${text}`;
    },
  }),
  agent({
    ...base,
    async *run({ text, signal }) {
      for await (const word of stream(text, { signal })) yield word;
    },
  }),
  agent({
    ...base,
    async *run({ text }) {
      for (const state of ['working', 'completed'] as const) yield { status: state, text };
    },
  }),
  agent({
    ...base,
    async *run() {
      yield { status: 'input-required', text: 'Which city?' };
    },
  }),
  agent({
    ...base,
    async *run(ctx) {
      yield* words(ctx);
      return 'End';
    },
  }),

  // Questions.
  agent({
    ...base,
    async *run({ ask }) {
      const city = await ask('Which city?');
      expectType<string>()(city);
      const sure = await ask({ confirm: `Really ${city}?` }, { timeoutMs: 1000 });
      expectType<boolean>()(sure);
      yield sure ? city : 'Nothing';
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const size = await ask({ choose: 'Which size?', options: ['S', 'M', 'L'] });
      expectType<'S' | 'M' | 'L'>()(size);
      const plan = await ask({
        choose: 'Which plan?',
        options: [
          { id: 'free', label: 'Free' },
          { id: 'pro', label: 'Pro' },
        ],
      });
      expectType<'free' | 'pro'>()(plan);
      const ids = ['a', 'b'].map((id) => ({ id, label: id }));
      const any = await ask({ choose: 'Which one?', options: ids });
      expectType<string>()(any);
      return `${size} ${plan} ${any}`;
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const where = await ask({
        form: 'Where to?',
        fields: { street: { type: 'string' }, floor: { type: 'integer' } },
      });
      expectType<string>()(where.street);
      expectType<number>()(where.floor);
      const some = await ask({
        form: 'Who?',
        fields: { name: { type: 'string' }, age: { type: 'number' } },
        required: ['name'],
      });
      expectType<string>()(some.name);
      expectType<number | undefined>()(some.age);
      return `${where.street.trim()} ${where.floor.toFixed()} ${some.name}`;
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const count = await ask('How many?', { schema: { type: 'integer', minimum: 1 } });
      expectType<number>()(count);
      const tags = await ask('Which tags?', { schema: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } } });
      expectType<readonly ('a' | 'b')[]>()(tags);
      return tags.length + count > 3 ? 'many' : 'few';
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const isSure: boolean = await ask({ confirm: 'Sure?' });
      const size: 'S' | 'M' = await ask({ choose: 'Which size?', options: ['S', 'M'] });
      const any: string = await ask({ choose: 'Which one?', options: ['a', 'b'] });
      const who: { name: string; age?: number | undefined } = await ask({
        form: 'Who?',
        fields: { name: { type: 'string' }, age: { type: 'integer' } },
        required: ['name'],
      });
      const line: Line = await ask('Which line?', { schema: z.object({ sku: z.string(), count: z.number() }) });
      const count: number = await ask('How many?', { schema: { type: 'integer' } });
      const why: string = await ask('Why?');
      const approve = async (): Promise<boolean> => ask({ confirm: why });
      const both: [boolean, string] = await Promise.all([approve(), ask('Anything else?')]);
      return { data: { isSure, size, any, who, line, count, both } };
    },
  }),
  agent({
    ...base,
    async run({ ask, text }) {
      const yes: Question = { confirm: `Really ${text}?` };
      expectType<boolean>()(await ask(yes));
      const either = await ask(text === '' ? { confirm: 'None?' } : { choose: 'Which?', options: ['a', 'b'] });
      expectType<boolean | 'a' | 'b'>()(either);
      const { name } = await ask({ form: 'Who?', fields: { name: { enum: ['Ada', 'Bob'] } } }, { timeoutMs: 1000 });
      expectType<'Ada' | 'Bob'>()(name);
      return `${either} ${name}`;
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const address = await ask('Where to?', {
        schema: z.object({ street: z.string(), zip: z.coerce.number().optional() }),
      });
      expectType<string>()(address.street);
      expectType<number | undefined>()(address.zip);
      const date = await ask('When?', { schema: z.string().transform((text) => new Date(text)) });
      expectType<Date>()(date);
      return { data: { address, date } };
    },
  }),
  agent({
    ...base,
    async run({ ask }) {
      const message = await ask('Please send the file', { as: 'message' });
      const questions: Question[] = ['Anything else?', { confirm: 'Sure?' }];
      const last = await ask(questions[0] ?? 'Why?', { as: 'message' });
      return `${message.parts.length} ${last.text}`;
    },
  }),
  agent({
    ...base,
    async run({ authorize }) {
      const token = await authorize({ text: 'Log in', url: 'https://example.com', scopes: ['mail'] });
      return `${token.length}`;
    },
  }),

  // Steps.
  agent({
    ...base,
    async run({ step }) {
      const at = await step('now', () => new Date());
      expectType<string>()(at);
      // @ts-expect-error The result of a step is JSON, in which a date is a string.
      const date: Date = at;
      return `${at.slice(0, 10)} ${date.getTime()}`;
    },
  }),
  agent({
    ...base,
    async run({ step, text }) {
      const loaded = await step('load', () => load(text), { retries: 3 });
      expectType<Order>()(loaded);
      const perhaps = await step('maybe', () => maybe());
      return perhaps === undefined ? loaded.id : (perhaps.when ?? perhaps.lines[0]?.sku);
    },
  }),
  agent({
    ...base,
    async run({ step }) {
      const price = await step('price', () => new Money(3));
      expectType<string>()(price);
      await step('nothing', () => {});
      await step('nothing async', async () => {});
      const typed = await step<Order>('typed', () => load('1'));
      return { data: [price, typed.lines] };
    },
  }),
  agent({
    ...base,
    async run({ step, text }) {
      const answer = await step('model', async function* ({ signal }) {
        let whole = '';
        for await (const word of stream(text, { signal })) {
          whole += word;
          yield word;
        }
        return whole;
      });
      expectType<string>()(answer);
      return answer.toUpperCase();
    },
  }),
  agent({
    ...base,
    async run({ step }) {
      const total = await step('outer', async ({ step: inner, attempt, idempotencyKey }) => {
        const one = await inner('one', () => attempt);
        return { one, key: idempotencyKey };
      });
      expectType<{ one: number; key: string }>()(total);
      return total.key;
    },
  }),

  // The rest of the context.
  agent({
    ...base,
    async run({ status, artifact, conversation, history, caller, files, inbox, sleep, metadata }) {
      await status('Working');
      await status({ status: 'working', data: order });
      await artifact('report.md').append('# Report', { description: 'A report', metadata: { order } });
      const turns = await conversation({ limit: 10 });
      const messages = turns.map(({ role, text }) => ({ role: role === 'user' ? 'user' : 'assistant', content: text }));
      const earlier = await history();
      for (const file of files) await artifact('copy').append({ bytes: await file.bytes() });
      for (const message of await inbox.take()) await status(message.text);
      await sleep(1000);
      const seats = typeof metadata['seats'] === 'number' ? metadata['seats'] : 1;
      return `${caller.id} ${messages.length} ${earlier.length} ${seats}`;
    },
  }),
  agent({
    ...base,
    id: 'skilled',
    timeoutMs: 1000,
    skills: [{ id: 'a', name: 'A', description: 'A', tags: ['x'], visibility: 'authenticated' }],
    tools: { look: { description: 'Looks', execute: () => 1 } },
    run(ctx) {
      if (ctx.skillId === 'a') ctx.requireSkill('a');
      return ctx.task.id;
    },
  }),
];

async function* words({ text }: TaskContext): AsyncGenerator<Output> {
  for (const word of text.split(' ')) yield { artifact: 'words', text: word, append: true };
}

/** A handler that is declared on its own. */
export const handler: Handler = async function* ({ text, step }) {
  const rows = await step('rows', () => [{ a: 1 }, { a: 2 }]);
  yield { data: rows };
  yield { artifact: 'text', text };
};

/** An arrow function with the context as its type. */
export const arrow = async (ctx: TaskContext) => `Hello, ${ctx.text}`;

agent({ ...base, run: handler });
agent({ ...base, run: arrow });

// Skills.
export const runQuery = skill({
  id: 'run-query',
  description: 'Runs a query.',
  input: z.object({ sql: z.string(), limit: z.number().default(10) }),
  output: z.object({ rows: z.array(z.record(z.string(), z.unknown())), next: z.string().optional() }),
  async *run({ input, step }) {
    expectType<number>()(input.limit);
    yield { status: 'working', text: input.sql };
    return { rows: await step('query', () => [{ a: 1 }]) };
  },
});

export const double = skill({
  id: 'double',
  description: 'Doubles a number.',
  input: { type: 'number' },
  output: { type: 'number' },
  run: ({ input }) => input * 2,
});

export const book = skill({
  id: 'book',
  name: 'Book a train',
  description: 'Books a train after asking.',
  tags: ['travel'],
  examples: ['Book Rome'],
  input: { type: 'object', properties: { city: { type: 'string' }, seats: { type: 'integer' } }, required: ['city'] },
  async run({ input, ask, reject }) {
    expectType<number | undefined>()(input.seats);
    if (input.city === '') return reject('Where to?');
    return (await ask({ confirm: `Really to ${input.city}?` }))
      ? { data: { ...input, when: new Date() } }
      : 'Nothing booked';
  },
});

export const free = skill({
  id: 'free',
  description: 'Takes and returns anything.',
  input: {},
  output: { type: 'object' },
  run({ input }) {
    expectType<JsonValue>()(input);
    return order;
  },
});

// Literals and enums of an output need no annotation, however the handler returns them.
const ticket = {
  description: 'Sells a ticket.',
  input: z.object({ city: z.string() }),
  output: z.object({
    currency: z.literal('EUR'),
    seat: z.enum(['window', 'aisle']),
    total: z.number(),
    stops: z.array(z.string()),
    legs: z.array(z.object({ by: z.literal('train') })).optional(),
    note: z.string().optional(),
  }),
};

export const tickets = [
  skill({ ...ticket, id: 'sync', run: () => ({ currency: 'EUR', seat: 'aisle', total: 1, stops: ['Rome'] }) }),
  skill({
    ...ticket,
    id: 'async',
    run: async ({ input }) => ({ currency: 'EUR', seat: 'aisle', total: 1, stops: Object.keys(input) }),
  }),
  skill({
    ...ticket,
    id: 'method',
    async run({ input, reject, step }) {
      if (input.city === '') return reject('Where to?');
      const total = await step('price', () => input.city.length);
      return { currency: 'EUR', seat: total > 3 ? 'window' : 'aisle', total, stops: [], legs: [{ by: 'train' }] };
    },
  }),
  skill({
    ...ticket,
    id: 'generator',
    async *run({ input, reject }) {
      yield { status: 'working', text: input.city };
      if (input.city === '') return reject();
      return { currency: 'EUR', seat: 'window', total: 1, stops: [input.city] };
    },
  }),
  skill({
    id: 'json-schema',
    description: 'Has literals in JSON Schema.',
    input: {},
    output: {
      type: 'object',
      properties: { currency: { const: 'EUR' }, rate: { enum: [1, 2] } },
      required: ['currency'],
    },
    run: () => ({ currency: 'EUR', rate: 2 }),
  }),
  skill({
    id: 'variants',
    description: 'Returns one of two objects, and a tuple.',
    input: ticket.input,
    output: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('place'), at: z.tuple([z.string(), z.number()]) }),
      z.object({ kind: z.literal('none'), ok: z.literal(false) }),
    ]),
    run: async ({ input }) =>
      input.city === '' ? { kind: 'none', ok: false } : { kind: 'place', at: [input.city, 1] },
  }),
  skill({
    id: 'whole',
    description: 'Returns an enum, and nothing around it.',
    input: {},
    output: z.enum(['window', 'aisle']),
    run: async () => 'aisle' as const,
  }),
  skill({
    id: 'status',
    description: 'Ends with a status.',
    input: {},
    run: async ({ ask }) => ({ status: 'completed', text: await ask('Really?') }),
  }),
];

agent({ ...base, skills: [runQuery, double, book, free, ...tickets] });
agent({
  ...base,
  skills: [
    skill({ ...ticket, id: 'inline', run: async () => ({ currency: 'EUR', seat: 'aisle', total: 1, stops: [] }) }),
  ],
});
agent({ ...base, skills: [double, { id: 'b', name: 'B', description: 'B' }], run: ({ skillId }) => skillId });

// Mistakes are errors. If the types degraded to `any`, these lines would be accepted.
// @ts-expect-error A number is not an output.
agent({ ...base, run: () => 42 });
agent({
  ...base,
  // @ts-expect-error There is no such status.
  async *run() {
    yield { status: 'done' };
  },
});
agent({
  ...base,
  // @ts-expect-error The returned value is not an output.
  async *run() {
    yield 'a';
    return 42;
  },
});
agent({
  ...base,
  async *run(): AsyncGenerator<Output> {
    // @ts-expect-error There is no such member. Without the annotation it is found only when the handler runs.
    yield { artefact: 'a.csv', text: 'a' };
  },
});
// @ts-expect-error There is no such option.
agent({ ...base, run: () => 'a', timeout: 3 });
agent({
  ...base,
  async run({ ask }) {
    const size = await ask({ choose: 'Which size?', options: ['S', 'M'] });
    // @ts-expect-error There is no such size.
    return size === 'L' ? 'large' : size;
  },
});
agent({
  ...base,
  async run({ ask }) {
    // @ts-expect-error A confirmation has its own schema.
    await ask({ confirm: 'Sure?' }, { schema: z.string() });
    // @ts-expect-error A required field must be one of the fields.
    await ask({ form: 'Who?', fields: { name: { type: 'string' } }, required: ['nam'] }, { timeoutMs: 1000 });
    // @ts-expect-error The options are missing.
    await ask({ choose: 'Which?' });
  },
});
skill({
  id: 'a',
  description: 'A',
  input: z.object({ a: z.string() }),
  output: z.object({ b: z.string() }),
  // @ts-expect-error The output does not match.
  run: ({ input }) => ({ b: input.a.length }),
});
// @ts-expect-error The currency is another literal.
skill({ ...ticket, id: 'a', run: () => ({ currency: 'USD', seat: 'aisle', total: 1, stops: [] }) });
// @ts-expect-error There is no such seat.
skill({ ...ticket, id: 'a', run: async () => ({ currency: 'EUR', seat: 'middle', total: 1, stops: [] }) });
// @ts-expect-error The items have another type.
skill({ ...ticket, id: 'a', run: () => ({ currency: 'EUR', seat: 'aisle', total: 1, stops: [1] }) });
// @ts-expect-error A member is missing.
skill({ ...ticket, id: 'a', run: () => ({ currency: 'EUR', seat: 'aisle', total: 1 }) });
skill({
  ...ticket,
  id: 'a',
  // @ts-expect-error The generator returns no output.
  async *run() {
    yield 'Sold';
  },
});
// @ts-expect-error A number is not an output.
skill({ id: 'a', description: 'A', input: {}, run: async () => 42 });
