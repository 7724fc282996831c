/** Which skill a message is for, and who may use it. */
import { describe, expect, test } from 'vitest';
import { agent } from '../../src/server/agent/agent.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import { serveOnSocket, type TestServer } from './kit/server.ts';
import { getTask, sendTask } from './kit/talk.ts';
import { REST_1, RPC_03, RPC_1, VOICES, type Voice } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';
import type { Said, SeenError, SeenTask } from './kit/voices/voice.ts';

const CALLERS = [
  { id: 'ann', isVerified: true, scopes: ['chat', 'pay'] },
  { id: 'amy', isVerified: true, scopes: ['chat'], tenants: ['acme', 'globex'] },
  { id: 'bob', isVerified: true, scopes: ['chat'] },
  { id: 'payer', isVerified: true, scopes: ['pay'] },
  { id: 'nobody', isVerified: true },
  { id: 'guest', isVerified: false, scopes: ['chat', 'pay'] },
] as const;

const of = (id: string) => ({ id, name: id, description: `Can ${id}` });

/** Says which skill it was called for; a text that begins with `need` makes it choose one itself. */
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
  send(who: string, voice: Voice, said: Said): Promise<SeenTask>;
  refusal(who: string, voice: Voice, said: Said): Promise<SeenError & { readonly text: string }>;
}

async function open(): Promise<Shop> {
  const { ask, open } = await serveOnSocket(SHOP, { auth: knownCallers(...CALLERS) });
  return {
    ask,
    open,
    send: (who, voice, said) => sendTask({ ask: (each) => ask(as(who, each)), open }, voice, said),
    async refusal(who, voice, said) {
      const answer = await ask(as(who, voice.send(said)));
      return { ...voice.error(answer), text: answer.text };
    },
  };
}

const named = (skillId: unknown, text = 'go'): Said => ({ text, metadata: { skillId } });

describe.each(VOICES)('$name', (voice) => {
  test('a message names its skill, and the handler learns of it', async () => {
    const shop = await open();
    expect((await shop.send('ann', voice, named('pay'))).artifacts).toMatchObject({ skill: 'pay' });
    expect((await shop.send('bob', voice, named('greet'))).artifacts).toMatchObject({ skill: 'greet' });
    expect((await shop.send('bob', voice, { text: 'go' })).artifacts).toMatchObject({ skill: 'none' });
  });

  test(verifies(['H-07', 'H-08'], 'who lacks a scope is told which one, and nothing is begun'), async () => {
    const shop = await open();
    const refused = await shop.refusal('bob', voice, named('pay'));
    expect(refused).toMatchObject({ status: 403, reason: 'PERMISSION_DENIED' });
    expect(refused.message).toBe('Insufficient scope. Required: pay');
    expect(refused.text).not.toContain('Can pay');
    expect(await shop.refusal('nobody', voice, { text: 'go' })).toMatchObject({
      status: 403,
      message: 'Insufficient scope. Required: chat',
    });
    const { json } = await shop.ask(as('bob', rpc('1.0', 'ListTasks', {})));
    expect(json).toMatchObject({ result: { totalSize: 0 } });
  });

  test('a skill that the caller cannot know of looks like one that there is not', async () => {
    const shop = await open();
    const unknown = await shop.refusal('ann', voice, named('no-such-skill'));
    expect(unknown).toMatchObject({ reason: 'INVALID_PARAMS', fields: ['metadata.skillId'] });
    expect(await shop.refusal('ann', voice, named('purge'))).toEqual(unknown);
    expect(await shop.refusal('ann', voice, named('house'))).toEqual(unknown);
    expect(await shop.refusal('guest', voice, named('pay'))).toEqual(unknown);
  });
});

test('the scopes of a skill count instead of those of the agent', async () => {
  const shop = await open();
  expect((await shop.send('payer', RPC_1, named('pay'))).state).toBe('completed');
  expect(await shop.refusal('payer', RPC_1, named('greet'))).toMatchObject({
    message: 'Insufficient scope. Required: chat',
  });
});

