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
