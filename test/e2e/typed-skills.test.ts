/** Skills with a typed input, their own handler and a typed output. */
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest';
import * as z from 'zod';

import type { ConnectOptions } from '../../src/client/options.ts';
import { agent } from '../../src/agent/agent.ts';
import { skill } from '../../src/agent/typed-skill.ts';
import type { JsonValue } from '../../src/model/json.ts';
import { createHandler } from '../../src/server/handler.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { connected } from './client/kit.ts';
import { json, startPeer } from './client/peer.ts';
import { as, knownCallers } from './kit/callers.ts';
import { serveOnSocket } from './kit/server.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const runQuery = skill({
  id: 'run-query',
  description: 'Runs a query.',
  input: z.object({ sql: z.string().min(1), limit: z.number().default(10) }),
  output: z.object({ rows: z.array(z.string()), at: z.iso.datetime() }),
  async *run({ input, step, skillId }) {
    yield { status: 'working', text: `Running ${skillId}` };
    const rows = await step('query', () => [`${input.sql} limit ${input.limit}`]);
    return { rows, at: '2026-01-02T03:04:05Z' };
  },
});

const double = skill({
  id: 'double',
  name: 'Doubling',
  description: 'Doubles a number.',
  input: { type: 'integer', minimum: 1 },
  output: { type: 'integer' },
  run: ({ input }) => input * 2,
});

const tidy = skill({
  id: 'tidy',
  description: 'Removes a folder after asking.',
  input: z.object({ folder: z.string().refine((name) => name !== '/', 'must not be the root') }),
  async run({ input, ask, reject }) {
    if (input.folder === 'home') return reject('Not my home');
    return (await ask({ confirm: `Remove ${input.folder}?` })) ? `Removed ${input.folder}` : 'Kept';
  },
});

const dates = skill({
  id: 'dates',
  description: 'Transforms what it gets and returns.',
  input: z.object({ day: z.string().transform((day) => new Date(day)) }),
  output: z.object({ next: z.date().transform((date) => date.toISOString()) }),
  run: ({ input }) => ({ next: new Date(input.day.getTime() + 86_400_000) }),
});

const DATABASE = agent({ name: 'Database', description: 'Has typed skills.', skills: [runQuery, double, tidy, dates] });

const WAYS: readonly ConnectOptions[] = [
  { version: '1.0', binding: 'JSONRPC' },
  { version: '1.0', binding: 'HTTP+JSON' },
  { version: '0.3', binding: 'JSONRPC' },
  { version: '0.3', binding: 'HTTP+JSON' },
  { version: '0.2' },
  { version: '0.1' },
];

describe.each(WAYS)('over $version $binding', (way) => {
  test('a skill gets its input with the defaults of the schema, and its output is data of the artifact result', async () => {
    const client = await connected((await serveOnSocket(DATABASE)).url, way);
    const { data, reply } = await client.skill<typeof runQuery>('run-query').call({ sql: 'select 1' });
    expect(data).toEqual({ rows: ['select 1 limit 10'], at: '2026-01-02T03:04:05Z' });
    expect(reply.task?.artifacts).toMatchObject([{ name: 'result', parts: [{ data }] }]);
  });

  test('an input and an output need not be objects', async () => {
    const client = await connected((await serveOnSocket(DATABASE)).url, way);
    expect((await client.skill<typeof double>('double').call(4)).data).toBe(8);
  });

  test('an input that does not match starts no task, and every wrong field is reported', async () => {
    const client = await connected((await serveOnSocket(DATABASE)).url, way);
    const call = client.skill('run-query').call({ sql: 3, limit: 'all' });
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('The input of skill "run-query" is not valid'),
      violations: [{ field: 'message.parts[0].data.sql' }, { field: 'message.parts[0].data.limit' }],
    });
    await expect(client.skill('double').call(0)).rejects.toMatchObject({
      violations: [{ field: 'message.parts[0].data', description: 'expected 1 or more; got 0' }],
    });
  });

  test('the task of an input that only the library can reject is rejected with the reasons', async () => {
    const client = await connected((await serveOnSocket(DATABASE)).url, way);
    await expect(client.skill('tidy').call({ folder: '/' })).rejects.toMatchObject({
      code: 'TASK_FAILED',
      message: 'The input of skill "tidy" is not valid: folder: must not be the root',
      details: { state: 'rejected' },
    });
  });

  test('a skill can ask, and answers are not checked as its input', async () => {
    const client = await connected((await serveOnSocket(DATABASE)).url, way);
    const metadata = { skillId: 'tidy' };
    const { text } = await client.skill('tidy').call({ folder: 'tmp' }, { onQuestion: () => true, metadata });
    expect(text).toBe('Removed tmp');
    await expect(client.skill('tidy').call({ folder: 'tmp' })).rejects.toMatchObject({ code: 'INPUT_REQUIRED' });
  });
});

