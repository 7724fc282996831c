import { expect, test } from 'vitest';

import type { AgentCard } from '../../model/card.ts';
import { decode } from '../dialect.ts';
import { card } from './index.ts';

const FLOW = { tokenUrl: 'https://id.test/t', scopes: {} };

const CARD: AgentCard = {
  name: 'Plain',
  description: 'Plain',
  supportedInterfaces: [
    { url: 'https://agent.test', protocolBinding: 'JSONRPC', protocolVersion: '0.2' },
    { url: 'https://agent.test', protocolBinding: 'HTTP+JSON', protocolVersion: '0.2' },
  ],
  version: '1',
  capabilities: { extendedAgentCard: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'A skill', tags: [] }],
};

const JSON_OF_CARD = {
  protocolVersion: '0.2.6',
  name: 'Plain',
  description: 'Plain',
  url: 'https://agent.test',
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [
    { url: 'https://agent.test', transport: 'JSONRPC' },
    { url: 'https://agent.test', transport: 'HTTP+JSON' },
  ],
  version: '1',
  capabilities: { stateTransitionHistory: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'A skill', tags: [] }],
  supportsAuthenticatedExtendedCard: true,
};

test('a card is decoded and encoded in the 0.2.6 format', () => {
  expect(card.encode(CARD)).toEqual(JSON_OF_CARD);
  expect(decode(card, JSON_OF_CARD, 'response', { strict: true }).value).toEqual(CARD);
});

test('members of 0.3 are not encoded', () => {
  const json = card.encode({
    ...CARD,
    securitySchemes: {
      tls: { mtlsSecurityScheme: {} },
      id: { oauth2SecurityScheme: { flows: { clientCredentials: FLOW }, oauth2MetadataUrl: 'https://id.test/m' } },
    },
    securityRequirements: [{ schemes: { tls: {} } }, { schemes: { id: {} } }],
    skills: CARD.skills.map((skill) => ({ ...skill, securityRequirements: [{ schemes: { id: {} } }] })),
    signatures: [{ protected: 'e30', signature: 'AA' }],
  });

  expect(json).toEqual({
    ...JSON_OF_CARD,
    securitySchemes: { id: { type: 'oauth2', flows: { clientCredentials: FLOW } } },
    security: [{ id: [] }],
  });
});

test('an agent that requires mutual TLS has no 0.2 card', () => {
  const closed: AgentCard = {
    ...CARD,
    securitySchemes: { tls: { mtlsSecurityScheme: {} } },
    securityRequirements: [{ schemes: { tls: {} } }],
  };

  expect(() => card.encode(closed)).toThrow('A2A 0.2 cannot describe the security scheme tls');
});

test('the card of a selectools agent is decoded with its empty URL', () => {
  const json = {
    protocolVersion: '0.2.6',
    name: 'researcher',
    description: 'Research agent that summarizes topics',
    url: '',
    version: '0.21.0',
    capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'summarize', name: 'summarize', description: 'Summarize a text', tags: ['tool'] }],
  };
  const { value, warnings } = decode(card, json, 'response');

  expect(value).toEqual({
    name: 'researcher',
    description: 'Research agent that summarizes topics',
    supportedInterfaces: [{ url: '', protocolBinding: 'JSONRPC', protocolVersion: '0.2' }],
    version: '0.21.0',
    capabilities: { streaming: false, pushNotifications: false },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: json.skills,
  });
  expect(warnings).toMatchObject([{ code: 'address-empty' }]);
});

test('the sample card of the specification, which has no version, is decoded', () => {
  const json = {
    name: 'GeoSpatial Route Planner Agent',
    description: 'Plans routes.',
    url: 'https://georoute-agent.example.com/a2a/v1',
    provider: { organization: 'Example Geo Services Inc.', url: 'https://www.examplegeoservices.com' },
    iconUrl: 'https://georoute-agent.example.com/icon.png',
    version: '1.2.0',
    documentationUrl: 'https://docs.examplegeoservices.com/georoute-agent/api',
    capabilities: { streaming: true, pushNotifications: true, stateTransitionHistory: false },
    securitySchemes: {
      google: {
        type: 'openIdConnect',
        openIdConnectUrl: 'https://accounts.google.com/.well-known/openid-configuration',
      },
    },
    security: [{ google: ['openid', 'profile', 'email'] }],
    defaultInputModes: ['application/json', 'text/plain'],
    defaultOutputModes: ['application/json', 'image/png'],
    skills: [{ id: 'route', name: 'Route', description: 'Finds one.', tags: ['maps'], inputModes: ['text/plain'] }],
    supportsAuthenticatedExtendedCard: true,
  };
  const { value, warnings } = decode(card, json, 'response', { strict: true });

  expect(warnings).toEqual([]);
  expect(value).toEqual({
    name: json.name,
    description: json.description,
    supportedInterfaces: [{ url: json.url, protocolBinding: 'JSONRPC', protocolVersion: '0.2' }],
    provider: json.provider,
    version: '1.2.0',
    documentationUrl: json.documentationUrl,
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    securitySchemes: {
      google: { openIdConnectSecurityScheme: { openIdConnectUrl: json.securitySchemes.google.openIdConnectUrl } },
    },
    securityRequirements: [{ schemes: { google: { list: ['openid', 'profile', 'email'] } } }],
    defaultInputModes: json.defaultInputModes,
    defaultOutputModes: json.defaultOutputModes,
    skills: json.skills,
    iconUrl: json.iconUrl,
  });
});
