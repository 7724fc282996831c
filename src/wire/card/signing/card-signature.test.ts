import fc from 'fast-check';
import { base64url } from 'jose';
import { expect, test, vi } from 'vitest';
import {
  CARD,
  SPARSE_CARD,
  foreignSignature,
  newSigner,
  onTheWire,
  signatureOf,
  signCard,
} from '../../../../test/helpers/card-signer.ts';
import { verifies } from '../../../../test/helpers/verifies.ts';
import type { AgentCard, AgentCardSignature } from '../../../model/card.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import { canonicalPayload } from './canonical-card.ts';
import { verifyCard } from './card-signature.ts';
import sdk from './fixtures/sdk-signed-card.json' with { type: 'json' };
import vector from './fixtures/vector-card.json' with { type: 'json' };
import { Decoder } from '../../decoder.ts';
import { card as cardCodec } from '../../v1/card.ts';

const a = await newSigner('ES256', 'a');
const b = await newSigner('EdDSA', 'b');

const signed = await signCard(CARD, a);
const wire = onTheWire(signed);
const { signatures: _, ...unsigned } = wire;

const refusal = (reason: string | RegExp) => ({
  code: 'INVALID_AGENT_RESPONSE',
  message: expect.stringMatching(reason) as string,
});

const headerOf = (signature: AgentCardSignature): unknown =>
  JSON.parse(new TextDecoder().decode(base64url.decode(signature.protected)));

test(verifies(['J-01', 'J-02'], 'the vector verifies with the key of RFC 8037'), async () => {
  const card = { ...vector.card, signatures: [vector.signature] };
  const verified = await verifyCard(card, { keys: { keys: [vector.publicKey] } });
  expect(verified).toEqual({
    card: JSON.parse(vector.payload) as unknown,
    variant: 'spec',
    kid: 'test-1',
    alg: 'EdDSA',
    signature: vector.signature,
  });
});

test(
  verifies(['J-01', 'J-02', 'J-05'], 'signing the vector gives its protected header and its signature, byte for byte'),
  async () => {
    const once = { ...vector.card, signatures: [vector.signature] } as unknown as AgentCard;
    const twice = await signCard(once, { key: vector.privateKey, alg: 'EdDSA', kid: 'test-1' });
    expect(twice).toEqual({ ...vector.card, signatures: [vector.signature, vector.signature] });
  },
);

test.each(['ES256', 'ES384', 'EdDSA', 'RS256', 'PS256'])(
  verifies('J-01', 'a card signed with %s verifies'),
  async (alg) => {
    const { trust, ...signer } = await newSigner(alg, 'k');
    const verified = await verifyCard(onTheWire(await signCard(CARD, signer)), trust);
    expect(verified).toMatchObject({ variant: 'spec', kid: 'k', alg });
    expect(cardCodec.decode(new Decoder('response', { strict: true }), verified.card)).toEqual(CARD);
  },
);

test(verifies('J-05', 'the protected header names alg, kid and typ, and jku if there is one'), async () => {
  expect(headerOf(signatureOf(signed))).toEqual({ alg: 'ES256', typ: 'JOSE', kid: 'a' });
  const jku = 'https://w.example/jwks.json';
  expect(headerOf(signatureOf(await signCard(CARD, { ...a, jku })))).toEqual({
    alg: 'ES256',
    typ: 'JOSE',
    kid: 'a',
    jku,
  });
});

test.each([
  ['none', 'a', /^Cards cannot be signed with none; use one of ES256/],
  ['HS256', 'a', /^Cards cannot be signed with HS256/],
  ['ES256', '', /needs a kid/],
])(verifies('J-05', 'signing with alg %j and kid %j throws'), async (alg, kid, message) => {
  await expect(signCard(CARD, { key: a.key, alg, kid })).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringMatching(message) as string,
  });
});

test('a card with a lone surrogate is not signed, and does not verify', async () => {
  const surrogate = { ...CARD, name: 'a\uD800' };
  await expect(signCard(surrogate, a)).rejects.toMatchObject({
    code: 'INVALID_PARAMS',
    message: expect.stringContaining('Lone surrogate') as string,
  });
  const received = { ...wire, name: 'a\uD800' };
  await expect(verifyCard(received, a.trust)).rejects.toMatchObject(refusal(/Lone surrogate is not allowed$/));
});

test('a lone surrogate in an unknown member does not break a signature', async () => {
  await expect(verifyCard({ ...wire, extra: '\uD800' }, a.trust)).resolves.toMatchObject({
    variant: 'spec',
    card: unsigned,
  });
});

