import { expect, test } from 'vitest';
import { A2AError } from '../../../errors.ts';
import type { AgentCard } from '../../../model/card.ts';
import { decode } from '../../dialect.ts';
import { card as taggedCard } from '../card.ts';
import { card } from './card.ts';

const CARD: AgentCard = {
  name: 'Translator',
  description: 'Translates.',
  supportedInterfaces: [
    { url: 'https://ex.test/a2a', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' },
    { url: 'https://ex.test/rpc', protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
  ],
  provider: { organization: 'Ex', url: 'https://ex.test' },
  version: '1.0.0',
  documentationUrl: 'https://ex.test/docs',
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: 'https://ex.test/x', description: 'x', required: true, params: { a: null } }],
    extendedAgentCard: true,
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key', description: 'a key' } },
    http: { httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: { authorizationUrl: 'https://ex.test/a', tokenUrl: 'https://ex.test/t', scopes: {} },
        },
        oauth2MetadataUrl: 'https://ex.test/m',
      },
    },
    'oauth.clientCredentials': {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://ex.test/t', scopes: { read: 'to read' } } },
        oauth2MetadataUrl: 'https://ex.test/m',
      },
    },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://ex.test/oidc' } },
    tls: { mtlsSecurityScheme: {} },
  },
  securityRequirements: [
    { schemes: { oauth: { list: ['read'] } } },
    { schemes: { 'oauth.clientCredentials': { list: ['read'] } } },
    { schemes: { key: {}, tls: {} } },
  ],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    {
      id: 's1',
      name: 'Translate',
      description: 'd',
      tags: ['text'],
      examples: ['e'],
      inputModes: ['text/plain'],
      outputModes: ['text/plain'],
      securityRequirements: [{ schemes: { http: {} } }],
    },
    { id: 's2', name: 'Spell', description: 'd', tags: [] },
  ],
  iconUrl: 'https://ex.test/icon.png',
};

const SECURITY = ['securitySchemes', 'security', 'skills', 'capabilities'];

function without(json: unknown, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(json as object).filter(([key]) => !keys.includes(key)));
}

test('a card is encoded and decoded without loss', () => {
  const wire = JSON.parse(JSON.stringify(card.encode(CARD)));
  expect(decode(card, wire, 'response')).toEqual({ value: CARD, warnings: [], raw: wire });
});

test('security has the form of the protocol definition with one flow per scheme', () => {
  const wire = card.encode(CARD);
  expect(wire).toMatchObject({
    securitySchemes: CARD.securitySchemes,
    security: CARD.securityRequirements,
    skills: [{ id: 's1', security: [{ schemes: { http: {} } }] }, { id: 's2' }],
    supportsAuthenticatedExtendedCard: true,
    iconUrl: CARD.iconUrl,
    url: 'https://ex.test/a2a',
    preferredTransport: 'HTTP+JSON',
    protocolVersion: '0.3.0',
  });
  expect(wire).toHaveProperty('securitySchemes', CARD.securitySchemes);
});

test('all members except security are the same as in the tagged card', () => {
  expect(without(card.encode(CARD), SECURITY)).toEqual(without(taggedCard.encode(CARD), SECURITY));
});

test('members that the protocol definition does not have are not encoded', () => {
  const wire = JSON.stringify(card.encode(CARD));
  expect(wire).not.toContain('stateTransitionHistory');
  expect(wire).not.toContain('securityRequirements');
  expect(wire).not.toContain('supportedInterfaces');
});

test('the tagged form of security is decoded', () => {
  const wire = JSON.parse(JSON.stringify(taggedCard.encode(CARD)));
  expect(decode(card, wire, 'response').value).toEqual(CARD);
});

test('a card without security has no members for it', () => {
  const { securitySchemes: _, securityRequirements: __, ...open } = CARD;
  const wire = card.encode({ ...open, skills: [{ id: 's', name: 'S', description: '', tags: [] }] });
  expect(Object.keys(wire as object)).not.toContain('security');
  expect(Object.keys(wire as object)).not.toContain('securitySchemes');
  expect(wire).toHaveProperty('skills', [{ id: 's', name: 'S', description: '', tags: [] }]);
});

test('alternatives that 0.3 cannot express are omitted, and a card without any is rejected', () => {
  const device = {
    oauth2SecurityScheme: {
      flows: { deviceCode: { deviceAuthorizationUrl: 'https://ex.test/d', tokenUrl: 'https://ex.test/t', scopes: {} } },
    },
  };
  const pkce = {
    oauth2SecurityScheme: {
      flows: { authorizationCode: { authorizationUrl: 'a', tokenUrl: 't', scopes: {}, pkceRequired: true } },
    },
  };
  const secured: AgentCard = {
    ...CARD,
    securitySchemes: { device, pkce },
    securityRequirements: [{ schemes: { device: {} } }, { schemes: { pkce: {} } }],
    skills: [],
  };
  expect(card.encode(secured)).toMatchObject({ security: [{ schemes: { pkce: {} } }] });
  expect(card.encode(secured)).toHaveProperty('securitySchemes', {
    pkce: {
      oauth2SecurityScheme: { flows: { authorizationCode: { authorizationUrl: 'a', tokenUrl: 't', scopes: {} } } },
    },
  });
  const closed = { ...secured, securityRequirements: [{ schemes: { device: {} } }] };
  expect(() => card.encode(closed)).toThrow(A2AError);
});
