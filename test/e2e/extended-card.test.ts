/** The card of one caller: what he may use, shown to him and nobody else (1.0 §3.1.11, §13.3). */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import type { ExtendedCardOption } from '../../src/server/options/extended-card-options.ts';
import type { SkillOptions } from '../../src/server/agent/skills.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { REST_1 } from './kit/voices.ts';
import { rpc } from './kit/voices/rpc.ts';

const skill = (id: string, rules: Partial<SkillOptions> = {}): SkillOptions => ({
  id,
  name: id,
  description: `Can ${id}`,
  ...rules,
});

const SKILLS: readonly SkillOptions[] = [
  skill('greet'),
  skill('pay', { visibility: 'authenticated', scopes: ['payments.write'] }),
  skill('read', { visibility: 'authenticated' }),
  skill('house', { tenants: ['acme'] }),
  skill('purge', { visibility: 'hidden', scopes: ['admin.everything'] }),
];

const CALLERS = [
  { id: 'ann', isVerified: true, scopes: ['payments.write'] },
  { id: 'bob', isVerified: true, tenants: ['globex'] },
  { id: 'amy', isVerified: true, tenants: ['acme'] },
  { id: 'cat', isVerified: true, scopes: ['bank'] },
  { id: 'guest', isVerified: false },
] as const;

function start(extendedCard?: ExtendedCardOption, more: TestServerOptions = {}): ReturnType<typeof startServer> {
  return startServer({
    agent: { skills: SKILLS },
    auth: knownCallers(...CALLERS),
    ...(extendedCard !== undefined && { extendedCard }),
    ...more,
  });
}

interface WireCard {
  readonly name: string;
  readonly skills: readonly { readonly id: string }[];
  readonly capabilities: Readonly<Record<string, unknown>>;
}

interface Way {
  readonly name: string;
  readonly ask: Ask;
  readonly isRpc: boolean;
  /** HTTP status of an agent without one. */
  readonly undeclared: number;
}

const rest = (path: string, version?: string): Ask => ({
  method: 'GET',
  path,
  headers: version === undefined ? {} : { 'a2a-version': version },
});

const WAYS: readonly Way[] = [
  { name: '1.0 JSON-RPC', ask: rpc('1.0', 'GetExtendedAgentCard', {}), isRpc: true, undeclared: 200 },
  { name: '1.0 REST', ask: rest('/extendedAgentCard', '1.0'), isRpc: false, undeclared: 400 },
  { name: '0.3 JSON-RPC', ask: rpc('0.3', 'agent/getAuthenticatedExtendedCard'), isRpc: true, undeclared: 200 },
  { name: '0.3 REST', ask: rest('/v1/card'), isRpc: false, undeclared: 400 },
  { name: '0.2 page', ask: rest('/agent/authenticatedExtendedCard'), isRpc: false, undeclared: 404 },
];

function cardOf({ json }: Answer, { isRpc }: Pick<Way, 'isRpc'>): WireCard {
  return (isRpc ? (json as { result: WireCard }).result : json) as WireCard;
}

const idsOf = ({ skills }: WireCard): readonly string[] => skills.map(({ id }) => id);

