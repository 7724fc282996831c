import fc from 'fast-check';
import { expect, test } from 'vitest';

import { A2AError } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { decode } from '../dialect.ts';
import { card } from './card.ts';

const CARD: AgentCard = {
  name: 'First',
  description: 'One of the first',
  supportedInterfaces: [{ url: 'https://agent.test', protocolBinding: 'JSONRPC', protocolVersion: '0.1' }],
  provider: { organization: 'Example', url: 'https://example.test' },
  version: '1',
  documentationUrl: 'https://agent.test/docs',
  capabilities: { streaming: true, pushNotifications: false },
  securitySchemes: { Bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
  securityRequirements: [{ schemes: { Bearer: {} } }],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['image/png'],
  skills: [
    {
      id: 's',
      name: 'S',
      description: 'A skill',
      tags: ['t'],
      examples: ['Do it'],
      inputModes: ['text/plain'],
      outputModes: ['image/png'],
    },
  ],
};

const JSON_OF_CARD = {
  name: 'First',
  description: 'One of the first',
  url: 'https://agent.test',
  provider: { organization: 'Example', url: 'https://example.test' },
  version: '1',
  documentationUrl: 'https://agent.test/docs',
  capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false },
  authentication: { schemes: ['Bearer'] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['image/png'],
  skills: CARD.skills,
};

test('a card is decoded and encoded without loss', () => {
  expect(card.encode(CARD)).toEqual(JSON_OF_CARD);
  expect(decode(card, JSON_OF_CARD, 'response', { strict: true }).value).toEqual(CARD);
});

test('a card with only required members is valid', () => {
  const json = {
    name: 'Bare',
    url: 'https://agent.test',
    provider: { organization: 'Example' },
    version: '1',
    capabilities: {},
    skills: [{ id: 's', name: 'S' }],
  };
  const { value, warnings } = decode(card, json, 'response', { strict: true });

  expect(warnings).toEqual([]);
  expect(value).toEqual({
    name: 'Bare',
    description: '',
    supportedInterfaces: CARD.supportedInterfaces,
    provider: { organization: 'Example', url: '' },
    version: '1',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: '', tags: [] }],
  });
});

test('the mode text is decoded as text/plain', () => {
  const [skill] = JSON_OF_CARD.skills;
  const json = {
    ...JSON_OF_CARD,
    defaultInputModes: ['text', 'file'],
    defaultOutputModes: ['text'],
    skills: [{ ...skill, inputModes: ['text'], outputModes: ['text'] }],
  };

  expect(decode(card, json, 'response').value).toMatchObject({
    defaultInputModes: ['text/plain', 'file'],
    defaultOutputModes: ['text/plain'],
    skills: [{ inputModes: ['text/plain'], outputModes: ['text/plain'] }],
  });
});

test('credentials in a card are ignored', () => {
  const json = { ...JSON_OF_CARD, authentication: { schemes: ['Bearer'], credentials: 'secret' } };

  expect(decode(card, json, 'response', { strict: true }).value).toEqual(CARD);
});

test('a missing list of schemes is accepted', () => {
  const { value, warnings } = decode(card, { ...JSON_OF_CARD, authentication: {} }, 'response');

  expect(value.securityRequirements).toBeUndefined();
  expect(warnings).toMatchObject([{ code: 'member-missing', field: 'authentication.schemes' }]);
});

test('members of later versions are not encoded', () => {
  const json = card.encode({
    ...CARD,
    supportedInterfaces: [
      { url: 'https://one.test', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url: 'https://rest.test', protocolBinding: 'HTTP+JSON', protocolVersion: '0.1' },
      { url: 'https://agent.test', protocolBinding: 'JSONRPC', tenant: 'acme', protocolVersion: '0.1' },
      { url: 'https://other.test', protocolBinding: 'JSONRPC', protocolVersion: '0.1' },
    ],
    capabilities: { ...CARD.capabilities, extendedAgentCard: true, extensions: [{ uri: 'https://ext.test' }] },
    skills: CARD.skills.map((skill) => ({ ...skill, securityRequirements: [{ schemes: {} }] })),
    signatures: [{ protected: 'e30', signature: 'AA' }],
    iconUrl: 'https://agent.test/icon.png',
  });

  expect(json).toEqual(JSON_OF_CARD);
});

test('an agent without a JSON-RPC URL has no 0.1 card', () => {
  const rest = { url: 'https://rest.test', protocolBinding: 'HTTP+JSON', protocolVersion: '0.1' };

  expect(() => card.encode({ ...CARD, supportedInterfaces: [rest] })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED_OPERATION', message: expect.stringContaining('A2A 0.1') }),
  );
});

test('decoding any card fails only with an A2AError', () => {
  const member = fc.constantFrom(...Object.keys(JSON_OF_CARD));
  const damaged = fc.dictionary(member, fc.jsonValue()).map((change) => ({ ...JSON_OF_CARD, ...change }));
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
