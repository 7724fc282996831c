import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../../test/helpers/verifies.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { CARD_VARIANTS, canonicalCard, canonicalPayload } from './canonical-card.ts';
import vector from './fixtures/vector-card.json' with { type: 'json' };

const CARD: JsonObject = {
  name: 'Weather',
  description: 'Knows the weather.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://w.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'now', name: 'Now', description: 'Weather now', tags: ['weather'] }],
};

test(verifies(['J-02', 'J-03'], 'the vector has the published canonical bytes'), async () => {
  const payload = await canonicalPayload(vector.card);
  expect(payload).toBe(vector.payload);
  const bytes = new TextEncoder().encode(payload);
  expect(bytes).toHaveLength(799);
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  expect([...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')).toBe(vector.sha256);
});

const withMember = (path: string, value: JsonValue): JsonObject => {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  const copy = structuredClone(CARD);
  let at = copy as Record<string, JsonValue>;
  for (const key of keys) at = (at[key] ??= {}) as Record<string, JsonValue>;
  at[last] = value;
  return copy;
};

const memberOf = (json: JsonValue, path: string): JsonValue | undefined => {
  let at: unknown = json;
  for (const key of path.split('.')) at = (at as Record<string, unknown> | undefined)?.[key];
  return at as JsonValue | undefined;
};

const REQUIRED: [string, JsonValue][] = [
  ['name', ''],
  ['description', ''],
  ['version', ''],
  ['supportedInterfaces', []],
  ['supportedInterfaces.0.url', ''],
  ['supportedInterfaces.0.protocolBinding', ''],
  ['supportedInterfaces.0.protocolVersion', ''],
  ['provider.url', ''],
  ['provider.organization', ''],
  ['capabilities', {}],
  ['defaultInputModes', []],
  ['defaultOutputModes', []],
  ['skills', []],
  ['skills.0.id', ''],
  ['skills.0.name', ''],
  ['skills.0.description', ''],
  ['skills.0.tags', []],
  ['securitySchemes.a.apiKeySecurityScheme.location', ''],
  ['securitySchemes.a.apiKeySecurityScheme.name', ''],
  ['securitySchemes.a.httpAuthSecurityScheme.scheme', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows', {}],
  ['securitySchemes.a.openIdConnectSecurityScheme.openIdConnectUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.authorizationCode.authorizationUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.authorizationCode.tokenUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.authorizationCode.scopes', {}],
  ['securitySchemes.a.oauth2SecurityScheme.flows.clientCredentials.tokenUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.clientCredentials.scopes', {}],
  ['securitySchemes.a.oauth2SecurityScheme.flows.deviceCode.deviceAuthorizationUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.deviceCode.tokenUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.deviceCode.scopes', {}],
];

const OPTIONAL: [string, JsonValue][] = [
  ['documentationUrl', ''],
  ['iconUrl', ''],
  ['capabilities.streaming', false],
  ['capabilities.pushNotifications', false],
  ['capabilities.extendedAgentCard', false],
  ['provider', {}],
  ['capabilities.extensions', [{ params: {} }]],
  ['securitySchemes.a.mtlsSecurityScheme', {}],
  ['securitySchemes.a.oauth2SecurityScheme.flows.implicit', {}],
  ['securitySchemes.a.oauth2SecurityScheme.flows.password', {}],
];

const DEFAULTED: [string, JsonValue][] = [
  ['supportedInterfaces.0.tenant', ''],
  ['capabilities.extensions', []],
  ['securitySchemes', {}],
  ['securityRequirements', []],
  ['skills.0.examples', []],
  ['skills.0.inputModes', []],
  ['skills.0.outputModes', []],
  ['skills.0.securityRequirements', []],
  ['securitySchemes.a.apiKeySecurityScheme.description', ''],
  ['securitySchemes.a.httpAuthSecurityScheme.description', ''],
  ['securitySchemes.a.httpAuthSecurityScheme.bearerFormat', ''],
  ['securitySchemes.a.oauth2SecurityScheme.description', ''],
  ['securitySchemes.a.oauth2SecurityScheme.oauth2MetadataUrl', ''],
  ['securitySchemes.a.openIdConnectSecurityScheme.description', ''],
  ['securitySchemes.a.mtlsSecurityScheme.description', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.authorizationCode.refreshUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.authorizationCode.pkceRequired', false],
  ['securitySchemes.a.oauth2SecurityScheme.flows.clientCredentials.refreshUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.deviceCode.refreshUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.implicit.authorizationUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.implicit.refreshUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.implicit.scopes', {}],
  ['securitySchemes.a.oauth2SecurityScheme.flows.password.tokenUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.password.refreshUrl', ''],
  ['securitySchemes.a.oauth2SecurityScheme.flows.password.scopes', {}],
];

test.each([...REQUIRED, ...OPTIONAL])(verifies('J-03', '%s is kept even if it is %j'), (path, value) => {
  expect(memberOf(canonicalCard(withMember(path, value)), path)).toEqual(value);
});

test.each(DEFAULTED)(verifies('J-03', '%s is dropped if it is %j'), (path, value) => {
  const canonical = canonicalCard(withMember(path, value));
  expect(memberOf(canonical, path)).toBeUndefined();
  expect(memberOf(canonicalCard(withMember(path, ['value'])), path)).toEqual(['value']);
});

test(verifies('J-03', 'each member of an extension but its parameters is dropped if it is the default'), () => {
  const canonical = canonicalCard(
    withMember('capabilities.extensions', [
      { uri: '', description: '', required: false, params: { a: '', b: [], c: null } },
    ]),
  );
  expect(memberOf(canonical, 'capabilities.extensions')).toEqual([{ params: { a: '', b: [], c: null } }]);
});

test(verifies('J-03', 'elements of lists and entries of maps are never dropped'), () => {
  const requirements = [{ schemes: { a: { list: [] } } }, { schemes: {} }, {}];
  const canonical = canonicalCard(withMember('securityRequirements', requirements));
  expect(canonical['securityRequirements']).toEqual([{ schemes: { a: {} } }, {}, {}]);
});

test(verifies('J-03', 'null is absence, and absent members are not invented'), () => {
  expect(canonicalCard({ name: null, description: 'd', provider: null })).toEqual({ description: 'd' });
});

test('only the form that keeps unknown members contains them', () => {
  const card = { ...CARD, extra: '', skills: [{ id: 'a', extra: null, tags: [] }] };
  expect(canonicalCard(card)).toEqual({ ...CARD, skills: [{ id: 'a', tags: [] }] });
  expect(canonicalCard(card, 'unknown-kept')).toEqual({ ...card });
  expect(canonicalCard({ ...CARD, extra: [1] }, 'pruned')).toEqual(CARD);
  expect(canonicalCard({ ...CARD, extra: [1] }, 'pruned-unknown-kept')).toEqual({ ...CARD, extra: [1] });
});

test('the pruned forms contain no empty value at any depth', () => {
  const card = {
    name: '',
    description: 'd',
    capabilities: { streaming: false, extensions: [{ uri: 'u', required: false, params: { a: [{}], b: 0 } }] },
    securityRequirements: [{ schemes: { key: { list: [] } } }],
    skills: [{ id: 's', tags: [] }, {}],
  };
  const extension = { uri: 'u', params: { b: 0 } };
  const rest = { description: 'd', skills: [{ id: 's' }] };
  expect(canonicalCard(card, 'pruned')).toEqual({
    ...rest,
    capabilities: { streaming: false, extensions: [extension] },
  });
  expect(canonicalCard(card, 'pruned-unknown-kept')).toEqual({
    ...rest,
    capabilities: { streaming: false, extensions: [{ ...extension, required: false }] },
  });
});

test.each(CARD_VARIANTS)(verifies('J-04', 'the %s form leaves signatures out'), (variant) => {
  const signed = { ...CARD, signatures: [{ protected: 'a', signature: 'b' }] };
  expect(canonicalCard(signed, variant)).toEqual(canonicalCard(CARD, variant));
});

test('a scheme can have the name __proto__', async () => {
  const card = JSON.parse('{"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}}}') as JsonObject;
  for (const variant of ['spec', 'unknown-kept'] as const) {
    expect(await canonicalPayload(card, variant)).toBe('{"securitySchemes":{"__proto__":{"mtlsSecurityScheme":{}}}}');
  }
});

test('members with names of Object.prototype are unknown members', () => {
  expect(canonicalCard(JSON.parse('{"constructor":1,"toString":2,"__proto__":{"a":1}}') as JsonObject)).toEqual({});
});

test(verifies('J-02', 'keys are sorted by UTF-16 code units'), async () => {
  // U+1F600 is written D83D DE00 in UTF-16: before U+FB33, although its code point is higher.
  const scopes = { '\uFB33': 'e', '\u{1F600}': 'd', '\u20AC': 'c', z: 'b', A: 'a' };
  const flow = { securitySchemes: { o: { oauth2SecurityScheme: { flows: { clientCredentials: { scopes } } } } } };
  expect(await canonicalPayload(flow)).toContain('{"A":"a","z":"b","\u20AC":"c","\u{1F600}":"d","\uFB33":"e"}');
});

test(verifies('J-02', 'numbers and strings have the form of RFC 8785'), async () => {
  const params = { n: [1e21, 1e-7, -0, 100.0, 0.1], s: '\u0001\b\n"\\/\u007F\u2028é' };
  const payload = await canonicalPayload({ capabilities: { extensions: [{ params }] } });
  expect(payload).toContain('{"n":[1e+21,1e-7,0,100,0.1],"s":"\\u0001\\b\\n\\"\\\\/\u007F\u2028é"}');
});

test.each(['\uD800', 'a\uDC00b', '\uDC00\uD800'])('a lone surrogate is rejected: %j', async (text) => {
  const error = {
    code: 'INVALID_PARAMS',
    message: 'The agent card has no canonical form: Lone surrogate is not allowed',
  };
  await expect(canonicalPayload({ name: text })).rejects.toMatchObject(error);
  await expect(canonicalPayload({ securitySchemes: { [text]: {} } })).rejects.toMatchObject(error);
});

test('a card that is nested too deeply is rejected at any depth above the limit', async () => {
  const deep = (levels: number): JsonObject =>
    JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels)) as JsonObject;
  for (const variant of CARD_VARIANTS) {
    await expect(canonicalPayload(deep(64), variant)).resolves.toBeTypeOf('string');
    await expect(canonicalPayload(deep(65), variant)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    await expect(canonicalPayload(deep(100_000), variant)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  }
});

/** Names of members for arbitrary JSON. Most of it is not a card but still has one canonical form. */
const NAMES = [
  ...Object.keys(CARD),
  'securitySchemes',
  'securityRequirements',
  'provider',
  'signatures',
  'schemes',
  'list',
];
const anyCard = fc.dictionary(
  fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: 'binary' })),
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
) as fc.Arbitrary<JsonObject>;

function reversed(json: JsonValue): JsonValue {
  if (Array.isArray(json)) return json.map(reversed);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(
    Object.entries(json as JsonObject)
      .toReversed()
      .map(([key, value]) => [key, reversed(value)]),
  );
}

test.each(CARD_VARIANTS)(
  'the %s form of any JSON object is idempotent and independent of key order',
  async (variant) => {
    await fc.assert(
      fc.asyncProperty(anyCard, async (card) => {
        const payload = await canonicalPayload(card, variant);
        expect(await canonicalPayload(JSON.parse(payload) as JsonObject, variant)).toBe(payload);
        expect(await canonicalPayload(reversed(card) as JsonObject, variant)).toBe(payload);
      }),
      { numRuns: 200 },
    );
  },
);