test('the types of a skill are those of its schemas', async () => {
  const client = await connected(DATABASE);
  const query = client.skill<typeof runQuery>('run-query');
  expectTypeOf(query.call).parameter(0).toEqualTypeOf<{ sql: string; limit?: number | undefined }>();
  const { data } = await query.call({ sql: 'select 1' });
  expectTypeOf(data).toEqualTypeOf<{ rows: string[]; at: string }>();
  expectTypeOf((await client.skill<typeof double>('double').call(1)).data).toEqualTypeOf<number>();
  expectTypeOf((await client.skill('double').call(1)).data).toEqualTypeOf<JsonValue | undefined>();
  expectTypeOf(client.skill<typeof dates>('dates').call).parameter(0).toEqualTypeOf<{ day: string }>();
});

test('the output replaces a draft of it, and differs from other data of the task', async () => {
  const drafting = skill({
    id: 'drafting',
    description: 'Publishes a draft and a log.',
    input: {},
    output: { type: 'integer' },
    async *run() {
      yield { artifact: 'result', data: 1 };
      yield { artifact: 'log.json', data: { rows: 3 } };
      return 2;
    },
  });
  const client = await connected(agent({ name: 'Writer', description: 'Drafts.', skills: [drafting] }));
  expect((await client.skill('drafting').call({})).data).toBe(2);
});

test('schemas transform the input and the output', async () => {
  const client = await connected(DATABASE);
  const { data } = await client.skill<typeof dates>('dates').call({ day: '2026-01-02' });
  expect(data).toEqual({ next: '2026-01-03T00:00:00.000Z' });
});

test('a skill without an output may reject, and its result has no data', async () => {
  const client = await connected(DATABASE);
  await expect(client.skill('tidy').call({ folder: 'home' })).rejects.toMatchObject({ message: 'Not my home' });
  const { data } = await client.skill('tidy').call({ folder: 'tmp' }, { onQuestion: () => false });
  expect(data).toBeUndefined();
});

test('a message that names no skill is rejected with the list of the skills of the caller', async () => {
  const secret = skill({ ...double, id: 'secret', visibility: 'authenticated', input: {}, output: {}, run: () => 1 });
  const made = agent({ name: 'Two', description: 'Has skills only.', skills: [double, secret] });
  const server = await serveOnSocket(made, {
    auth: knownCallers({ id: 'ann', isVerified: true }, { id: 'guest', isVerified: false }),
  });
  const text = async (who: string): Promise<unknown> => {
    const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
    return (await server.ask(as(who, rpc('1.0', 'SendMessage', { message })))).json;
  };
  const rejected = (ids: string): object => {
    const parts = [{ text: `Specify the skill that the message is for: set skillId in its metadata. Skills: ${ids}.` }];
    return { result: { task: { status: { state: 'TASK_STATE_REJECTED', message: { parts } } } } };
  };
  expect(await text('ann')).toMatchObject(rejected('double, secret'));
  expect(await text('guest')).toMatchObject(rejected('double'));
});