describe('a skill of a tenant', () => {
  const inTenant = (tenant: string, text: string, metadata = {}) => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    return rpc('1.0', 'SendMessage', { tenant, message, metadata });
  };
  const HOUSE = { skillId: 'house' };

  test('can be named there by whose credentials name the tenant', async () => {
    const shop = await open();
    const answer = await shop.ask(as('amy', inTenant('acme', 'go', HOUSE)));
    expect(RPC_1.sent(answer)).toMatchObject({ task: { artifacts: { skill: 'house' } } });
    expect(RPC_1.sent(await shop.ask(as('amy', inTenant('acme', 'need house'))))).toMatchObject({
      task: { state: 'completed' },
    });
  });

  test.each([
    ['who may be in any tenant, for he only says so', 'ann', 'acme'],
    ['a guest, who only says so', 'guest', 'acme'],
    ['one of the tenant in another one', 'amy', 'globex'],
  ])(verifies(['H-07', 'H-09'], 'is not known to %s'), async (_, who, tenant) => {
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

test('the message may name it in place of the request, but not another one', async () => {
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
  test('goes on with the skill of its task', async () => {
    const shop = await open();
    const { id: taskId } = await shop.send('payer', RPC_1, named('pay', 'ask'));
    expect((await shop.send('payer', RPC_1, { text: 'this', taskId })).artifacts).toEqual({
      answer: 'this',
      skill: 'pay',
    });
  });

  test('may name another one that its sender may use', async () => {
    const shop = await open();
    const { id: taskId } = await shop.send('bob', RPC_1, named('greet', 'turn'));
    expect(await shop.refusal('bob', RPC_1, { ...named('pay'), taskId })).toMatchObject({ status: 403 });
    expect((await getTask({ ...shop, ask: (each) => shop.ask(as('bob', each)) }, RPC_1, taskId)).history).toHaveLength(
      1,
    );
    const own = await shop.send('ann', RPC_1, named('greet', 'turn'));
    const paid = await shop.send('ann', RPC_1, { ...named('pay'), taskId: own.id });
    expect(paid.artifacts).toMatchObject({ skill: 'pay' });
  });
});

describe('a handler that chooses the skill', () => {
  test.each([RPC_1, REST_1, RPC_03])('$name: goes on for who may use it', async (voice) => {
    const shop = await open();
    expect(await shop.send('ann', voice, { text: 'need pay' })).toMatchObject({ state: 'completed' });
  });

  test.each([
    ['a scope is missing', 'bob', 'need pay', 'rejected', 'Insufficient scope. Required: pay'],
    ['a hidden one is meant', 'ann', 'need purge', 'rejected', 'Insufficient scope. Required: admin'],
    ['the caller is not known', 'guest', 'need pay', 'rejected', 'This skill requires authentication'],
    ['another tenant has it', 'ann', 'need house', 'rejected', 'This skill is not available to this tenant'],
    ['there is none', 'ann', 'need nothing', 'failed', expect.stringMatching(/^The agent failed\. Reference/)],
  ])('ends the task where %s', async (_, who, text, state, says) => {
    const shop = await open();
    const done = await shop.send(who, RPC_1, { text });
    expect([done.state, done.says]).toEqual([state, says]);
    expect(done.artifacts).toBeUndefined();
  });
});

test('an agent whose skills are for everybody takes any metadata', async () => {
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

test('the card says how a message names its skill', async () => {
  const { ask } = await open();
  const card = await ask({ method: 'GET', path: '/.well-known/agent-card.json', headers: { 'a2a-version': '1.0' } });
  expect(card.json).toMatchObject({
    capabilities: { extensions: [{ uri: 'urn:tandem-a2a:skill:1' }, { uri: 'urn:tandem-a2a:transitions:1' }] },
  });
});

test('the profile rxjs says Forbidden to a caller without the scope of a skill', async () => {
  const { ask } = await serveOnSocket(SHOP, { auth: knownCallers(...CALLERS), profile: 'rxjs' });
  const answer = await ask(as('bob', { ...RPC_03.send(named('pay')), path: '/api/a2a' }));
  expect(answer.json).toMatchObject({
    error: { code: -32603, message: "Forbidden: Insufficient permissions for skill 'pay'" },
  });
});