test('a second signature keeps the first valid', async () => {
  const twice = await signCard(signed, b);
  expect(twice.signatures).toHaveLength(2);
  expect(signatureOf(twice)).toEqual(signatureOf(signed));
  await expect(verifyCard(onTheWire(twice), a.trust)).resolves.toMatchObject({ kid: 'a', alg: 'ES256' });
  await expect(verifyCard(onTheWire(twice), b.trust)).resolves.toMatchObject({ kid: 'b', alg: 'EdDSA' });
});

test('a signature over another form stays valid after a second signature', async () => {
  const foreign = { ...unsigned, documentationUrl: '', extra: 1 };
  const signature = await foreignSignature(foreign, { alg: 'ES256', kid: 'a' }, a.key, 'unknown-kept');
  const twice = await signCard({ ...foreign, signatures: [signature] } as unknown as AgentCard, b);
  await expect(verifyCard(twice, a.trust)).resolves.toMatchObject({ variant: 'unknown-kept', card: foreign });
  await expect(verifyCard(twice, b.trust)).resolves.toMatchObject({ variant: 'spec' });
});

test(verifies('J-04', 'reordering, adding or losing other signatures changes nothing'), async () => {
  const twice = onTheWire(await signCard(signed, b));
  const [first, second] = twice['signatures'] as JsonObject[];
  for (const signatures of [[second, first], [{}, first], [first]]) {
    await expect(verifyCard({ ...twice, signatures }, a.trust)).resolves.toMatchObject({ kid: 'a', card: unsigned });
  }
});

test('a card verifies if one of several signatures is valid', async () => {
  const broken = { ...signatureOf(signed), signature: signatureOf(await signCard(CARD, b)).signature };
  const signatures = [null, 'x', { protected: 1 }, broken, signatureOf(signed)] as unknown as JsonValue;
  await expect(verifyCard({ ...wire, signatures }, a.trust)).resolves.toMatchObject({ kid: 'a', card: unsigned });
});

test('the returned card verifies again with the signature that was verified', async () => {
  const { card, signature } = await verifyCard({ ...wire, extra: 1 }, a.trust);
  await expect(verifyCard({ ...card, signatures: [signature] }, a.trust)).resolves.toMatchObject({ card, signature });
});

/** The card once for every leaf, with another value at that leaf. */
function* tampered(json: JsonValue, path = 'card'): Generator<[string, JsonValue]> {
  if (typeof json !== 'object' || json === null) {
    yield [path, typeof json === 'boolean' ? !json : typeof json === 'number' ? json + 1 : `${String(json)}x`];
    return;
  }
  for (const [key, value] of Object.entries(json)) {
    for (const [where, other] of tampered(value, `${path}.${key}`)) {
      const copy = structuredClone(json) as Record<string, JsonValue>;
      copy[key] = other;
      yield [where, copy];
    }
    if (Array.isArray(json)) continue;
    const { [key]: _gone, ...without } = json as JsonObject;
    yield [`${path}.${key} (gone)`, without];
  }
}

test.each([...tampered(unsigned)])('a card whose %s was changed does not verify', async (_path, card) => {
  const received = { ...(card as JsonObject), signatures: wire['signatures'] ?? [] };
  await expect(verifyCard(received, a.trust)).rejects.toMatchObject(refusal('signature verification failed'));
});

test('an empty requirement added after signing is not returned', async () => {
  const pruned = await signCard(CARD, { ...a, variant: 'pruned' });
  const requirements = CARD.securityRequirements as unknown as JsonValue[];
  const received = { ...onTheWire(pruned), securityRequirements: [{}, ...requirements] };
  const verified = await verifyCard(received, a.trust);
  expect(verified.variant).toBe('pruned');
  expect(verified.card['securityRequirements']).toEqual(requirements);
});

test('unknown members added after signing are not returned', async () => {
  const skill = { ...CARD.skills[0], url: 'https://evil.example' } as unknown as JsonObject;
  const received = { ...wire, url: 'https://evil.example', supported_interfaces: [], skills: [skill] };
  const verified = await verifyCard(received, a.trust);
  expect(verified.variant).toBe('spec');
  expect(verified.card).toEqual(unsigned);
});

test.each([
  ['spec', SPARSE_CARD, { tenant: '' }],
  ['unknown-kept', SPARSE_CARD, { extra: { list: [] } }],
  ['pruned', SPARSE_CARD, {}],
  ['pruned-unknown-kept', SPARSE_CARD, { extra: { list: [1] }, other: {} }],
] as const)('a card signed in the %s form verifies in that form', async (variant, card, more) => {
  const json = { ...onTheWire(card), ...more };
  const signature = await foreignSignature(json, { alg: 'ES256', kid: 'a', typ: 'JOSE' }, a.key, variant);
  const verified = await verifyCard({ ...json, signatures: [signature] }, a.trust);
  expect(verified.variant).toBe(variant);
  expect(JSON.stringify(verified.card)).toBe(await canonicalPayload(json, variant));
});

