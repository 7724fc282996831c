import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { AgentCard } from '../../model/card.ts';
import type { SecurityRequirement, SecurityScheme } from '../../model/security.ts';
import { Decoder } from '../decoder.ts';
import { fromTagged, type SecurityFeatures, toTagged } from './card-security.ts';

const V03: SecurityFeatures = { version: '0.3', mutualTls: true, oauth2MetadataUrl: true, skillSecurity: true };
const V02: SecurityFeatures = { version: '0.2', mutualTls: false, oauth2MetadataUrl: false, skillSecurity: false };

const FLOW = { tokenUrl: 'https://id.test/t', scopes: {} };
const SCHEMES: Readonly<Record<string, SecurityScheme>> = {
  key: { apiKeySecurityScheme: { location: 'header', name: 'X-Key' } },
  tls: { mtlsSecurityScheme: {} },
  tv: { oauth2SecurityScheme: { flows: { deviceCode: { ...FLOW, deviceAuthorizationUrl: 'https://id.test/d' } } } },
  id: { oauth2SecurityScheme: { flows: { clientCredentials: FLOW }, oauth2MetadataUrl: 'https://id.test/m' } },
  'id.password': { oauth2SecurityScheme: { flows: { password: FLOW }, oauth2MetadataUrl: 'https://id.test/m' } },
};

type Secured = Pick<AgentCard, 'securitySchemes' | 'securityRequirements' | 'skills'>;

function secured(requirements: readonly SecurityRequirement[], ...skills: (readonly SecurityRequirement[])[]): Secured {
  return {
    securitySchemes: SCHEMES,
    securityRequirements: requirements,
    skills: skills.map((securityRequirements, i) => ({
      id: `skill${i}`,
      name: '',
      description: '',
      tags: [],
      securityRequirements,
    })),
  };
}

function asks(...names: string[]): SecurityRequirement {
  return { schemes: Object.fromEntries(names.map((name) => [name, {}])) };
}

test('an alternative with a scheme that cannot be expressed is omitted as a whole', () => {
  const { securitySchemes, securityRequirements } = toTagged(secured([asks('key', 'tv'), asks('tls'), asks()]), V03);

  expect(securityRequirements).toEqual([asks('tls'), asks()]);
  expect(Object.keys(securitySchemes ?? {})).toEqual(['key', 'tls', 'id']);
});

test('a 0.2 card has neither mutual TLS nor a URL of OAuth metadata', () => {
  const { securitySchemes = {}, securityRequirements } = toTagged(secured([asks('key', 'tls'), asks('key')]), V02);

  expect(securityRequirements).toEqual([asks('key')]);
  expect(Object.keys(securitySchemes)).toEqual(['key', 'id']);
  expect(securitySchemes['id']).toEqual([
    { oauth2SecurityScheme: { flows: { clientCredentials: FLOW } } },
    { oauth2SecurityScheme: { flows: { password: FLOW } } },
  ]);
});

test('a card without any remaining alternative is not published', () => {
  expect(() => toTagged(secured([asks('tv'), asks('key', 'tv')]), V03)).toThrow(
    expect.objectContaining({
      code: 'UNSUPPORTED_OPERATION',
      message: expect.stringMatching(/^A2A 0\.3 cannot describe the security scheme tv, .*: add .* version 0\.3$/),
      details: { version: '0.3', schemes: 'tv' },
    }),
  );
  expect(() => toTagged(secured([asks('tls'), asks('tv')]), V02)).toThrow('security scheme tls, tv,');
});

test('a card without requirements stays without requirements', () => {
  expect(toTagged(secured([]), V03).securityRequirements).toEqual([]);
});

test('a requirement without a scheme is kept, because omitting it would grant access', () => {
  expect(toTagged(secured([asks('nowhere')]), V03).securityRequirements).toEqual([asks('nowhere')]);
});

test('a skill without any remaining alternative is omitted', () => {
  const { skills } = toTagged(secured([], [asks('tv')], [asks('tv'), asks('key')], []), V03);

  expect(skills.map(({ id, securityRequirements }) => [id, securityRequirements])).toEqual([
    ['skill1', [asks('key')]],
    ['skill2', []],
  ]);
});

test('skills are encoded without requirements in versions that have none on skills', () => {
  const { skills } = toTagged(secured([], [asks('tv')], [asks('key')]), V02);

  expect(skills.map(({ id, securityRequirements }) => [id, securityRequirements])).toEqual([
    ['skill0', []],
    ['skill1', []],
  ]);
});

test('a flow that only a skill requires keeps its own scheme', () => {
  const both = [asks('id'), asks('id.password')];

  expect(toTagged(secured(both, both), V03).skills[0]?.securityRequirements).toEqual([asks('id')]);
  expect(toTagged(secured(both, [asks('id.password')]), V03)).toMatchObject({
    securityRequirements: both,
    skills: [{ securityRequirements: [asks('id.password')] }],
  });
});

test('a list with too many combinations is rejected with its path', () => {
  const { securitySchemes, ...rest } = toTagged(secured([], [], [asks('id'), asks('id.password')]), V03);
  const decoder = new Decoder('response', { limits: { maxItems: 1 } });

  fromTagged(decoder, { securitySchemes: securitySchemes ?? {}, ...rest });
  expect(() => decoder.finish()).toThrow('skills[1].security: expected requirements with at most 1 alternatives');
});

const someRequirement = fc
  .uniqueArray(fc.constantFrom(...Object.keys(SCHEMES), 'nowhere'))
  .map((names) => asks(...names));

test.each([V03, V02])('encoding and decoding $version never adds an alternative', (features) => {
  fc.assert(
    fc.property(
      fc.array(someRequirement, { maxLength: 5 }),
      fc.array(someRequirement, { maxLength: 3 }),
      (own, skill) => {
        let written;
        try {
          written = toTagged(secured(own, skill), features);
        } catch {
          expect(own.length).toBeGreaterThan(0);
          return;
        }
        const { securityRequirements = [], skills } = fromTagged(new Decoder('response'), written);

        if (own.length > 0) expect(securityRequirements).not.toEqual([]);
        for (const way of securityRequirements) expect(own).toContainEqual(way);
        if (!features.skillSecurity || skills[0] === undefined) return;
        if (skill.length > 0) expect(skills[0].securityRequirements).not.toEqual([]);
        for (const way of skills[0].securityRequirements ?? []) expect(skill).toContainEqual(way);
      },
    ),
  );
});
