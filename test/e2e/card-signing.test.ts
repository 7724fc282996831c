/** Signed agent cards: signed once, and valid for every way in which clients verify (1.0 §8.4, docs/adr/0002-default-card.md). */
import { exportJWK, exportPKCS8, FlattenedSign, generateKeyPair, type JWK } from 'jose';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createHandler } from '../../src/server/handler.ts';
import { canonicalPayload, type CardVariant } from '../../src/wire/card/signing/canonical-card.ts';
import { verifyCard } from '../../src/wire/card/signing/card-signature.ts';
import { newSigner, type Signer } from '../helpers/card-signer.ts';
import { verifies } from '../helpers/verifies.ts';
import { as, knownCallers } from './kit/callers.ts';
import type { Ask } from './kit/exchange.ts';
import { scripted } from './kit/script.ts';
import { startServer } from './kit/server.ts';
import { rpc } from './kit/wire-formats/rpc.ts';

const ann = await newSigner('ES256', 'old');
const next = await newSigner('EdDSA', 'new');

const keyOf = ({ key, kid, alg }: Signer) => ({ privateKey: key, kid, alg });

const card = (version?: string): Ask => ({
  method: 'GET',
  path: '/.well-known/agent-card.json',
  headers: version === undefined ? {} : { 'a2a-version': version },
});

const FORMS: readonly { readonly name: string; readonly ask: Ask; readonly variants: readonly CardVariant[] }[] = [
  { name: '1.0', ask: card('1.0'), variants: ['spec', 'pruned', 'unknown-kept'] },
  { name: '1.0 and 0.3 in one', ask: card(), variants: ['spec', 'pruned', 'unknown-kept', 'pruned-unknown-kept'] },
  { name: '0.3', ask: card('0.3'), variants: ['unknown-kept', 'pruned-unknown-kept'] },
];

describe.each(FORMS)('the signed card in the form $name', ({ ask: request, variants }) => {
  test(verifies('J-10', 'is verified with either of its two keys, and not after a change'), async () => {
    const { ask } = await startServer({ cardSigning: { keys: [keyOf(ann), keyOf(next)] } });
    const { json } = await ask(request);
    await expect(verifyCard(json, ann.trust)).resolves.toMatchObject({ kid: 'old', alg: 'ES256' });
    await expect(verifyCard(json, next.trust)).resolves.toMatchObject({ kid: 'new', alg: 'EdDSA' });
    const forged = { ...(json as JsonObject), name: 'Somebody else' };
    await expect(verifyCard(forged, ann.trust)).rejects.toThrow('could not be verified');
  });

  test.each(variants)('has a valid signature for a client that verifies the variant %s', async (variant) => {
    const { ask } = await startServer({ cardSigning: { keys: [keyOf(next)] } });
    const { json } = await ask(request);
    const { signatures } = json as {
      signatures: readonly { readonly protected: string; readonly signature: string }[];
    };
    // EdDSA signatures are deterministic.
    const payload = new TextEncoder().encode(await canonicalPayload(json as JsonObject, variant));
    const header = { alg: 'EdDSA', typ: 'JOSE', kid: 'new' };
    const { signature } = await new FlattenedSign(payload).setProtectedHeader(header).sign(next.key);
    expect(signatures.map((each) => each.signature)).toContain(signature);
  });
});

test('the card of 0.2 has no signatures', async () => {
  const { ask } = await startServer({ cardSigning: { keys: [keyOf(ann)] } });
  const { status, json } = await ask({ method: 'GET', path: '/.well-known/agent.json' });
  expect(status).toBe(200);
  expect(json).not.toHaveProperty('signatures');
});

test('a card is signed once for all requests', async () => {
  const { ask } = await startServer({ cardSigning: { keys: [keyOf(ann)] } });
  // ES256 signatures differ each time, so that equal texts prove one signature.
  const [first, ...others] = await Promise.all([ask(card()), ask(card()), ask(card()), ask(card('1.0'))]);
  expect(others[0]?.text).toBe(first?.text);
  expect(others[1]?.text).toBe(first?.text);
  const again = await ask(card('1.0'));
  expect(again.text).toBe(others[2]?.text);
  const known = { ...card('1.0'), headers: { 'a2a-version': '1.0', 'if-none-match': again.headers['etag'] ?? '' } };
  expect((await ask(known)).status).toBe(304);
});

