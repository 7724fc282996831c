/** The extended card: the skills that one caller may use, visible to this caller only (1.0 §3.1.11, §13.3). */
import { describe, expect, test } from 'vitest';
import { connect } from '../../src/index.ts';
import type { ExtendedCardOption } from '../../src/server/options/extended-card-options.ts';
import type { SkillOptions } from '../../src/agent/skills.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import type { Answer, Ask } from './kit/exchange.ts';
import { startServer, type TestServerOptions } from './kit/server.ts';
import { REST_1 } from './kit/wire-formats.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

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
  /** HTTP status of the response if the agent has no extended card. */
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

describe.each(WAYS)('the extended card over $name', (way) => {
  test(verifies(['X-02', 'X-03'], 'each caller sees the skills that it may use'), async () => {
    const { ask } = await start(true);
    expect(idsOf(cardOf(await ask(as('ann', way.ask)), way))).toEqual(['greet', 'pay', 'read']);
    expect(idsOf(cardOf(await ask(as('bob', way.ask)), way))).toEqual(['greet', 'read']);
  });

  test(verifies(['X-02', 'X-03'], 'skills without scopes require the scopes of the agent'), async () => {
    const { ask } = await start(true, { agent: { skills: SKILLS, scopes: ['bank'] } });
    const mayUse = async (who: string, skillId: string): Promise<boolean> =>
      (await ask(as(who, REST_1.send({ text: 'hello', metadata: { skillId } })))).status === 200;

    const lists: Readonly<Record<string, readonly string[]>> = { ann: ['pay'], cat: ['greet', 'read'] };
    for (const [who, listed] of Object.entries(lists)) {
      expect(idsOf(cardOf(await ask(as(who, way.ask)), way))).toEqual(listed);
      for (const { id } of SKILLS) expect([who, id, await mayUse(who, id)]).toEqual([who, id, listed.includes(id)]);
    }
    // A card needs a skill: a caller that may use none sees the public ones.
    expect(idsOf(cardOf(await ask(as('bob', way.ask)), way))).toEqual(['greet']);
  });

  test(verifies('X-01', 'anonymous callers, unknown callers and guests get 401'), async () => {
    const { ask } = await start(true);
    for (const caller of [undefined, 'unknown', 'guest']) {
      const answer = await ask(as(caller, way.ask));
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain('Can pay');
    }
  });

  test(verifies('X-06', 'the response may be cached by its caller only'), async () => {
    const { ask } = await start(true);
    const { headers } = await ask(as('ann', way.ask));
    expect(headers['cache-control']).toBe('private, max-age=60');
    expect(headers['vary']).toBe('Authorization, A2A-Version');
  });

  test(verifies('X-05', 'the card has no scopes, tenants, hidden skills or handlers'), async () => {
    const { ask } = await start(() => ({ description: 'For you' }));
    const { text } = await ask(as('ann', way.ask));
    expect(text).toContain('For you');
    for (const inner of ['payments.write', 'admin.everything', 'purge', 'visibility', 'scopes', 'acme', '"run"'])
      expect(text).not.toContain(inner);
  });

  test('an agent without an extended card responds with an error that states it', async () => {
    const { ask } = await start();
    const answer = await ask(as('ann', way.ask));
    expect(answer.status).toBe(way.undeclared);
    expect(answer.text).toContain('no extended card');
  });

  test(
    verifies('K-04', 'a declared extended card that a caller does not have gets ExtendedAgentCardNotConfigured'),
    async () => {
      const { ask } = await start((caller) => (caller.id === 'ann' ? { name: 'Of Ann' } : undefined));
      expect(cardOf(await ask(as('ann', way.ask)), way).name).toBe('Of Ann');
      const answer = await ask(as('bob', way.ask));
      expect(answer.text).toContain('no extended card for this caller');
      if (way.isRpc) expect(answer.json).toMatchObject({ error: { code: -32007 } });
      else expect(answer.status).toBeGreaterThanOrEqual(400);
    },
  );
});

const PUBLIC: Ask = rest('/.well-known/agent-card.json', '1.0');

test(verifies('D-15', 'the public card has public skills, and no scopes, tenants or hidden skills'), async () => {
  const { ask } = await start(true);
  for (const version of ['1.0', '0.3', undefined]) {
    const answer = await ask(rest('/.well-known/agent-card.json', version));
    expect(idsOf(answer.json as WireCard)).toEqual(['greet']);
    for (const inner of ['payments.write', 'purge', 'visibility', 'acme']) expect(answer.text).not.toContain(inner);
  }
});

