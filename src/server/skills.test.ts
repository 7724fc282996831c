import { expect, test } from 'vitest';
import { agent } from './agent.ts';
import type { Tools } from './skills.ts';

const BASE = { name: 'Translator', description: 'Translates.', run: () => 'bonjour' } as const;

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

test('a tool may have a title and tags, and may say nothing of itself', () => {
  const tools = [
    { name: 'a', title: 'The A', tags: ['x', 'tool', 'x'] },
    { name: 'get_b', title: '', description: ' ' },
  ];
  expect(agent({ ...BASE, tools }).card.skills).toEqual([
    { id: 'a', name: 'The A', description: 'The A', tags: ['tool', 'x'] },
    { id: 'get_b', name: 'Get b', description: 'Get b', tags: ['tool'] },
  ]);
});

test('a given skill stands for the tool of its id, and the other tools follow', () => {
  const skills = [{ id: 'b', name: 'Bee', description: 'By hand' }];
  const tools = [{ name: 'a' }, { name: 'b' }];
  expect(agent({ ...BASE, skills, tools }).card.skills.map(({ id, name }) => [id, name])).toEqual([
    ['b', 'Bee'],
    ['a', 'A'],
  ]);
});

test('empty lists are as good as none', () => {
  expect(agent({ ...BASE, skills: [], tools: {}, extensions: [] }).card).toEqual(agent(BASE).card);
});

test('whom a skill is for is on no card, and said in known words only', () => {
  const skill = { id: 'pay', name: 'Pay', description: 'Pays' };
  const rules = { visibility: 'secret', scopes: ['bank pay', 7], tenants: 'acme', scope: 'x' };
  const make = (): unknown => agent({ ...BASE, skills: [{ ...skill, ...rules }], scopes: 'bank' } as never);
  const problems = [
    'skills[0].scope: is not an option; did you mean scopes?',
    'skills[0].visibility: must be "public" or "authenticated" or "hidden"',
    'skills[0].scopes[0]: must be one scope, without spaces',
    'skills[0].scopes[1]: must be a text such as "mail.read", not 7',
    'skills[0].tenants: must be a list of tenants, not a text',
    'scopes: must be a list of scopes, not a text',
  ];
  for (const problem of problems) expect(make).toThrow(problem);

  const { card } = agent({ ...BASE, skills: [{ ...skill, scopes: ['bank.pay'] }], scopes: ['bank'] });
  expect(card.skills).toEqual([{ ...skill, tags: ['pay'] }]);
});

test('a skill in the place of a tool may hide it', () => {
  const tools = [{ name: 'purge' }, { name: 'look' }];
  const hidden = { id: 'purge', name: 'Purge', description: 'Purges', visibility: 'hidden' } as const;
  expect(agent({ ...BASE, tools, skills: [hidden] }).card.skills.map(({ id }) => id)).toEqual(['look']);
});
