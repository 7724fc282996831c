/** Client calls as users write them. Each must compile with the options and compilers of users: see `types.test.ts`. */
import {
  A2AError,
  type AgentClient,
  type AnswerInput,
  connect,
  type JsonValue,
  type Reply,
  type SkillTypes,
  type Task,
  type TaskQuestion,
  tryDiscover,
} from 'tandem-a2a';
import { agent } from 'tandem-a2a/server';
import { expectType } from './expect-type.ts';
import type { book, double, free, runQuery } from './handlers.ts';

interface Order {
  id: string;
  when?: string;
}

declare const client: AgentClient;
declare function prompt(text: string): Promise<string>;
declare function pick(options: readonly { id: string; label: string }[]): string;
declare const order: Order;

export const calls: readonly (() => unknown)[] = [
  async () => connect('http://localhost:4100', { auth: process.env['AGENT_TOKEN'] ?? '' }),
  async () => connect(agent({ name: 'A', description: 'A', run: () => 'a' })),
  async () => connect({ fetch: (request) => fetch(request) }),
  async () => (await tryDiscover('localhost:4100'))?.card.name,
  async () => {
    const text = await client.ask('Rome');
    expectType<string>()(text);
  },
  async () => client.ask({ text: 'Rome', metadata: { seats: 2 } }, { timeoutMs: 1000 }),
  async () => client.send({ parts: [{ data: order }] }),
  async () => client.send({ parts: [{ data: { when: undefined } }, { text: 'a' }, { data: [new Date()] }] }),
  async () => client.send({ text: 'See this', parts: [{ raw: 'AAAA', mediaType: 'image/png', filename: 'a.png' }] }),
  async () => {
    const reply = await client.send('Rome', { onProgress: (event) => console.log(event.text) });
    if (reply.kind === 'task') expectType<Task>()(reply.task);
    else expectType<undefined>()(reply.handle);
    return reply.text;
  },
  async () => {
    const reply = await client.send('book Rome');
    if (reply.state === 'input-required') await client.task(reply.handle).answer('yes');
  },
  async () => {
    const reply = await client.send('book Rome');
    if (reply.question !== undefined) await client.task(reply.handle).answer(reply.question.kind === 'confirm');
  },
  async () => {
    let reply: Reply = await client.send('book Rome');
    while (reply.question !== undefined) {
      const answer = await answerTo(reply.question);
      if (answer === undefined) break;
      reply = await client.task(reply.handle).answer(answer);
    }
    return reply.text;
  },
  async () => client.ask('book Rome', { onQuestion: answerTo }),
  async () => client.ask('book Rome', { onQuestion: ({ kind }) => (kind === 'confirm' ? true : undefined) }),
  async () => client.ask('book Rome', { onQuestion: () => ({ street: 'Elm', number: 3 }) }),
  async () => client.task('id').answer(3),
  async () => client.task('id').answer(order),
  async () => client.task('id').answer(['a', 'b']),
  async () => client.task('id').answer({ text: 'This', parts: [{ url: 'https://example.com/a.png' }] }),
  async () => client.task('id').answer('secret', { sensitive: true, timeoutMs: 1000 }),
  async () => client.task('id').wait({ wait: 'poll' }),
  async () => {
    for await (const event of client.stream('poem')) {
      if (event.type === 'artifact') process.stdout.write(event.text);
      else if (event.type === 'status') console.log(event.state);
    }
  },
  async () => {
    for await (const event of client.task('id').subscribe({ after: 3 })) console.log(event.number ?? 0);
  },
  async () => {
    const { tasks, nextPageToken } = await client.list({ pageSize: 10, status: 'TASK_STATE_COMPLETED' });
    return nextPageToken === '' ? tasks : client.list({ pageToken: nextPageToken });
  },
  async () => {
    try {
      return await client.ask('fly');
    } catch (error) {
      if (A2AError.is(error, 'TASK_FAILED')) return error.details['state'];
      throw error;
    }
  },
  async () => {
    const part = (await client.get('id')).artifacts?.[0]?.parts[0];
    return part === undefined ? undefined : client.download(part);
  },
  async () => {
    const { data } = await client.skill('run-query').call({ sql: 'select 1' });
    expectType<JsonValue | undefined>()(data);
  },
  async () => {
    const { data, text, reply } = await client.skill<typeof runQuery>('run-query').call({ sql: 'select 1' });
    expectType<string | undefined>()(data.next);
    return `${data.rows.length} ${text} ${reply.state}`;
  },
  async () => {
    const { data } = await client.skill<typeof double>('double').call(3, { timeoutMs: 1000 });
    expectType<number>()(data);
  },
  async () => client.skill<typeof book>('book').call({ city: 'Rome' }, { onQuestion: () => true }),
  async () => client.skill<typeof free>('free').call(order),
  async () => {
    const { data } = await client.skill<SkillTypes<Order, { total: number }>>('price').call({ id: '1' });
    expectType<number>()(data.total);
  },
  async () => client.skill<SkillTypes<Order, string, 'price'>>('price').call({ id: '1' }),
  async () => client.skill(await prompt('Which skill?')).call({ id: '1' }),
];

// Mistakes are errors.
export const mistakes: readonly (() => unknown)[] = [
  // @ts-expect-error There is no such state.
  async () => (await client.send('a')).state === 'complete',
  // @ts-expect-error The input does not match.
  async () => client.skill<typeof runQuery>('run-query').call({ query: 'select 1' }),
  // @ts-expect-error The skill has another id.
  async () => client.skill<typeof runQuery>('run-qeury').call({ sql: 'select 1' }),
  // @ts-expect-error A function is not a message.
  async () => client.send(() => 'a'),
  // @ts-expect-error There is no such kind of question.
  async () => client.ask('a', { onQuestion: ({ kind }) => kind === 'boolean' }),
];

async function answerTo(question: TaskQuestion): Promise<AnswerInput | undefined> {
  switch (question.kind) {
    case 'confirm':
      return true;
    case 'choose':
      return pick(question.options);
    case 'form': {
      const answers: Record<string, string> = {};
      for (const [name, field] of Object.entries(question.fields)) answers[name] = await prompt(field.title ?? name);
      return answers;
    }
    case 'value':
      return question.schema.type === 'integer' ? 1 : prompt(question.text);
    case 'text':
      return question.isSensitive ? undefined : prompt(question.text);
    case 'auth-required':
      return undefined;
  }
}
