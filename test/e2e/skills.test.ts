/** Messages that name a skill, and the callers that may use it. */
import { describe, expect, test } from 'vitest';
import { agent } from '../../src/agent/agent.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import { serveOnSocket, type TestServer } from './kit/server.ts';
import { getTask, sendTask } from './kit/tasks.ts';
import { REST_1, RPC_03, RPC_1, WIRE_FORMATS, type WireFormat } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';
import type { MessageInput, DecodedError, DecodedTask } from './kit/wire-formats/wire-format.ts';

const CALLERS = [
  { id: 'ann', isVerified: true, scopes: ['chat', 'pay'] },
  { id: 'amy', isVerified: true, scopes: ['chat'], tenants: ['acme', 'globex'] },
  { id: 'bob', isVerified: true, scopes: ['chat'] },
  { id: 'payer', isVerified: true, scopes: ['pay'] },
  { id: 'nobody', isVerified: true },
  { id: 'guest', isVerified: false, scopes: ['chat', 'pay'] },
] as const;

const of = (id: string) => ({ id, name: id, description: `Can ${id}` });

/** Returns the skill of the message. A text that begins with `need` makes the handler require a skill itself. */
const SHOP = agent({
  name: 'Shop',
  description: 'Sells things',
  scopes: ['chat'],
  skills: [
    of('greet'),
    { ...of('pay'), visibility: 'authenticated', scopes: ['pay'] },
    { ...of('purge'), visibility: 'hidden', scopes: ['admin'] },
    { ...of('house'), tenants: ['acme'] },
  ],
  async *run(ctx) {
    const [word, id = ''] = ctx.text.split(' ');
    if (word === 'need') ctx.requireSkill(id);
    if (word === 'ask') yield { artifact: 'answer', text: await ctx.ask('What?') };
    if (word === 'turn') {
      yield { status: 'input-required', text: 'Which?' };
      return;
    }
    yield { artifact: 'skill', text: ctx.skillId ?? 'none' };
  },
});

interface Shop extends Pick<TestServer, 'ask' | 'open'> {
  send(who: string, format: WireFormat, input: MessageInput): Promise<DecodedTask>;
  rejection(who: string, format: WireFormat, input: MessageInput): Promise<DecodedError & { readonly text: string }>;
}

async function open(): Promise<Shop> {
  const { ask, open } = await serveOnSocket(SHOP, { auth: knownCallers(...CALLERS) });
  return {
    ask,
    open,
    send: (who, format, input) => sendTask({ ask: (each) => ask(as(who, each)), open }, format, input),
    async rejection(who, format, input) {
      const answer = await ask(as(who, format.send(input)));
      return { ...format.error(answer), text: answer.text };
    },
  };
}

const named = (skillId: unknown, text = 'go'): MessageInput => ({ text, metadata: { skillId } });

describe.each(WIRE_FORMATS)('$name', (format) => {
  test('the handler gets the skill that a message names', async () => {
    const shop = await open();
    expect((await shop.send('ann', format, named('pay'))).artifacts).toMatchObject({ skill: 'pay' });
    expect((await shop.send('bob', format, named('greet'))).artifacts).toMatchObject({ skill: 'greet' });
    expect((await shop.send('bob', format, { text: 'go' })).artifacts).toMatchObject({ skill: 'none' });
  });

  test(
    verifies(['H-07', 'H-08'], 'a caller without the scope of a skill gets 403 with the scope, and no task starts'),
    async () => {
      const shop = await open();
      const rejected = await shop.rejection('bob', format, named('pay'));
      expect(rejected).toMatchObject({ status: 403, reason: 'PERMISSION_DENIED' });
      expect(rejected.message).toBe('Insufficient scope. Required: pay');
      expect(rejected.text).not.toContain('Can pay');
      expect(await shop.rejection('nobody', format, { text: 'go' })).toMatchObject({
        status: 403,
        message: 'Insufficient scope. Required: chat',
      });
      const { json } = await shop.ask(as('bob', rpc('1.0', 'ListTasks', {})));
      expect(json).toMatchObject({ result: { totalSize: 0 } });
    },
  );

  test('a skill that is not visible to the caller gets the same error as an unknown skill', async () => {
    const shop = await open();
    const unknown = await shop.rejection('ann', format, named('no-such-skill'));
    expect(unknown).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['metadata.skillId'] });
    expect(await shop.rejection('ann', format, named('purge'))).toEqual(unknown);
    expect(await shop.rejection('ann', format, named('house'))).toEqual(unknown);
    expect(await shop.rejection('guest', format, named('pay'))).toEqual(unknown);
  });
});

test('the scopes of a skill replace those of the agent', async () => {
  const shop = await open();
  expect((await shop.send('payer', RPC_1, named('pay'))).state).toBe('completed');
  expect(await shop.rejection('payer', RPC_1, named('greet'))).toMatchObject({
    message: 'Insufficient scope. Required: chat',
  });
});