describe.each(WAYS)('$name', (way) => {
  test(verifies(['X-02', 'X-03'], 'each caller sees the skills that he may use'), async () => {
    const { ask } = await start(true);
    expect(idsOf(cardOf(await ask(as('ann', way.ask)), way))).toEqual(['greet', 'pay', 'read']);
    expect(idsOf(cardOf(await ask(as('bob', way.ask)), way))).toEqual(['greet', 'read']);
  });

  test(verifies(['X-02', 'X-03'], 'skills without scopes of their own have those of the agent'), async () => {
    const { ask } = await start(true, { agent: { skills: SKILLS, scopes: ['bank'] } });
    const mayUse = async (who: string, skillId: string): Promise<boolean> =>
      (await ask(as(who, REST_1.send({ text: 'hello', metadata: { skillId } })))).status === 200;

    const lists: Readonly<Record<string, readonly string[]>> = { ann: ['pay'], cat: ['greet', 'read'] };
    for (const [who, listed] of Object.entries(lists)) {
      expect(idsOf(cardOf(await ask(as(who, way.ask)), way))).toEqual(listed);
      for (const { id } of SKILLS) expect([who, id, await mayUse(who, id)]).toEqual([who, id, listed.includes(id)]);
    }
    // A card needs a skill: who may use none sees what everybody sees.
    expect(idsOf(cardOf(await ask(as('bob', way.ask)), way))).toEqual(['greet']);
  });

  test(verifies('X-01', 'without credentials, or with none that prove anything, there is none'), async () => {
    const { ask } = await start(true);
    for (const caller of [undefined, 'stranger', 'guest']) {
      const answer = await ask(as(caller, way.ask));
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain('Can pay');
    }
  });

  test(verifies('X-06', 'it may be kept by its caller alone'), async () => {
    const { ask } = await start(true);
    const { headers } = await ask(as('ann', way.ask));
    expect(headers['cache-control']).toBe('private, max-age=60');
    expect(headers['vary']).toBe('Authorization, A2A-Version');
  });

  test(verifies('X-05', 'nothing of how it is guarded or made is on it'), async () => {
    const { ask } = await start(() => ({ description: 'For you' }));
    const { text } = await ask(as('ann', way.ask));
    expect(text).toContain('For you');
    for (const inner of ['payments.write', 'admin.everything', 'purge', 'visibility', 'scopes', 'acme', '"run"'])
      expect(text).not.toContain(inner);
  });

  test('an agent without one says so', async () => {
    const { ask } = await start();
    const answer = await ask(as('ann', way.ask));
    expect(answer.status).toBe(way.undeclared);
    expect(answer.text).toContain('no extended card');
  });

  test(verifies('K-04', 'one that is declared, and not there for a caller, is not configured'), async () => {
    const { ask } = await start((caller) => (caller.id === 'ann' ? { name: 'Of Ann' } : undefined));
    expect(cardOf(await ask(as('ann', way.ask)), way).name).toBe('Of Ann');
    const answer = await ask(as('bob', way.ask));
    expect(answer.text).toContain('no extended card for this caller');
    if (way.isRpc) expect(answer.json).toMatchObject({ error: { code: -32007 } });
    else expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});

const PUBLIC: Ask = rest('/.well-known/agent-card.json', '1.0');

test(verifies('D-15', 'the public card has public skills, and nothing of how the others are guarded'), async () => {
  const { ask } = await start(true);
  for (const version of ['1.0', '0.3', undefined]) {
    const answer = await ask(rest('/.well-known/agent-card.json', version));
    expect(idsOf(answer.json as WireCard)).toEqual(['greet']);
    for (const inner of ['payments.write', 'purge', 'visibility', 'acme']) expect(answer.text).not.toContain(inner);
  }
});

test.each([
  { name: 'both', auth: true, extendedCard: true as const, declared: true },
  { name: 'no extended card', auth: true, extendedCard: undefined, declared: undefined },
  { name: 'nobody who could be known', auth: false, extendedCard: true as const, declared: undefined },
])('it is declared if there is one and callers can be known: $name', async ({ auth, extendedCard, declared }) => {
  const { ask } = await startServer({
    ...(auth && { auth: knownCallers(...CALLERS) }),
    ...(extendedCard && { extendedCard }),
  });
  const { capabilities } = (await ask(PUBLIC)).json as WireCard;
  expect(capabilities['extendedAgentCard']).toBe(declared);
  const old = (await ask(rest('/.well-known/agent-card.json', '0.3'))).json;
  expect((old as { supportsAuthenticatedExtendedCard?: boolean }).supportsAuthenticatedExtendedCard).toBe(declared);
});

test('an agent whose skills are all for some is itself what its public card offers', async () => {
  const { ask } = await start(true, { agent: { skills: [skill('pay', { visibility: 'authenticated' })] } });
  expect(idsOf((await ask(PUBLIC)).json as WireCard)).toEqual(['script']);
});

test('a skill of a tenant is on the cards of those who are known to be of it', async () => {
  const { ask } = await start(true);
  const inTenant = (tenant: string): Ask => rpc('1.0', 'GetExtendedAgentCard', { tenant });
  expect(idsOf(cardOf(await ask(as('amy', inTenant('acme'))), { isRpc: true }))).toContain('house');
  expect(idsOf(cardOf(await ask(as('amy', inTenant(''))), { isRpc: true }))).not.toContain('house');
  expect(idsOf((await ask(as('amy', rest('/acme/extendedAgentCard', '1.0')))).json as WireCard)).toContain('house');
  // Who may be in any tenant has only said that he is of this one.
  expect(idsOf(cardOf(await ask(as('ann', inTenant('acme'))), { isRpc: true }))).not.toContain('house');
  // Whether there is such a tenant or not.
  const refused = await Promise.all(['acme', 'nowhere'].map((tenant) => ask(as('bob', inTenant(tenant)))));
  expect(refused.map(({ status }) => status)).toEqual([403, 403]);
  expect(refused[0]?.text).toBe(refused[1]?.text);
});

test('parts that are written down say more, to whom each of them is for', async () => {
  const extra = [skill('audit', { scopes: ['payments.write'] }), skill('read', { description: 'Reads all' })];
  const { ask } = await start({ description: 'For customers', skills: extra });
  const forAnn = (await ask(as('ann', rest('/extendedAgentCard', '1.0')))).json as WireCard;
  expect(forAnn).toMatchObject({ name: 'Script', description: 'For customers' });
  expect(idsOf(forAnn)).toEqual(['greet', 'pay', 'audit', 'read']);
  expect(forAnn.skills.at(-1)).toMatchObject({ description: 'Reads all' });
  expect(idsOf((await ask(as('bob', rest('/extendedAgentCard', '1.0')))).json as WireCard)).toEqual(['greet', 'read']);
});

test('a function gets the caller and the card that he would have', async () => {
  const { ask } = await start(async (caller, card, tenant) => ({
    description: `${caller.id} of ${tenant}: ${card.skills.map(({ id }) => id).join(' ')}`,
  }));
  const { json } = await ask(as('amy', rest('/acme/extendedAgentCard', '1.0')));
  expect(json).toMatchObject({ description: 'amy of acme: greet read house' });
});

test.each([
  ['a function that fails', () => Promise.reject(new Error('postgres://user:hunter2@db'))],
  ['what is on no card', () => ({ systemPrompt: 'hunter2' }) as never],
  ['what is no part', () => 'hunter2' as never],
] as const)('%s is told to the log alone', async (_, extendedCard) => {
  const errors: unknown[] = [];
  const log = { info() {}, warn() {}, error: (_message: string, facts?: object) => void errors.push(facts) };
  const { ask } = await start(extendedCard, { log });
  const answer = await ask(as('ann', rest('/extendedAgentCard', '1.0')));
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('hunter2');
  expect(errors).toHaveLength(1);
});

test('our client reads it', async () => {
  const { url } = await start(true);
  const client = await connect(url, { auth: 'ann' });
  const card = await client.extendedCard();
  expect(card.skills.map(({ id }) => id)).toEqual(['greet', 'pay', 'read']);
});

describe('tools whose names tell of a user or an organisation', () => {
  const GMAIL = 'mcp__user_5f0c_gmail';
  const CRM = 'mcp__org_acme_crm';
  const agent = {
    tools: [{ name: 'mcp__files__read' }, { name: GMAIL }, { name: CRM, visibility: 'public' as const }],
  };

  test('are on no public card and on no extended card', async () => {
    const server = await start(true, { agent });
    for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json']) {
      for (const version of [undefined, '1.0', '0.3', '0.2', '0.1']) {
        const { text } = await server.ask(rest(path, version));
        expect(text).toContain('mcp__files__read');
        expect(text).not.toMatch(/mcp__(?:user|org)_|5f0c|acme/i);
      }
    }
    for (const { ask } of WAYS) expect((await server.ask(as('ann', ask))).text).not.toMatch(/mcp__(?:user|org)_/);
  });

  test('are on the extended card of a caller for which a function lists them', async () => {
    const own: ExtendedCardOption = ({ id }) => (id === 'ann' ? { skills: [skill(GMAIL)] } : {});
    const server = await start(own, { agent });
    const cardOf = async (who: string) => (await server.ask(as(who, rest('/extendedAgentCard', '1.0')))).text;
    expect(await cardOf('ann')).toContain(GMAIL);
    expect(await cardOf('bob')).not.toContain(GMAIL);
  });
});
