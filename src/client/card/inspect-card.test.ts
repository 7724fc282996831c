import { expect, test } from 'vitest';
import { inspectCard } from './inspect-card.ts';

const GOOD = {
  name: 'Agent',
  description: 'Does something.',
  version: '1',
  supportedInterfaces: [{ url: 'https://example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
};

const at = (url: string, more: object = {}): object => ({
  supportedInterfaces: [{ ...GOOD.supportedInterfaces[0], url, ...more }],
});

test('a valid card has no problems', () => {
  expect(inspectCard(GOOD, 'https://example.com')).toMatchObject({ card: { name: 'Agent' }, problems: [] });
});

test.each<[string, object, string, string]>([
  ['a missing version', { version: undefined }, 'version', 'warning'],
  ['an empty URL', at(''), 'supportedInterfaces[0].url', 'error'],
  ['a URL without a host', at('/a2a'), 'supportedInterfaces[0].url', 'error'],
  ['a private address', at('http://localhost:8000'), 'supportedInterfaces[0].url', 'error'],
  ['a URL without https', at('http://example.com'), 'supportedInterfaces[0].url', 'warning'],
  [
    'an unknown version',
    at('https://example.com', { protocolVersion: 'v1' }),
    'supportedInterfaces[0].protocolVersion',
    'error',
  ],
  [
    'a patch number',
    at('https://example.com', { protocolVersion: '1.0.1' }),
    'supportedInterfaces[0].protocolVersion',
    'warning',
  ],
  [
    'an unknown binding',
    at('https://example.com', { protocolBinding: 'jsonrpc' }),
    'supportedInterfaces[0].protocolBinding',
    'error',
  ],
  ['no skills', { skills: [] }, 'skills', 'warning'],
  ['two skills with the same id', { skills: [GOOD.skills[0], GOOD.skills[0]] }, 'skills[1].id', 'error'],
  [
    'a required scheme that is not described',
    { securityRequirements: [{ schemes: { key: {} } }] },
    'securityRequirements[0].schemes.key',
    'error',
  ],
])('a problem is reported: %s', (_case, change, path, severity) => {
  const { card, problems } = inspectCard({ ...GOOD, ...change }, 'https://example.com');
  expect(problems).toContainEqual({
    path,
    severity,
    problem: expect.stringMatching(/./),
    fix: expect.stringMatching(/./),
  });
  if (path !== 'supportedInterfaces[0].url' || severity === 'warning') expect(card?.name).toBe('Agent');
});

test.each([
  ['undefined', undefined],
  ['a text', 'card'],
  ['another object', { hello: 'world' }],
])('%s is not a card', (_case, json) => {
  const { card, problems } = inspectCard(json);
  expect(card).toBeUndefined();
  expect(problems).toMatchObject([{ severity: 'error' }]);
});

test('an invalid card is reported with each path and fix', () => {
  const { card, problems } = inspectCard({ ...GOOD, name: 7, skills: 'none' });
  expect(card).toBeUndefined();
  expect(problems.map(({ path, fix }) => `${path}: ${fix}`)).toEqual([
    expect.stringMatching(/^name: Set name to /),
    expect.stringMatching(/^skills: Set skills to /),
  ]);
});

test('a loopback URL is not a problem if the card was found on loopback', () => {
  expect(inspectCard({ ...GOOD, ...at('http://localhost:4100/a2a') }, 'http://127.0.0.1:4100').problems).toEqual([]);
});

test('a card of an older version is inspected too', () => {
  const { card, problems } = inspectCard({
    name: 'Old',
    url: '',
    protocolVersion: '0.3.0',
    capabilities: {},
    skills: [],
  });
  expect(card?.supportedInterfaces).toHaveLength(1);
  expect(problems.map(({ path }) => path)).toContain('supportedInterfaces[0].url');
});
