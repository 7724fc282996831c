import { expect, test } from 'vitest';
import type { AgentCard } from '../../../model/card.ts';
import { cardForm, decodeCard, encodeCard } from './card-forms.ts';
import { type ProtocolVersion, requestedVersion } from '../../version.ts';

const url = 'https://agent.example/a2a';

const CARD: AgentCard = {
  name: 'Translator',
  description: 'Translates',
  version: '1.2.3',
  supportedInterfaces: ['1.0', '0.3', '0.2', '0.1'].map((protocolVersion) => ({
    url,
    protocolBinding: 'JSONRPC',
    protocolVersion,
  })),
  capabilities: { streaming: true },
  securitySchemes: { token: { httpAuthSecurityScheme: { scheme: 'bearer' } } },
  securityRequirements: [{ schemes: { token: {} } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
};

test.each<['agent-card.json' | 'agent.json', string, string]>([
  ['agent-card.json', '', 'superset'],
  ['agent-card.json', '1.0', '1.0'],
  ['agent-card.json', '0.3', '0.3'],
  ['agent-card.json', '7.7', 'superset'],
  ['agent.json', '', '0.2'],
  ['agent.json', '1.0', '0.2'],
  ['agent.json', '0.1', '0.1'],
])('%s with version %j is served as %s', (path, version, form) => {
  expect(cardForm(path, requestedVersion(version), 'superset')).toBe(form);
});

test('the form for requests without a version is an option', () => {
  expect(cardForm('agent-card.json', requestedVersion(undefined), '0.3')).toBe('0.3');
});

test.each<ProtocolVersion>(['1.0', '0.3', '0.2', '0.1'])('a card written for %s is recognised and read', (version) => {
  const { value, version: read } = decodeCard(encodeCard(CARD, version));
  expect(read).toBe(version === '0.1' ? '0.1' : version);
  expect(value).toMatchObject({ name: 'Translator', skills: [{ id: 's' }] });
  expect(value.supportedInterfaces[0]).toMatchObject({ url, protocolBinding: 'JSONRPC' });
  expect(value.supportedInterfaces[0]?.protocolVersion).toBe(version);
});

test('the superset has the members of 1.0 and of 0.3, and both shapes of a scheme', () => {
  expect(encodeCard(CARD, 'superset')).toMatchObject({
    supportedInterfaces: CARD.supportedInterfaces,
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    securityRequirements: [{ schemes: { token: {} } }],
    security: [{ token: [] }],
    securitySchemes: { token: { type: 'http', scheme: 'bearer', httpAuthSecurityScheme: { scheme: 'bearer' } } },
  });
});

test('a 1.0 client decodes the superset card and the 1.0 card to the same card', () => {
  expect(decodeCard(encodeCard(CARD, 'superset')).value).toEqual(CARD);
});

test('the superset card equals the 1.0 card if there is no 0.3 interface', () => {
  const card = { ...CARD, supportedInterfaces: CARD.supportedInterfaces.slice(0, 1) };
  expect(encodeCard(card, 'superset')).toEqual(card);
  expect(() => encodeCard(card, '0.3')).toThrow(/0\.3/);
});

test('a 0.2 card also names its schemes in the 0.1 format', () => {
  expect(encodeCard(CARD, '0.2')).toMatchObject({ protocolVersion: '0.2.6', authentication: { schemes: ['Bearer'] } });
});

test.each([null, [], 'card', {}, { name: 'x' }, { supportedInterfaces: [] }])(
  '%j is not recognised as a card',
  (json) => {
    expect(() => decodeCard(json)).toThrow(expect.objectContaining({ code: 'INVALID_AGENT_RESPONSE' }));
  },
);

test.each([
  [{}, '0.1'],
  [{ securitySchemes: {} }, undefined],
  [{ protocolVersion: '0.2.6' }, undefined],
])('the card format 0.2 with %j has the second candidate %s', (more, other) => {
  const card = {
    name: 'a',
    description: 'b',
    url: 'https://agent.example/',
    version: '1',
    capabilities: {},
    skills: [],
  };

  expect(decodeCard({ ...card, defaultInputModes: [], defaultOutputModes: [], ...more }).mayAlsoBe).toBe(other);
});