test('an extended card is signed, and only once as long as its content is the same', async () => {
  const { ask } = await startServer({
    cardSigning: { keys: [keyOf(ann)] },
    auth: knownCallers({ id: 'ann', isVerified: true }, { id: 'bob', isVerified: true }),
    extendedCard: (caller) => (caller.id === 'ann' ? { name: 'Of Ann' } : {}),
  });
  for (const request of [rpc('1.0', 'GetExtendedAgentCard', {}), rpc('0.3', 'agent/getAuthenticatedExtendedCard')]) {
    const first = await ask(as('ann', request));
    expect((await ask(as('ann', request))).text).toBe(first.text);
    const { result } = first.json as { result: JsonObject };
    expect(result['name']).toBe('Of Ann');
    await expect(verifyCard(result, ann.trust)).resolves.toMatchObject({ kid: 'old' });
    expect((await ask(as('bob', request))).text).not.toBe(first.text);
  }
});

test.each(['JWK', 'PKCS#8'])('a key can be a %s, and its jku is in the header of the signature', async (kind) => {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const key = kind === 'JWK' ? await exportJWK(privateKey) : await exportPKCS8(privateKey);
  const jku = 'https://example.com/jwks.json';
  const { ask } = await startServer({ cardSigning: { keys: [{ kid: 'k', alg: 'RS256', privateKey: key, jku }] } });
  const { json } = await ask(card());
  const keys = vi.fn<() => Promise<JWK>>(async () => exportJWK(publicKey));
  await expect(verifyCard(json, { keys })).resolves.toMatchObject({ kid: 'k' });
  expect(keys).toHaveBeenCalledWith({ alg: 'RS256', kid: 'k', typ: 'JOSE', jku });
});

const SECRET = 'c2VjcmV0LXNlY3JldA';

test('a key that cannot sign fails at start with its kid and without its private part', async () => {
  const privateKey = { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA', d: SECRET };
  const handler = createHandler(scripted().agent, {
    publicUrl: 'https://example.com',
    cardSigning: { keys: [{ kid: 'k', alg: 'ES256', privateKey }] },
  });
  onTestFinished(() => handler.close());
  const failure = await handler.start().catch((error: unknown) => error as Error);
  expect(failure).toMatchObject({ message: 'cardSigning: the key "k" cannot sign with ES256' });
  expect(JSON.stringify(failure)).not.toContain(SECRET);
});

const KEY = { kid: 'k', alg: 'ES256', privateKey: { kty: 'EC', d: SECRET } };

test.each([
  ['an empty list of keys', { keys: [] }, 'cardSigning.keys: must contain at least one key'],
  ['keys that are not an array', { keys: KEY }, 'cardSigning.keys: expected an array of keys'],
  ['a symmetric algorithm', { keys: [{ ...KEY, alg: 'HS256' }] }, 'cardSigning.keys[0].alg: expected one of ES256'],
  ['two keys with one kid', { keys: [KEY, KEY] }, 'cardSigning.keys[1].kid: is used by another key'],
  ['a public key', { keys: [{ ...KEY, privateKey: { kty: 'EC' } }] }, 'privateKey: is a public key'],
  ['a text that is not PKCS#8', { keys: [{ ...KEY, privateKey: SECRET }] }, 'privateKey: expected PKCS#8 text'],
  ['a number as the key', { keys: [{ ...KEY, privateKey: 7 }] }, 'privateKey: expected a JWK or PKCS#8 text'],
  ['an unknown option', { keys: [KEY], algorithm: 1 }, 'cardSigning.algorithm: is not an option'],
])('cardSigning with %s is rejected', (_, cardSigning, problem) => {
  const { agent } = scripted();
  const make = (): unknown => createHandler(agent, { publicUrl: 'https://a.example', cardSigning } as never);
  expect(make).toThrow(problem);
  expect(make).not.toThrow(SECRET);
});

test('cardSigning requires publicUrl, because a request can forge the other addresses', async () => {
  const { agent } = scripted();
  expect(() => createHandler(agent, { cardSigning: { keys: [KEY] } })).toThrow('cardSigning: requires publicUrl');
  await expect(startServer({ trustProxy: true, cardSigning: { keys: [KEY] } })).rejects.toThrow(
    'cardSigning: requires publicUrl',
  );
});
