import fc from 'fast-check';
import { expect, test, vi } from 'vitest';

import type { OAuth2SecurityScheme, SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import { Decoder } from '../decoder.ts';
import { mergeFlows, type Requirements, type SchemeGroups, splitFlows } from './oauth-flows.ts';
import { type Flow, FLOWS } from './security.ts';

const BEARER: SecurityScheme = { httpAuthSecurityScheme: { scheme: 'bearer' } };

function oauth(flow: Flow, rest: Partial<OAuth2SecurityScheme> = {}): SecurityScheme {
  const flows = { [flow]: { authorizationUrl: 'https://a.test', tokenUrl: 'https://t.test', scopes: {} } };
  return { oauth2SecurityScheme: { ...rest, flows } as unknown as OAuth2SecurityScheme };
}

function asks(...names: string[]): SecurityRequirement {
  return { schemes: Object.fromEntries(names.map((name) => [name, {}])) };
}

function split(groups: SchemeGroups, requirements: Requirements): { schemes: object; requirements: Requirements } {
  const { schemes, expand } = splitFlows(groups);
  return { schemes, requirements: expand(new Decoder('response'), requirements) };
}

test('each flow becomes a scheme, and each requirement an alternative per flow', () => {
  const groups = { id: [oauth('authorizationCode'), oauth('password')], http: [BEARER] };
  const scoped = { schemes: { id: { list: ['read'] }, http: {} } };

  expect(split(groups, [scoped, asks('http'), asks()])).toEqual({
    schemes: { id: oauth('authorizationCode'), 'id.password': oauth('password'), http: BEARER },
    requirements: [scoped, { schemes: { 'id.password': { list: ['read'] }, http: {} } }, asks('http'), asks()],
  });
});

test('a flow does not get the name of an existing scheme', () => {
  const groups = { id: [oauth('authorizationCode'), oauth('password')], 'id.password': [BEARER] };

  expect(split(groups, [asks('id'), asks('id.password')])).toEqual({
    schemes: { id: oauth('authorizationCode'), 'id.password': BEARER, 'id.password.2': oauth('password') },
    requirements: [asks('id'), asks('id.password.2'), asks('id.password')],
  });
});

test('the name of a scheme that cannot be decoded is available', () => {
  const groups = { id: [oauth('authorizationCode'), oauth('password')], 'id.password': [] };

  expect(split(groups, []).schemes).toEqual({ id: oauth('authorizationCode'), 'id.password': oauth('password') });
});

test('flows are merged if every requirement accepts any of them', () => {
  const schemes = { id: oauth('authorizationCode'), 'id.password': oauth('password'), http: BEARER };

  expect(mergeFlows(schemes, [[asks('id'), asks('id.password'), asks('http')], []])).toEqual({
    groups: { id: [oauth('authorizationCode'), oauth('password')], http: [BEARER] },
    lists: [[asks('id'), asks('http')], []],
  });
});

test.each<[string, Readonly<Record<string, SecurityScheme>>, Requirements]>([
  ['a requirement wants one flow only', {}, [asks('id.password')]],
  ['a requirement wants the first flow only', {}, [asks('id')]],
  ['a requirement wants both', {}, [asks('id', 'id.password'), asks('id.password')]],
  ['the scopes differ', {}, [asks('id'), { schemes: { 'id.password': { list: ['read'] } } }]],
  ['one flow is wanted with something else', {}, [asks('id', 'http'), asks('id.password')]],
  ['the descriptions differ', { 'id.password': oauth('password', { description: 'x' }) }, []],
  ['the metadata addresses differ', { 'id.password': oauth('password', { oauth2MetadataUrl: 'x' }) }, []],
  ['the flow is not the one of the name', { 'id.password': oauth('implicit') }, []],
  ['the flow is the same', { id: oauth('password') }, []],
  ['the other is not an OAuth scheme', { 'id.password': BEARER }, []],
  ['the first is not an OAuth scheme', { id: BEARER }, []],
])('schemes stay separate if %s', (_, others, requirements) => {
  const schemes = { id: oauth('authorizationCode'), 'id.password': oauth('password'), http: BEARER, ...others };

  expect(mergeFlows(schemes, [[], requirements])).toEqual({
    groups: Object.fromEntries(Object.entries(schemes).map(([name, scheme]) => [name, [scheme]])),
    lists: [[], requirements],
  });
});

test('a scheme that received a merged flow is not merged into another', () => {
  const schemes = {
    id: oauth('authorizationCode'),
    'id.clientCredentials': oauth('clientCredentials'),
    'id.clientCredentials.password': oauth('password'),
  };
  const { groups } = mergeFlows(schemes, []);

  expect(groups).toEqual({
    id: [oauth('authorizationCode')],
    'id.clientCredentials': [oauth('clientCredentials'), oauth('password')],
  });
  expect(splitFlows(groups).schemes).toEqual(schemes);
});

test('requirements with more combinations than the limit are rejected', () => {
  const groups = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`id${i}`, FLOWS.map((flow) => oauth(flow))] as const),
  );
  const decoder = new Decoder('response', { limits: { maxItems: 1000 } });
  const { expand } = splitFlows(groups);

  expect(expand(decoder, [asks('id0', 'id1')])).toHaveLength(16);
  expand(decoder, [asks(...Object.keys(groups))]);
  expect(() => decoder.finish()).toThrow('expected requirements with at most 1000 alternatives');
});