test.each([
  { name: 'with auth and extendedCard', auth: true, extendedCard: true as const, declared: true },
  { name: 'with auth only', auth: true, extendedCard: undefined, declared: undefined },
  { name: 'with extendedCard only', auth: false, extendedCard: true as const, declared: undefined },
])(
  'the public card declares an extended card only with auth and extendedCard: $name',
  async ({ auth, extendedCard, declared }) => {
    const { ask } = await startServer({
      ...(auth && { auth: knownCallers(...CALLERS) }),
      ...(extendedCard && { extendedCard }),
    });
    const { capabilities } = (await ask(PUBLIC)).json as WireCard;
    expect(capabilities['extendedAgentCard']).toBe(declared);
    const old = (await ask(rest('/.well-known/agent-card.json', '0.3'))).json;
    expect((old as { supportsAuthenticatedExtendedCard?: boolean }).supportsAuthenticatedExtendedCard).toBe(declared);
  },
);

test('the public card of an agent without public skills has the agent itself as a skill', async () => {
  const { ask } = await start(true, { agent: { skills: [skill('pay', { visibility: 'authenticated' })] } });
  expect(idsOf((await ask(PUBLIC)).json as WireCard)).toEqual(['script']);
});

test('a skill of a tenant is only on the cards of callers whose credentials name the tenant', async () => {
  const { ask } = await start(true);
  const inTenant = (tenant: string): Ask => rpc('1.0', 'GetExtendedAgentCard', { tenant });
  expect(idsOf(cardOf(await ask(as('amy', inTenant('acme'))), { isRpc: true }))).toContain('house');
  expect(idsOf(cardOf(await ask(as('amy', inTenant(''))), { isRpc: true }))).not.toContain('house');
  expect(idsOf((await ask(as('amy', rest('/acme/extendedAgentCard', '1.0')))).json as WireCard)).toContain('house');
  // A caller without tenants in its credentials may choose any tenant, which proves nothing.
  expect(idsOf(cardOf(await ask(as('ann', inTenant('acme'))), { isRpc: true }))).not.toContain('house');
  // The response does not show whether the tenant exists.
  const rejected = await Promise.all(['acme', 'nowhere'].map((tenant) => ask(as('bob', inTenant(tenant)))));
  expect(rejected.map(({ status }) => status)).toEqual([403, 403]);
  expect(rejected[0]?.text).toBe(rejected[1]?.text);
});

test('extendedCard as an object adds its description and the skills that the caller may use', async () => {
  const extra = [skill('audit', { scopes: ['payments.write'] }), skill('read', { description: 'Reads all' })];
  const { ask } = await start({ description: 'For customers', skills: extra });
  const forAnn = (await ask(as('ann', rest('/extendedAgentCard', '1.0')))).json as WireCard;
  expect(forAnn).toMatchObject({ name: 'Script', description: 'For customers' });
  expect(idsOf(forAnn)).toEqual(['greet', 'pay', 'audit', 'read']);
  expect(forAnn.skills.at(-1)).toMatchObject({ description: 'Reads all' });
  expect(idsOf((await ask(as('bob', rest('/extendedAgentCard', '1.0')))).json as WireCard)).toEqual(['greet', 'read']);
});

test('extendedCard as a function gets the caller, its card and the tenant', async () => {
  const { ask } = await start(async (caller, card, tenant) => ({
    description: `${caller.id} of ${tenant}: ${card.skills.map(({ id }) => id).join(' ')}`,
  }));
  const { json } = await ask(as('amy', rest('/acme/extendedAgentCard', '1.0')));
  expect(json).toMatchObject({ description: 'amy of acme: greet read house' });
});

test.each([
  ['that throws', () => Promise.reject(new Error('postgres://user:hunter2@db'))],
  ['that returns an unknown member', () => ({ systemPrompt: 'hunter2' }) as never],
  ['that returns a string', () => 'hunter2' as never],
] as const)('an extendedCard function %s gets 500, and only the log has the reason', async (_, extendedCard) => {
  const errors: unknown[] = [];
  const log = { info() {}, warn() {}, error: (_message: string, facts?: object) => void errors.push(facts) };
  const { ask } = await start(extendedCard, { log });
  const answer = await ask(as('ann', rest('/extendedAgentCard', '1.0')));
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('hunter2');
  expect(errors).toHaveLength(1);
});

test('client.extendedCard() returns the skills of the caller', async () => {
  const { url } = await start(true);
  const client = await connect(url, { auth: 'ann' });
  const card = await client.extendedCard();
  expect(card.skills.map(({ id }) => id)).toEqual(['greet', 'pay', 'read']);
});

describe('tools with the name of a user or an organisation', () => {
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
