import { expect, test } from 'vitest';

import type { AgentCard } from '../../../model/card.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Codec } from '../../codec.ts';
import { decode } from '../../dialect.ts';
import { mergeCards, withAuthentication } from './card-forms.ts';
import { card as v01 } from '../../v01/card.ts';
import { card as v02 } from '../../v02/index.ts';
import { card as v03 } from '../../v03/card.ts';
import { card as v1 } from '../../v1/card.ts';

const FLOW = { tokenUrl: 'https://id.test/t', scopes: { s: 'S' } };

const CARD: AgentCard = {
  name: 'Both',
  description: 'Speaks both',
  supportedInterfaces: ['1.0', '0.3', '0.2', '0.1'].map((protocolVersion) => ({
    url: `https://agent.test/${protocolVersion}`,
    protocolBinding: 'JSONRPC',
    protocolVersion,
  })),
  provider: { organization: 'Example', url: 'https://example.test' },
  version: '1',
  capabilities: { streaming: true, extensions: [{ uri: 'https://ext.test' }], extendedAgentCard: true },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key', description: 'Ask us' } },
    http: { httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: 'https://id.test' } },
    tls: { mtlsSecurityScheme: {} },
    id: { oauth2SecurityScheme: { flows: { clientCredentials: FLOW } } },
    'id.password': { oauth2SecurityScheme: { flows: { password: FLOW } } },
    tv: { oauth2SecurityScheme: { flows: { deviceCode: { ...FLOW, deviceAuthorizationUrl: 'https://id.test/d' } } } },
  },
  securityRequirements: [
    { schemes: { key: {}, tls: {} } },
    { schemes: { id: { list: ['s'] } } },
    { schemes: { 'id.password': { list: ['s'] } } },
    { schemes: { tv: {} } },
  ],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [
    { id: 'open', name: 'Open', description: 'For all', tags: [] },
    {
      id: 'shut',
      name: 'Shut',
      description: 'For some',
      tags: [],
      securityRequirements: [{ schemes: { tv: {} } }, { schemes: { http: {} } }],
    },
  ],
  iconUrl: 'https://agent.test/icon.png',
};

const SIGNED: AgentCard = { ...CARD, signatures: [{ protected: 'e30', signature: 'AA' }] };

function write(codec: Codec<AgentCard>, card: AgentCard): JsonObject {
  return JSON.parse(JSON.stringify(codec.encode(card))) as JsonObject;
}

function read(codec: Codec<AgentCard>, json: unknown): AgentCard {
  return decode(codec, json, 'response', { strict: true }).value;
}

const superset = mergeCards(write(v1, SIGNED), write(v03, SIGNED));

test('a 1.0 client decodes the superset card like the 1.0 card', () => {
  expect(read(v1, superset)).toEqual(CARD);
});

test('a 0.3 client decodes the superset card like the 0.3 card', () => {
  const own = read(v03, write(v03, CARD));

  expect(own.securityRequirements).toEqual(CARD.securityRequirements?.slice(0, 3));
  expect(read(v03, superset)).toEqual(own);
});

test('capabilities of both cards are merged, and those of 1.0 win a conflict', () => {
  expect(superset['capabilities']).toEqual({
    streaming: true,
    extensions: [{ uri: 'https://ext.test' }],
    extendedAgentCard: true,
    stateTransitionHistory: false,
  });
  const [ofOne, of03] = [write(v1, CARD), write(v03, CARD)];
  const doubtful = mergeCards(ofOne, { ...of03, capabilities: { streaming: false, pushNotifications: true } });
  expect(doubtful['capabilities']).toMatchObject({ streaming: true, pushNotifications: true });
});

test('a card without security is merged', () => {
  const { securitySchemes: _, securityRequirements: __, ...open } = CARD;
  const card = { ...open, skills: open.skills.slice(0, 1) };
  const merged = mergeCards(write(v1, card), write(v03, card));

  expect(merged).not.toHaveProperty('securitySchemes');
  expect(read(v1, merged)).toEqual(card);
  expect(read(v03, merged)).toEqual(read(v03, write(v03, card)));
});

test('each scheme is written in both formats, side by side', () => {
  expect(superset['securitySchemes']).toMatchObject({
    http: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      httpAuthSecurityScheme: { scheme: 'bearer', bearerFormat: 'JWT' },
    },
    id: { type: 'oauth2', flows: { clientCredentials: FLOW, password: FLOW } },
    'id.password': { type: 'oauth2', flows: {}, oauth2SecurityScheme: { flows: { password: FLOW } } },
    tv: { type: 'oauth2', flows: {} },
  });
});

test('a superset has no signatures', () => {
  expect(superset).not.toHaveProperty('signatures');
  expect(superset).toMatchObject({ protocolVersion: '0.3.0', supportedInterfaces: [{}, {}, {}, {}] });
});

test('a skill whose security 0.3 cannot express keeps its requirements in the superset card', () => {
  const securityRequirements = [{ schemes: { tv: { list: ['s'] }, key: {} } }, { schemes: { tv: {} } }];
  const card = { ...CARD, skills: CARD.skills.map((skill) => ({ ...skill, securityRequirements })) };
  const pure = write(v03, card);
  const merged = mergeCards(write(v1, card), pure);

  expect(pure['skills']).toEqual([]);
  expect(read(v1, merged)).toEqual(card);
  expect(merged['skills']).toMatchObject([
    { id: 'open', security: [{ tv: ['s'], key: [] }, { tv: [] }] },
    { id: 'shut', security: [{ tv: ['s'], key: [] }, { tv: [] }] },
  ]);
  const seen = read(v03, merged);
  expect(seen.securitySchemes).not.toHaveProperty('tv');
  expect(seen.skills.map((skill) => skill.securityRequirements)).toEqual([securityRequirements, securityRequirements]);
});

test('a card of 0.2 can carry the scheme names of 0.1', () => {
  const card = { ...CARD, securityRequirements: [{ schemes: { http: {} } }] };
  const merged = withAuthentication(write(v02, card), write(v01, card));

  expect(merged['authentication']).toEqual({ schemes: ['Bearer'] });
  expect(read(v02, merged)).toEqual(read(v02, write(v02, card)));
  expect(read(v01, { ...merged, url: 'https://agent.test/0.1' })).toEqual(read(v01, write(v01, card)));
});

test('a 0.2 card without security is not changed', () => {
  const { securityRequirements: _, ...card } = CARD;
  const json = write(v02, card);

  expect(withAuthentication(json, write(v01, card))).toEqual(json);
});