test('an agent with a run of its own handles messages that name no typed skill', async () => {
  const plain = { id: 'chat', name: 'Chat', description: 'Talks.' };
  const made = agent({
    name: 'Mixed',
    description: 'Talks, too.',
    skills: [double, plain],
    run: ({ skillId }) => `ran ${skillId}`,
  });
  const client = await connected(made);
  expect(await client.ask('hi')).toBe('ran undefined');
  expect(await client.ask({ text: 'hi', metadata: { skillId: 'chat' } })).toBe('ran chat');
  expect((await client.skill('double').call(2)).data).toBe(4);
});

test.each([
  ['no data part', [{ text: '4' }]],
  ['two data parts', [{ data: 4 }, { data: 5 }]],
])('a message for a skill with %s is rejected', async (_case, parts) => {
  const client = await connected(DATABASE);
  await expect(client.send({ parts, metadata: { skillId: 'double' } })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    violations: [{ field: 'message.parts', description: 'expected one data part with the input' }],
  });
});

test('a message for a skill may have other parts beside its input', async () => {
  const client = await connected(DATABASE);
  const parts = [{ text: 'Please double this' }, { data: 4 }];
  expect((await client.send({ parts, metadata: { skillId: 'double' } })).text).toBe('8');
});

test('after input-required a skill runs again with the answer as its message and the input of the first one', async () => {
  const stepwise = skill({
    id: 'stepwise',
    description: 'Asks by ending its turn.',
    input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    async *run({ input, text, task }) {
      if ((task.history ?? []).length === 1) yield { status: 'input-required', text: 'When?' };
      return `${input.city} ${text}`;
    },
  });
  const client = await connected(agent({ name: 'Clerk', description: 'Asks.', skills: [stepwise] }));
  const { text } = await client.skill('stepwise').call({ city: 'Rome' }, { onQuestion: () => 'tomorrow' });
  expect(text).toBe('Rome tomorrow');
});

test.each([
  ['that does not match', { rows: [3] }, 'returned a value that does not match its output: rows.0: '],
  ['that is missing', undefined, 'returned no output, but it has an output schema'],
])('an output %s fails the task, and the log has the reason', async (_case, returned, reason) => {
  const errors: unknown[] = [];
  const log = {
    info() {},
    warn() {},
    error: (_event: string, { error }: { readonly error?: unknown } = {}) => errors.push(error),
  };
  const broken = skill({
    id: 'broken',
    description: 'Returns nonsense.',
    input: {},
    output: z.object({ rows: z.array(z.string()) }),
    run: () => returned as never,
  });
  const handler = createHandler(agent({ name: 'Broken', description: 'Fails.', skills: [broken] }), {
    store: memoryStore(),
    log,
    auth: false,
  });
  onTestFinished(() => handler.close());
  const client = await connected(handler);
  await expect(client.skill('broken').call({})).rejects.toMatchObject({
    code: 'TASK_FAILED',
    message: expect.stringContaining('Reference'),
  });
  expect(String(errors[0])).toContain(reason);
});

test.each(['reject', 'fail', 'reply'])(
  'a skill with an output that ends by %s publishes none, and logs nothing',
  async (how) => {
    const logged: string[] = [];
    const note = (event: string): void => void (event.startsWith('Authentication') || logged.push(event));
    const log = { info() {}, warn: note, error: note };
    const picky = skill({
      id: 'picky',
      description: 'Ends in several ways.',
      input: {},
      output: { type: 'string' },
      async run({ reject, reply, status }) {
        if (how === 'reject') return reject('No');
        if (how === 'reply') return reply('No');
        await status({ status: 'failed', text: 'No' });
        return undefined;
      },
    });
    const handler = createHandler(agent({ name: 'Picky', description: 'Ends.', skills: [picky] }), {
      store: memoryStore(),
      log,
      insecurePublic: true,
    });
    onTestFinished(() => handler.close());
    const client = await connected(handler);
    const { data, text } = await client.skill('picky').call({}, { failed: 'value' });
    expect({ data, text, logged }).toEqual({ data: undefined, text: 'No', logged: [] });
  },
);

