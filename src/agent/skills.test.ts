import { expect, test } from 'vitest';
import type { Caller } from '../engine/handler.ts';
import { type Agent, agent } from './agent.ts';
import type { Tools } from './skills.ts';

const BASE = { name: 'Translator', description: 'Translates.', run: () => 'bonjour' } as const;
const ANN: Caller = { id: 'ann', isVerified: true };

test.each<[string, Tools]>([
  ['a list', [{ name: 'getUser', description: 'Finds a user', inputSchema: {}, execute: () => 1 }]],
  ['a record', { getUser: { description: 'Finds a user', parameters: {} } }],
  ['a record whose tools have names of their own', { getUser: { name: 'other', description: 'Finds a user' } }],
  ['wrapped functions', [{ type: 'function', function: { name: 'getUser', description: 'Finds a user' } }]],
  [
    'objects of a class',
    [
      new (class Tool {
        get name() {
          return 'getUser';
        }
        get description() {
          return 'Finds a user';
        }
        call() {
          return 1;
        }
      })(),
    ],
  ],
])('each tool of %s is a skill', (_, tools) => {
  expect(agent({ ...BASE, tools }).card.skills).toEqual([
    { id: 'getUser', name: 'Get user', description: 'Finds a user', tags: ['tool'] },
  ]);
});

test('a skill uses the title, description and tags of its tool, or derives them from its name', () => {
  const tools = [
    { name: 'a', title: 'The A', tags: ['x', 'tool', 'x'] },
    { name: 'get_b', title: '', description: ' ' },
  ];
  expect(agent({ ...BASE, tools }).card.skills).toEqual([
    { id: 'a', name: 'The A', description: 'The A', tags: ['tool', 'x'] },
    { id: 'get_b', name: 'Get b', description: 'Get b', tags: ['tool'] },
  ]);
});

test('a configured skill replaces the tool with its id, and the other tools follow', () => {
  const skills = [{ id: 'b', name: 'Bee', description: 'By hand' }];
  const tools = [{ name: 'a' }, { name: 'b' }];
  expect(agent({ ...BASE, skills, tools }).card.skills.map(({ id, name }) => [id, name])).toEqual([
    ['b', 'Bee'],
    ['a', 'A'],
  ]);
});

test('empty lists of skills, tools and extensions are the same as none', () => {
  expect(agent({ ...BASE, skills: [], tools: {}, extensions: [] }).card).toEqual(agent(BASE).card);
});

test('visibility, scopes and tenants of a skill are validated and on no card', () => {
  const skill = { id: 'pay', name: 'Pay', description: 'Pays' };
  const rules = { visibility: 'secret', scopes: ['bank pay', 7], tenants: 'acme', scope: 'x' };
  const make = (): unknown => agent({ ...BASE, skills: [{ ...skill, ...rules }], scopes: 'bank' } as never);
  const problems = [
    'skills[0].scope: is not an option; did you mean scopes?',
    'skills[0].visibility: expected "public" or "authenticated" or "hidden"',
    'skills[0].scopes[0]: must be a single scope without spaces',
    'skills[0].scopes[1]: expected a string such as "mail.read", got 7',
    'skills[0].tenants: expected an array of tenants, got a string',
    'scopes: expected an array of scopes, got a string',
  ];
  for (const problem of problems) expect(make).toThrow(problem);

  const { card } = agent({ ...BASE, skills: [{ ...skill, scopes: ['bank.pay'] }], scopes: ['bank'] });
  expect(card.skills).toEqual([{ ...skill, tags: ['pay'] }]);
});

const TENANT_TOOLS = ['mcp__user_5f0c_gmail', 'mcp__org_acme_crm', 'MCP__ORG_ACME_CRM'];

