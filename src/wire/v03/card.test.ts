import fc from 'fast-check';
import { expect, test } from 'vitest';

import { A2AError } from '../../errors.ts';
import type { AgentCard, AgentInterface } from '../../model/card.ts';
import { decode } from '../dialect.ts';
import { card } from './card.ts';

const FULL_JSON = {
  protocolVersion: '0.3.0',
  name: 'Router',
  description: 'Plans routes',
  url: 'https://agent.test/a2a',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: 'https://agent.test/a2a', transport: 'JSONRPC' },
    { url: 'https://agent.test/a2a', transport: 'HTTP+JSON' },
    { url: 'agent.test:443', transport: 'GRPC' },
  ],
  iconUrl: 'https://agent.test/icon.png',
  provider: { organization: 'Example', url: 'https://example.test' },
  version: '1.2.0',
  documentationUrl: 'https://agent.test/docs',
  capabilities: {
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: false,
    extensions: [{ uri: 'https://ext.test', description: 'An extension', required: true, params: { a: [null, {}] } }],
  },
  securitySchemes: {
    oauth: {
      type: 'oauth2',
      description: 'Two ways',
      flows: {
        authorizationCode: { authorizationUrl: 'https://id.test/a', tokenUrl: 'https://id.test/t', scopes: { s: 'S' } },
        clientCredentials: { tokenUrl: 'https://id.test/t', scopes: { s: 'S' } },
      },
      oauth2MetadataUrl: 'https://id.test/meta',
    },
    tls: { type: 'mutualTLS' },
  },
  security: [{ oauth: ['s'], tls: [] }, { tls: [] }, {}],
  defaultInputModes: ['text/plain', 'application/json'],
  defaultOutputModes: ['image/png'],
  skills: [
    {
      id: 'route',
      name: 'Route',
      description: 'Finds a route',
      tags: ['maps'],
      examples: ['From A to B'],
      inputModes: ['application/json'],
      outputModes: ['text/html'],
      security: [{ oauth: ['s'] }],
    },
  ],
  supportsAuthenticatedExtendedCard: true,
};

const FULL: AgentCard = {
  name: 'Router',
  description: 'Plans routes',
  supportedInterfaces: [
    { url: 'https://agent.test/a2a', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
    { url: 'https://agent.test/a2a', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    { url: 'agent.test:443', protocolBinding: 'GRPC', protocolVersion: '0.3' },
  ],
  provider: { organization: 'Example', url: 'https://example.test' },
  version: '1.2.0',
  documentationUrl: 'https://agent.test/docs',
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: 'https://ext.test', description: 'An extension', required: true, params: { a: [null, {}] } }],
    extendedAgentCard: true,
  },
  securitySchemes: {
    oauth: {
      oauth2SecurityScheme: {
        description: 'Two ways',
        flows: {
          authorizationCode: {
            authorizationUrl: 'https://id.test/a',
            tokenUrl: 'https://id.test/t',
            scopes: { s: 'S' },
          },
        },
        oauth2MetadataUrl: 'https://id.test/meta',
      },
    },
    'oauth.clientCredentials': {
      oauth2SecurityScheme: {
        description: 'Two ways',
        flows: { clientCredentials: { tokenUrl: 'https://id.test/t', scopes: { s: 'S' } } },
        oauth2MetadataUrl: 'https://id.test/meta',
      },
    },
    tls: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [
    { schemes: { oauth: { list: ['s'] }, tls: {} } },
    { schemes: { 'oauth.clientCredentials': { list: ['s'] }, tls: {} } },
    { schemes: { tls: {} } },
    { schemes: {} },
  ],
  defaultInputModes: ['text/plain', 'application/json'],
  defaultOutputModes: ['image/png'],
  skills: [
    {
      id: 'route',
      name: 'Route',
      description: 'Finds a route',
      tags: ['maps'],
      examples: ['From A to B'],
      inputModes: ['application/json'],
      outputModes: ['text/html'],
      securityRequirements: [
        { schemes: { oauth: { list: ['s'] } } },
        { schemes: { 'oauth.clientCredentials': { list: ['s'] } } },
      ],
    },
  ],
  iconUrl: 'https://agent.test/icon.png',
};