describe('the card', () => {
  const extensionOf = (card: {
    readonly capabilities?: { readonly extensions?: readonly { readonly uri: string }[] };
  }) => card.capabilities?.extensions?.find(({ uri }) => uri === 'urn:tandem-a2a:skill:1');

  test('has the JSON Schemas of its skills, and their names', async () => {
    const { card } = await connected(DATABASE);
    expect(card.skills.map(({ id, name }) => [id, name])).toEqual([
      ['run-query', 'Run query'],
      ['double', 'Doubling'],
      ['tidy', 'Tidy'],
      ['dates', 'Dates'],
    ]);
    expect(extensionOf(card)).toMatchObject({
      params: {
        skills: {
          'run-query': {
            input: { type: 'object', properties: { sql: { type: 'string', minLength: 1 } }, required: ['sql'] },
            output: { properties: { rows: { type: 'array' }, at: { format: 'date-time' } } },
          },
          double: { input: { type: 'integer', minimum: 1 }, output: { type: 'integer' } },
        },
      },
    });
  });

  test('lists the schemas of a skill only where it lists the skill', async () => {
    const base = { description: 'Secret.', input: { type: 'string', const: 'CLASSIFIED' }, run: () => 'ok' } as const;
    const made = agent({
      name: 'Guarded',
      description: 'Has skills of every visibility.',
      skills: [
        double,
        skill({ ...base, id: 'inside', visibility: 'authenticated' }),
        skill({ ...base, id: 'none', visibility: 'hidden' }),
        skill({ ...base, id: 'acme', tenants: ['acme'] }),
        skill({ ...base, id: 'scoped', visibility: 'authenticated', scopes: ['pay'] }),
      ],
    });
    const { url } = await serveOnSocket(made, {
      auth: knownCallers({ id: 'ann', isVerified: true }),
      extendedCard: true,
    });
    const client = await connected(url, { auth: 'ann' });
    expect(JSON.stringify(client.card)).not.toContain('CLASSIFIED');
    const extended = await client.extendedCard();
    expect(extensionOf(extended)).toMatchObject({
      params: { skills: { double: {}, inside: { input: { const: 'CLASSIFIED' } } } },
    });
    expect(JSON.stringify(extended).match(/CLASSIFIED/g)).toHaveLength(1);
  });
});

test('call() rejects a skill that the card does not list, with the list', async () => {
  const client = await connected(DATABASE);
  await expect(client.skill('run-querry').call({})).rejects.toMatchObject({
    code: 'UNSUPPORTED_OPERATION',
    message: 'The card of the agent has no skill "run-querry". Skills: run-query, double, tidy, dates',
    details: { skillId: 'run-querry' },
  });
});

test('call() works with agents of another make, whose last data is the result', async () => {
  const artifacts = [
    { artifactId: 'a', parts: [{ data: 1 }] },
    { artifactId: 'b', parts: [{ data: 2 }, { text: 'two' }] },
  ];
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, artifacts };
  const peer = await startPeer((_, response) => json(response, { jsonrpc: '2.0', id: 1, result: { task } }), {
    card: { capabilities: {} },
  });
  const client = await connected(peer.url);
  expect((await client.skill('s').call({ a: 1 })).data).toBe(2);
  expect(peer.got[0]?.rpc?.params['message']).toMatchObject({
    parts: [{ data: { a: 1 } }],
    metadata: { skillId: 's' },
  });
  expect(peer.got[0]?.headers['a2a-extensions']).toBeUndefined();
});

test('call() rejects a completed task without the output that the card declares', async () => {
  const task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } };
  const params = { skills: { s: { input: {}, output: {} } } };
  const peer = await startPeer((_, response) => json(response, { jsonrpc: '2.0', id: 1, result: { task } }), {
    card: { capabilities: { extensions: [{ uri: 'urn:tandem-a2a:skill:1', params }] } },
  });
  const client = await connected(peer.url);
  await expect(client.skill('s').call({})).rejects.toMatchObject({ code: 'INVALID_AGENT_RESPONSE' });
  expect(peer.got[0]?.headers['a2a-extensions']).toBe('urn:tandem-a2a:skill:1');
  expect(peer.got[0]?.rpc?.params['message']).toMatchObject({ extensions: ['urn:tandem-a2a:skill:1'] });
});