test('a card signed by the reference SDK verifies as pruned', async () => {
  const verified = await verifyCard(sdk.card, { keys: { keys: [sdk.publicKey] } });
  expect(verified).toMatchObject({ variant: 'pruned', kid: 'k1', alg: 'ES256' });
  expect(verified.card).toEqual(JSON.parse(sdk.payload));
});

test('a card with empty values can be signed in both forms, and the official one is preferred', async () => {
  const pruned = await signCard(SPARSE_CARD, { ...a, variant: 'pruned' });
  const both = onTheWire(await signCard(pruned, a));
  const verified = await verifyCard(both, a.trust);
  expect(verified.variant).toBe('spec');
  expect(cardCodec.decode(new Decoder('response', { strict: true }), verified.card)).toEqual(SPARSE_CARD);
});

test('neither jose nor canonicalize is loaded before the first use', async () => {
  const loaded: string[] = [];
  vi.resetModules();
  for (const name of ['jose', 'canonicalize']) {
    vi.doMock(name, async (original) => {
      loaded.push(name);
      return original();
    });
  }
  try {
    const fresh = await import('./card-signature.ts');
    expect(loaded).toEqual([]);
    await fresh.verifyCard(wire, a.trust);
    expect(loaded.toSorted()).toEqual(['canonicalize', 'jose']);
  } finally {
    vi.doUnmock('jose');
    vi.doUnmock('canonicalize');
    vi.resetModules();
  }
});

const text = fc.string({ unit: 'binary', maxLength: 12 });
const texts = fc.array(text, { maxLength: 3 });
const scopes = fc.dictionary(text, text, { maxKeys: 3 });
const optionally = (members: Record<string, fc.Arbitrary<unknown>>) => fc.record(members, { requiredKeys: [] });
const requirements = fc.array(
  fc.record({ schemes: fc.dictionary(text, optionally({ list: texts }), { maxKeys: 2 }) }),
  { maxLength: 2 },
);
const flow = optionally({
  authorizationUrl: text,
  tokenUrl: text,
  refreshUrl: text,
  scopes,
  pkceRequired: fc.boolean(),
});
const scheme = fc.oneof(
  fc.record({ apiKeySecurityScheme: fc.record({ description: text, location: text, name: text }) }),
  fc.record({ mtlsSecurityScheme: optionally({ description: text }) }),
  fc.record({ oauth2SecurityScheme: fc.record({ flows: fc.record({ authorizationCode: flow }) }) }),
  fc.record({ oauth2SecurityScheme: fc.record({ flows: fc.record({ implicit: flow }) }) }),
);
const anyCard = fc.record(
  {
    name: text,
    description: text,
    supportedInterfaces: fc.array(
      fc.record({ url: text, protocolBinding: text, protocolVersion: text, tenant: text }),
      { maxLength: 2 },
    ),
    provider: fc.record({ url: text, organization: text }),
    version: text,
    documentationUrl: text,
    capabilities: optionally({
      streaming: fc.boolean(),
      extensions: fc.array(
        fc.record({ uri: text, required: fc.boolean(), params: fc.dictionary(text, fc.jsonValue()) }),
        {
          maxLength: 2,
        },
      ),
    }),
    securitySchemes: fc.dictionary(text, scheme, { maxKeys: 3 }),
    securityRequirements: requirements,
    defaultInputModes: texts,
    defaultOutputModes: texts,
    skills: fc.array(
      fc.record({ id: text, name: text, description: text, tags: texts, securityRequirements: requirements }),
      {
        maxLength: 2,
      },
    ),
    iconUrl: text,
    somethingNew: fc.jsonValue(),
  },
  { requiredKeys: ['name', 'description', 'supportedInterfaces', 'version', 'capabilities', 'skills'] },
) as unknown as fc.Arbitrary<AgentCard>;

test('any card verifies after signing and is returned complete', async () => {
  await fc.assert(
    fc.asyncProperty(anyCard, async (card) => {
      const { signatures, ...content } = await signCard(card, b);
      const verified = await verifyCard(JSON.parse(JSON.stringify({ ...content, signatures })), b.trust);
      expect(verified.variant).toBe('spec');
      expect(verified.card).toEqual(content);
    }),
    { numRuns: 100 },
  );
});

test('verification of any document fails only with INVALID_AGENT_RESPONSE', async () => {
  const signatures = fc.array(
    fc.oneof(fc.jsonValue(), optionally({ protected: text, signature: text, header: fc.jsonValue() })),
  );
  const document = fc.oneof(fc.jsonValue(), fc.record({ name: fc.jsonValue(), signatures }));
  await fc.assert(
    fc.asyncProperty(document, async (json) => {
      await expect(verifyCard(json, a.trust)).rejects.toMatchObject({
        name: 'A2AError',
        code: 'INVALID_AGENT_RESPONSE',
      });
    }),
    { numRuns: 200 },
  );
});