const PLAIN: AgentCard = {
  name: 'Plain',
  description: '',
  supportedInterfaces: [{ url: 'https://agent.test', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
  version: '1',
  capabilities: {},
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

const PLAIN_JSON = {
  protocolVersion: '0.3.0',
  name: 'Plain',
  description: '',
  url: 'https://agent.test',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url: 'https://agent.test', transport: 'JSONRPC' }],
  version: '1',
  capabilities: { stateTransitionHistory: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
};

function read(json: unknown): AgentCard {
  return decode(card, json, 'response').value;
}

function withInterfaces(...interfaces: AgentInterface[]): AgentCard {
  return { ...PLAIN, supportedInterfaces: interfaces };
}

test.each([
  ['with all members', FULL_JSON, FULL],
  ['with only required members', PLAIN_JSON, PLAIN],
])('a card %s is decoded and encoded without loss', (_, json, model) => {
  const { value, warnings } = decode(card, json, 'response', { strict: true });

  expect(value).toEqual(model);
  expect(warnings).toEqual([]);
  expect(card.encode(model)).toEqual(json);
});

test('the card of an agent-native app is decoded', () => {
  const json = {
    name: 'Analytics Agent',
    description: 'Runs analytics queries and returns chart data',
    url: 'https://analytics.example.com',
    version: '1.0.0',
    protocolVersion: '0.3',
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: true },
    skills: [
      {
        id: 'run-query',
        name: 'Run Query',
        description: 'Execute a SQL query against the analytics database',
        tags: ['analytics', 'sql'],
        examples: ['Show me signups by source this month'],
      },
    ],
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    security: [{ apiKey: [] }],
  };
  const { value, warnings } = decode(card, json, 'response');

  expect(value).toEqual({
    name: 'Analytics Agent',
    description: 'Runs analytics queries and returns chart data',
    supportedInterfaces: [{ url: 'https://analytics.example.com', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: false },
    securitySchemes: { apiKey: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
    securityRequirements: [{ schemes: { apiKey: {} } }],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: json.skills,
  });
  expect(warnings.map(({ code, field }) => [code, field])).toEqual([
    ['member-missing', 'defaultInputModes'],
    ['member-missing', 'defaultOutputModes'],
  ]);
});

test('the bearer scheme of the RxJS agent is decoded', () => {
  const security = {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    security: [{ bearer: [] }],
  };

  expect(read({ ...PLAIN_JSON, ...security })).toEqual({
    ...PLAIN,
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' } } },
    securityRequirements: [{ schemes: { bearer: {} } }],
  });
});

test('members that other agents omit can be missing', () => {
  const { value, warnings } = decode(
    card,
    { name: 'Sparse', provider: { organization: 'Example' }, skills: [{ id: 's', name: 'S' }] },
    'response',
  );

  expect(value).toEqual({
    ...PLAIN,
    name: 'Sparse',
    version: '',
    provider: { organization: 'Example', url: '' },
    supportedInterfaces: [{ url: '', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }],
    skills: [{ id: 's', name: 'S', description: '', tags: [] }],
  });
  expect(warnings.map(({ field }) => field)).toEqual([
    'provider.url',
    'skills[0].description',
    'skills[0].tags',
    'description',
    'url',
    'version',
    'capabilities',
    'defaultInputModes',
    'defaultOutputModes',
    'protocolVersion',
  ]);
});

test.each([
  ['an empty address', { url: '' }, 'url: expected the URL of the agent'],
  ['no version', { protocolVersion: undefined }, 'protocolVersion: expected the member protocolVersion'],
  [
    'a nameless skill',
    { skills: [{ id: 's', description: '', tags: [] }] },
    'skills[0].name: expected the member name',
  ],
  ['a list that is not an array', { security: {} }, 'security: expected an array'],
  ['a scheme of a new kind', { securitySchemes: { q: { type: 'q' } } }, 'securitySchemes.q.type: expected one of'],
])('strict decoding rejects %s', (_, change, message) => {
  expect(() => decode(card, { ...PLAIN_JSON, ...change }, 'response', { strict: true })).toThrow(message);
});

test('an empty URL is kept so that the client can replace it', () => {
  const { value, warnings } = decode(card, { ...PLAIN_JSON, url: '', additionalInterfaces: [] }, 'response');

  expect(value.supportedInterfaces).toEqual([{ url: '', protocolBinding: 'JSONRPC', protocolVersion: '0.3' }]);
  expect(warnings).toMatchObject([{ code: 'address-empty', field: 'url' }]);
});

test.each([
  ['0.3', []],
  ['0.3.9', []],
  ['0.2.6', ['protocol-version-other']],
  ['1.0', ['protocol-version-other']],
  ['0.30', ['protocol-version-other']],
])('a card with the version %s is decoded as 0.3', (protocolVersion, codes) => {
  const { value, warnings } = decode(card, { ...PLAIN_JSON, protocolVersion }, 'response', { strict: true });

  expect(value).toEqual(PLAIN);
  expect(warnings.map(({ code }) => code)).toEqual(codes);
});

test('the main URL has the JSON-RPC binding if there is no preferred transport', () => {
  const { preferredTransport: _, ...json } = PLAIN_JSON;

  expect(read(json)).toEqual(PLAIN);
});

test('the main URL comes first, and duplicates are removed', () => {
  const json = {
    ...PLAIN_JSON,
    preferredTransport: 'GRPC',
    additionalInterfaces: [
      { url: 'https://agent.test', transport: 'HTTP+JSON' },
      { url: 'https://agent.test', transport: 'GRPC' },
      { url: 'https://agent.test', transport: 'HTTP+JSON' },
    ],
  };

  expect(read(json).supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toEqual(['GRPC', 'HTTP+JSON']);
});

test('an unknown scheme is omitted, and requirements for it are kept', () => {
  const json = { ...PLAIN_JSON, securitySchemes: { q: { type: 'quantum' } }, security: [{ q: [] }] };

  expect(read(json)).toEqual({ ...PLAIN, securityRequirements: [{ schemes: { q: {} } }] });
});

test('requirements under their 1.0 name are decoded', () => {
  const requirements = [{ schemes: { key: {} } }];
  const json = { ...PLAIN_JSON, securityRequirements: requirements };

  expect(read(json).securityRequirements).toEqual(requirements);
  expect(read({ ...json, security: [{ other: [] }] }).securityRequirements).toEqual([{ schemes: { other: {} } }]);
});

test('only interfaces of the version are encoded, the first as the main one', () => {
  const model = withInterfaces(
    { url: 'https://one.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    { url: 'https://rest.test', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    { url: 'https://rpc.test', protocolBinding: 'JSONRPC', protocolVersion: '0.3.0' },
    { url: 'https://old.test', protocolBinding: 'JSONRPC', protocolVersion: '0.2' },
  );

  expect(card.encode(model)).toMatchObject({
    url: 'https://rest.test',
    preferredTransport: 'HTTP+JSON',
    additionalInterfaces: [
      { url: 'https://rest.test', transport: 'HTTP+JSON' },
      { url: 'https://rpc.test', transport: 'JSONRPC' },
    ],
  });
});

test('an agent without an interface of the version has no card in that version', () => {
  const model = withInterfaces({ url: 'https://one.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' });

  expect(() => card.encode(model)).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED_OPERATION', message: expect.stringContaining('A2A 0.3') }),
  );
});

test.each([
  ['https://a.test', 'acme', 'https://a.test/acme'],
  ['https://a.test/base/', 'acme', 'https://a.test/base/acme'],
  ['https://a.test/base/v1', 'acme', 'https://a.test/base/acme/v1'],
  ['https://a.test/v1/?key=v1#top', 'acme', 'https://a.test/acme/v1?key=v1#top'],
  ['https://a.test', 'a/b c', 'https://a.test/a%2Fb%20c'],
  ['https://a.test', '\ud800', 'https://a.test/%EF%BF%BD'],
  ['https://a.test', '', 'https://a.test'],
])('the REST URL %s for the tenant %j is %s', (url, tenant, expected) => {
  const rest = { url, protocolBinding: 'HTTP+JSON', tenant, protocolVersion: '0.3' };

  expect(card.encode(withInterfaces(rest))).toMatchObject({ url: expected });
});

test('a tenant is not added to the URL of another binding', () => {
  const rpc = { url: 'https://a.test', protocolBinding: 'JSONRPC', protocolVersion: '0.3' };
  const json = card.encode(withInterfaces({ ...rpc, tenant: 'acme' }, { ...rpc, tenant: 'other' }));

  expect(json).toMatchObject({ url: 'https://a.test', additionalInterfaces: [{ url: 'https://a.test' }] });
});

test('signatures are neither decoded nor encoded', () => {
  const signatures = [{ protected: 'e30', signature: 'AA' }];

  expect(read({ ...PLAIN_JSON, signatures })).toEqual(PLAIN);
  expect(card.encode({ ...PLAIN, signatures })).toEqual(PLAIN_JSON);
});

test.each([true, false])('the top-level member for the extended card is encoded: %s', (extendedAgentCard) => {
  const json = { ...PLAIN_JSON, supportsAuthenticatedExtendedCard: extendedAgentCard };
  const model = { ...PLAIN, capabilities: { extendedAgentCard } };

  expect(card.encode(model)).toEqual(json);
  expect(read(json)).toEqual(model);
});

test('decoding any card fails only with an A2AError', () => {
  const member = fc.constantFrom(...Object.keys(FULL_JSON));
  const damaged = fc.dictionary(member, fc.jsonValue()).map((change) => ({ ...FULL_JSON, ...change }));
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), damaged),
      fc.constantFrom('request' as const, 'response' as const),
      (json, role) => {
        try {
          decode(card, json, role);
        } catch (error) {
          expect(A2AError.is(error)).toBe(true);
        }
      },
    ),
  );
});