describe('a skill of a tenant', () => {
  const inTenant = (tenant: string, text: string, metadata = {}) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    return rpc('1.0', 'SendMessage', { tenant, message, metadata });
  };
  const HOUSE = { skillId: 'house' };

  test('can be used by callers whose credentials name the tenant', async () => {
    const shop = await open();
    const answer = await shop.ask(as('amy', inTenant('acme', 'go', HOUSE)));
    expect(RPC_1.sent(answer)).toMatchObject({ task: { artifacts: { skill: 'house' } } });
    expect(RPC_1.sent(await shop.ask(as('amy', inTenant('acme', 'need house'))))).toMatchObject({
      task: { state: 'completed' },
    });
  });

  test.each([
    ['a caller whose credentials name no tenant', 'ann', 'acme'],
    ['a guest', 'guest', 'acme'],
    ['a caller of the tenant in another tenant', 'amy', 'globex'],
  ])(verifies(['H-07', 'H-09'], 'gets the error of an unknown skill for %s'), async (_, who, tenant) => {
    const shop = await open();
    const named = await shop.ask(as(who, inTenant(tenant, 'go', HOUSE)));
    const unknown = await shop.ask(as(who, inTenant(tenant, 'go', { skillId: 'no-such-skill' })));
    expect(RPC_1.error(named)).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['metadata.skillId'] });
    expect(RPC_1.error(named)).toEqual(RPC_1.error(unknown));
    expect(RPC_1.sent(await shop.ask(as(who, inTenant(tenant, 'need house'))))).toMatchObject({
      task: { state: 'rejected' },
    });
  });
});

test('the metadata of the message or of the request names the skill, and both must agree', async () => {
  const shop = await open();
  const send = (ofMessage: unknown, ofRequest?: unknown) => {
    const metadata = { skillId: ofMessage };
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'go' }], metadata };
    return shop.ask(as('ann', rpc('1.0', 'SendMessage', { message, metadata: { skillId: ofRequest } })));
  };
  expect(RPC_1.sent(await send('pay'))).toMatchObject({ task: { artifacts: { skill: 'pay' } } });
  expect(RPC_1.error(await send('pay', 'greet'))).toMatchObject({ fields: ['metadata.skillId'] });
  expect(RPC_1.error(await send(7))).toMatchObject({ fields: ['message.metadata.skillId'] });
});

describe('a follow-up', () => {
  test('continues with the skill of its task', async () => {
    const shop = await open();
    const { id: taskId } = await shop.send('payer', RPC_1, named('pay', 'ask'));
    expect((await shop.send('payer', RPC_1, { text: 'this', taskId })).artifacts).toEqual({
      answer: 'this',
      skill: 'pay',
    });
  });

  test('may name another skill that its sender may use', async () => {
    const shop = await open();
    const { id: taskId } = await shop.send('bob', RPC_1, named('greet', 'turn'));
    expect(await shop.rejection('bob', RPC_1, { ...named('pay'), taskId })).toMatchObject({ status: 403 });
    expect((await getTask({ ...shop, ask: (each) => shop.ask(as('bob', each)) }, RPC_1, taskId)).history).toHaveLength(
      1,
    );
    const own = await shop.send('ann', RPC_1, named('greet', 'turn'));
    const paid = await shop.send('ann', RPC_1, { ...named('pay'), taskId: own.id });
    expect(paid.artifacts).toMatchObject({ skill: 'pay' });
  });
});

describe('a handler that calls requireSkill()', () => {
  test.each([RPC_1, REST_1, RPC_03])('$name: continues for a caller that may use the skill', async (format) => {
    const shop = await open();
    expect(await shop.send('ann', format, { text: 'need pay' })).toMatchObject({ state: 'completed' });
  });

  test.each([
    ['the caller lacks the scope', 'bob', 'need pay', 'rejected', 'Insufficient scope. Required: pay'],
    ['the skill is hidden', 'ann', 'need purge', 'rejected', 'Insufficient scope. Required: admin'],
    ['the caller is a guest', 'guest', 'need pay', 'rejected', 'This skill requires authentication'],
    ['the skill is for another tenant', 'ann', 'need house', 'rejected', 'This skill is not available to this tenant'],
    [
      'the skill does not exist',
      'ann',
      'need nothing',
      'failed',
      expect.stringMatching(/^The agent failed\. Reference/),
    ],
  ])('ends the task if %s', async (_, who, text, state, statusText) => {
    const shop = await open();
    const done = await shop.send(who, RPC_1, { text });
    expect([done.state, done.statusText]).toEqual([state, statusText]);
    expect(done.artifacts).toBeUndefined();
  });
});

test('an agent with only public skills ignores skillId in metadata', async () => {
  const open = agent({
    name: 'Open',
    description: 'For all',
    skills: [of('greet')],
    run: ({ skillId }) => skillId ?? 'none',
  });
  const server = await serveOnSocket(open);
  const { artifacts } = await sendTask(server, RPC_1, named('whatever'));
  expect(Object.values(artifacts ?? {})).toEqual(['none']);
  const card = await server.ask({ method: 'GET', path: '/.well-known/agent-card.json' });
  expect(card.text).not.toContain('urn:tandem-a2a:skill:1');
});

test('the card lists the extension by which a message names its skill', async () => {
  const { ask } = await open();
  const card = await ask({ method: 'GET', path: '/.well-known/agent-card.json', headers: { 'a2a-version': '1.0' } });
  expect(card.json).toMatchObject({
    capabilities: {
      extensions: [
        { uri: 'urn:tandem-a2a:skill:1' },
        { uri: 'urn:tandem-a2a:questions:1' },
        { uri: 'urn:tandem-a2a:transitions:1' },
        { uri: 'urn:tandem-a2a:lineage:1' },
      ],
    },
  });
});

test('the profile rxjs sends the error Forbidden to a caller without the scope of a skill', async () => {
  const { ask } = await serveOnSocket(SHOP, { auth: knownCallers(...CALLERS), profile: 'rxjs' });
  const answer = await ask(as('bob', { ...RPC_03.send(named('pay')), path: '/api/a2a' }));
  expect(answer.json).toMatchObject({
    error: { code: -32603, message: "Forbidden: Insufficient permissions for skill 'pay'" },
  });
});