test.each(TENANT_TOOLS)('%s is on no public card, as a tool or as a skill', (id) => {
  const skill = { id, name: 'Mail', description: 'Reads mail' };
  const other = { name: 'mcp__files__read' };
  const made = [
    agent({ ...BASE, tools: [{ name: id }, other] }),
    agent({ ...BASE, tools: { [id]: {}, mcp__files__read: {} } }),
    agent({ ...BASE, tools: [{ name: id, visibility: 'public' }, other] }),
    agent({ ...BASE, skills: [skill], tools: [other] }),
    agent({ ...BASE, skills: [{ ...skill, visibility: 'public' }], tools: [other] }),
  ];
  for (const { card, skills, access } of made) {
    expect(card.skills.map((each) => each.id)).toEqual(['mcp__files__read']);
    expect(access.usable(skills, ANN, '').map((each) => each.card.id)).toEqual(['mcp__files__read']);
    expect(() => access.admit(ANN, '', id)).toThrow('expected the id of a skill on the agent card');
    expect(() => access.require(ANN, '', id)).not.toThrow();
  }
});

test.each(TENANT_TOOLS)(
  '%s is on the cards of authenticated callers if its visibility allows it, or of its tenants',
  (id) => {
    const skill = { id, name: 'Mail', description: 'Reads mail' };
    const ofAcme = { ...ANN, tenants: ['acme'] };
    const known = agent({ ...BASE, tools: [{ name: id, visibility: 'authenticated' }] });
    const tenant = agent({ ...BASE, skills: [{ ...skill, tenants: ['acme'] }] });
    const idsFor = ({ skills, access }: Agent, caller: Caller): readonly string[] =>
      access.usable(skills, caller, 'acme').map((each) => each.card.id);

    for (const { card } of [known, tenant]) expect(card.skills.map((each) => each.id)).toEqual(['translator']);
    expect([idsFor(known, ANN), idsFor(known, { ...ANN, isVerified: false })]).toEqual([[id], []]);
    expect([idsFor(tenant, ofAcme), idsFor(tenant, ANN)]).toEqual([[id], []]);
  },
);

test('an agent that has only tools of users has itself as a skill on the public card', () => {
  expect(agent({ ...BASE, tools: [{ name: 'mcp__user_5f0c_gmail' }] }).card.skills).toMatchObject([
    { id: 'translator' },
  ]);
});

test('the visibility of a tool applies, also for a wrapped function', () => {
  const made = agent({
    ...BASE,
    tools: [
      { name: 'look', visibility: null as never },
      { name: 'pay', visibility: 'authenticated' },
      { type: 'function', function: { name: 'purge' }, visibility: 'hidden' },
    ],
  });
  expect(made.card.skills.map(({ id }) => id)).toEqual(['look']);
  expect(made.access.usable(made.skills, ANN, '').map(({ card }) => card.id)).toEqual(['look', 'pay']);
  expect(() => agent({ ...BASE, tools: [{ name: 'a', visibility: 'internal' as never }] })).toThrow(
    'tools[0].visibility: expected "public" or "authenticated" or "hidden"',
  );
});

test.each([
  ['corvid_send_message', ['messaging']],
  ['githubSearchIssues', ['development', 'search']],
  ['web_search', ['web', 'search']],
  ['save_memory', ['memory']],
  ['getWeather', []],
])('the tool %s has the tag tool and its categories: %j', (name, categories) => {
  expect(agent({ ...BASE, tools: [{ name }] }).card.skills[0]?.tags).toEqual(['tool', ...categories]);
});

test('a tool with tags, or with an empty list of tags, gets no categories', () => {
  const tools = [
    { name: 'web_search', tags: ['news'] },
    { name: 'file_search', tags: [] },
  ];
  expect(agent({ ...BASE, tools }).card.skills.map(({ tags }) => tags)).toEqual([['tool', 'news'], ['tool']]);
});

test('a skill that replaces a tool can hide it', () => {
  const tools = [{ name: 'purge' }, { name: 'look' }];
  const hidden = { id: 'purge', name: 'Purge', description: 'Purges', visibility: 'hidden' } as const;
  expect(agent({ ...BASE, tools, skills: [hidden] }).card.skills.map(({ id }) => id)).toEqual(['look']);
});
