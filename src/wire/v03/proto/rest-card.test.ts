import { expect, test } from 'vitest';
import type { AgentCard } from '../../../model/card.ts';
import { decode } from '../../dialect.ts';
import { card as taggedCard } from '../card.ts';
import { v03Proto } from './index.ts';
import { withRestCard } from './rest-card.ts';

const CARD: AgentCard = {
  name: 'Translator',
  description: 'Translates.',
  supportedInterfaces: [{ url: 'https://ex.test/a2a', protocolBinding: 'HTTP+JSON', protocolVersion: '0.3' }],
  version: '1.0.0',
  capabilities: { extendedAgentCard: true },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
    oauth: {
      oauth2SecurityScheme: {
        flows: {
          authorizationCode: { authorizationUrl: 'https://ex.test/a', tokenUrl: 'https://ex.test/t', scopes: {} },
        },
      },
    },
    'oauth.clientCredentials': {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: 'https://ex.test/t', scopes: { read: 'to read' } } },
      },
    },
  },
  securityRequirements: [
    { schemes: { oauth: { list: ['read'] } } },
    { schemes: { 'oauth.clientCredentials': { list: ['read'] } } },
  ],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    { id: 'a', name: 'A', description: 'a', tags: [], securityRequirements: [{ schemes: { key: {} } }] },
    { id: 'b', name: 'B', description: 'b', tags: [] },
  ],
};

function written(card: AgentCard): unknown {
  return JSON.parse(JSON.stringify(withRestCard(v03Proto).operations.GetExtendedAgentCard?.result.encode(card)));
}

test('each scheme is encoded in the tagged form and in that of the protocol definition, with one flow', () => {
  expect(written(CARD)).toMatchObject({
    securitySchemes: {
      key: { type: 'apiKey', in: 'header', name: 'X-Key', apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
      oauth: {
        type: 'oauth2',
        flows: { authorizationCode: { tokenUrl: 'https://ex.test/t' } },
        oauth2SecurityScheme: { flows: { authorizationCode: { tokenUrl: 'https://ex.test/t' } } },
      },
      'oauth.clientCredentials': {
        type: 'oauth2',
        flows: { clientCredentials: { scopes: { read: 'to read' } } },
        oauth2SecurityScheme: { flows: { clientCredentials: { scopes: { read: 'to read' } } } },
      },
    },
  });
});

test('requirements have the form of the JSON schema, on skills too', () => {
  const wire = written(CARD) as { readonly skills: readonly object[] };
  expect(wire).toMatchObject({ security: [{ oauth: ['read'] }, { 'oauth.clientCredentials': ['read'] }] });
  expect(wire.skills).toMatchObject([{ id: 'a', security: [{ key: [] }] }, { id: 'b' }]);
  expect(wire.skills[1]).not.toHaveProperty('security');
});

test('the decoders of both forms return the same card', () => {
  const wire = written(CARD);
  expect(decode(v03Proto.card, wire, 'response')).toMatchObject({ value: CARD, warnings: [] });
  expect(decode(taggedCard, wire, 'response')).toMatchObject({ value: CARD, warnings: [] });
});

test('a card without security has no members for it', () => {
  const { securitySchemes: _, securityRequirements: __, ...open } = CARD;
  const wire = written({ ...open, skills: [] });
  expect(wire).not.toHaveProperty('security');
  expect(wire).not.toHaveProperty('securitySchemes');
});