test('the limit of combinations applies to all lists of a card together', () => {
  const { expand } = splitFlows({ id: FLOWS.map((flow) => oauth(flow)) });
  const decoder = new Decoder('response', { limits: { maxItems: 10 } });

  expand(decoder, [asks('id')]);
  expand(decoder, [asks('id')]);
  expect(() => decoder.finish()).not.toThrow();
  expand(decoder, [asks('id')]);
  expect(() => decoder.finish()).toThrow('at most 10 alternatives');
});

/** How often a name is looked up while flows are split. */
function lookups(groups: SchemeGroups): number {
  const has = vi.spyOn(Map.prototype, 'has');
  try {
    splitFlows(groups);
    return has.mock.calls.length;
  } finally {
    has.mockRestore();
  }
}

/** Each scheme has a second flow with the name of the next scheme. */
function chain(length: number): SchemeGroups {
  const flows = [oauth('authorizationCode'), oauth('password')];
  return Object.fromEntries(Array.from({ length }, (_, i) => [`id${'.password'.repeat(i)}`, flows]));
}

/** One scheme whose second flow would get a numbered name, but every number is used. */
function numbered(length: number): SchemeGroups {
  const taken = Array.from({ length }, (_, i) => [i === 0 ? 'id.password' : `id.password.${i + 1}`, [BEARER]]);
  return Object.fromEntries([['id', [oauth('authorizationCode'), oauth('password')]], ...taken]) as SchemeGroups;
}

test.each([
  ['a chain of names', chain],
  ['numbers', numbered],
])('the work for colliding names grows linearly with their number: %s', (_case, groupsOf) => {
  expect(lookups(groupsOf(100))).toBeGreaterThanOrEqual(100);
  // A hundred names more, two lookups for each: the usual name, and another one.
  expect(lookups(groupsOf(200)) - lookups(groupsOf(100))).toBeLessThanOrEqual(2 * 100);
});

test('colliding names lose no scheme', () => {
  expect(Object.keys(splitFlows(chain(50)).schemes)).toHaveLength(100);
  expect(Object.keys(splitFlows(numbered(50)).schemes)).toHaveLength(52);
});

const someFlows = fc.subarray([...FLOWS], { minLength: 1 }).map((flows) => flows.map((flow) => oauth(flow)));
const names = ['a', 'b', 'b.x', 'c'];
const someGroups = fc.dictionary(fc.constantFrom(...names), fc.oneof(someFlows, fc.constant([BEARER])));
const someRequirements = fc.array(
  fc
    .dictionary(fc.constantFrom(...names), fc.constantFrom<{ list?: string[] }>({}, { list: ['s'] }))
    .map((schemes) => ({ schemes })),
  { maxLength: 4 },
);

test('split schemes are merged to the original ones', () => {
  fc.assert(
    fc.property(someGroups, fc.array(someRequirements, { maxLength: 3 }), (groups, lists) => {
      const { schemes, expand } = splitFlows(groups);
      const decoder = new Decoder('response');
      const merged = mergeFlows(
        schemes,
        lists.map((list) => expand(decoder, list)),
      );

      expect(merged).toEqual({ groups, lists });
    }),
  );
});
