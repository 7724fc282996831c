import { FlattenedSign, base64url } from 'jose';
import { expect, test, vi } from 'vitest';
import {
  CARD,
  foreignSignature,
  newSigner,
  onTheWire,
  signatureOf,
  signCard,
} from '../../../test/helpers/card-signer.ts';
import { verifies } from '../../../test/helpers/verifies.ts';
import { canonicalPayload } from './signing/canonical-card.ts';
import type { CardKeys, CardSignatureHeader } from './card-signature-key.ts';
import { verifyCard } from './signing/card-signature.ts';

const a = await newSigner('ES256', 'a');
const b = await newSigner('EdDSA', 'b');

const signed = await signCard(CARD, a);
const wire = onTheWire(signed);
const { signatures: _, ...unsigned } = wire;

const refusal = (reason: string | RegExp) => ({
  code: 'INVALID_AGENT_RESPONSE',
  message: expect.stringMatching(reason) as string,
});

test.each([
  ['it is not an object', null],
  ['it is not an object', [wire]],
  ['it has no signature', unsigned],
  ['it has no signature', { ...wire, signatures: [] }],
  ['it has no signature', { ...wire, signatures: {} }],
])('a document is not a signed card: %s', async (reason, json) => {
  await expect(verifyCard(json, a.trust)).rejects.toMatchObject(refusal(`could not be verified: ${reason}$`));
});

const encode = (header: unknown): string => base64url.encode(JSON.stringify(header));
const { signature: bytes } = signatureOf(signed);

test.each([
  ['expected the strings protected and signature', {}],
  ['expected the strings protected and signature', 'x'],
  ['expected header to be an object', { ...signatureOf(signed), header: 'x' }],
  ['Invalid Token or Protected Header formatting', { protected: '%', signature: bytes }],
  ['Invalid Token or Protected Header formatting', { protected: base64url.encode('[]'), signature: bytes }],
  ['has no alg', { protected: encode({ kid: 'a' }), signature: bytes }],
  ['has no alg', { protected: encode({ kid: 'a' }), signature: bytes, header: { alg: 'ES256' } }],
  ['has no kid', { protected: encode({ alg: 'ES256' }), signature: bytes }],
  ['has no kid', { protected: encode({ alg: 'ES256', kid: 7 }), signature: bytes, header: { kid: 'a' } }],
  ['\\(kid "a", alg "none"\\): this algorithm is not', { protected: encode({ alg: 'none', kid: 'a' }), signature: '' }],
  ['"HS256"\\): this algorithm is not accepted', { protected: encode({ alg: 'HS256', kid: 'a' }), signature: bytes }],
  ['\\(kid "z", .*no trusted key has this kid', { protected: encode({ alg: 'ES256', kid: 'z' }), signature: bytes }],
  ['no applicable key found', { protected: encode({ alg: 'RS256', kid: 'a' }), signature: bytes }],
  ['must be disjoint', { ...signatureOf(signed), header: { kid: 'z' } }],
  ['MUST be integrity protected', { ...signatureOf(signed), header: { crit: ['exp'], exp: 1 } }],
])(verifies('J-05', 'a signature is skipped with the reason: %s'), async (reason, signature) => {
  const error = refusal(`^The agent card could not be verified: signature 1.*${reason}`);
  await expect(verifyCard({ ...wire, signatures: [signature] }, a.trust)).rejects.toMatchObject(error);
});

test('a header with an unknown critical extension is rejected although its signature is valid', async () => {
  const header = { alg: 'ES256', kid: 'a', crit: ['urn:x'], 'urn:x': 1 };
  const card = { ...wire, signatures: [await foreignSignature(wire, header, a.key)] };
  await expect(verifyCard(card, a.trust)).rejects.toMatchObject(refusal('"urn:x" is not recognized'));
});

test('a signature over an unencoded payload (RFC 7797) does not verify', async () => {
  // With b64: false the signed text is the base64url text itself, which is not a card.
  const header = { alg: 'ES256', kid: 'a', b64: false, crit: ['b64'] };
  const text = new TextEncoder().encode(base64url.encode(await canonicalPayload(wire)));
  const { protected: encoded = '', signature } = await new FlattenedSign(text).setProtectedHeader(header).sign(a.key);
  const card = { ...wire, signatures: [{ protected: encoded, signature }] };
  await expect(verifyCard(card, a.trust)).rejects.toMatchObject(refusal('not valid JSON'));
});

test('the error names every signature and its failure, and quotes and truncates foreign text', async () => {
  const kid = '"; signature 9: ok\n'.padEnd(200, 'k');
  const signatures = [
    signatureOf(await signCard(CARD, { ...a, kid })),
    signatureOf(await signCard({ ...CARD, name: 'x' }, a)),
  ];
  const quoted = JSON.stringify(kid.slice(0, 64)).replaceAll('\\', '\\\\');
  const error = refusal(
    `verified: signature 1 \\(kid ${quoted}, alg "ES256"\\): no trusted key has this kid; ` +
      'signature 2 \\(kid "a", alg "ES256"\\): signature verification failed$',
  );
  await expect(verifyCard({ ...wire, signatures }, a.trust)).rejects.toMatchObject(error);
});

test('only the first 16 signatures are tried', async () => {
  const keys = vi.fn<Extract<CardKeys, (...args: never) => unknown>>(() => undefined);
  const signatures = Array.from({ length: 1000 }, () => signatureOf(signed));
  await expect(verifyCard({ ...wire, signatures }, { keys })).rejects.toMatchObject(
    refusal('; 984 more were not checked$'),
  );
  expect(keys).toHaveBeenCalledTimes(16);
});

test('a key function gets the protected header, jku included, and decides', async () => {
  const jku = 'https://w.example/jwks.json';
  const seen: CardSignatureHeader[] = [];
  const card = onTheWire(await signCard(CARD, { ...a, jku }));
  const keys = async (header: CardSignatureHeader) => {
    seen.push(header);
    return header.jku === jku ? a.jwk : undefined;
  };
  await expect(verifyCard(card, { keys })).resolves.toMatchObject({ kid: 'a' });
  expect(seen).toEqual([{ alg: 'ES256', kid: 'a', typ: 'JOSE', jku }]);
  await expect(verifyCard(wire, { keys })).rejects.toMatchObject(refusal('no trusted key has this kid'));
});

test('a key function that fails for one signature does not affect the others', async () => {
  const twice = onTheWire(await signCard(signed, b));
  const keys = ({ kid }: CardSignatureHeader) => {
    if (kid === 'a') throw new Error('key server is down');
    return b.jwk;
  };
  await expect(verifyCard(twice, { keys })).resolves.toMatchObject({ kid: 'b' });
  await expect(verifyCard(wire, { keys })).rejects.toMatchObject(refusal('key server is down'));
});

test('neither the key of another kid nor another key with the same kid verifies', async () => {
  await expect(verifyCard(wire, b.trust)).rejects.toMatchObject(refusal('no trusted key has this kid'));
  const { trust } = await newSigner('ES256', 'a');
  await expect(verifyCard(wire, trust)).rejects.toMatchObject(refusal('signature verification failed'));
});

const SECOND = 1_800_000_000;

test.each([
  ['the key has expired', { exp: SECOND }],
  ['the key has expired', { exp: 'never' }],
  ['the key is not valid yet', { nbf: SECOND + 1 }],
  ['the key was revoked', { revoked: { revoked_at: SECOND } }],
])('a signature does not verify because %s: %j', async (reason, members) => {
  const now = () => SECOND * 1000;
  const retired = { ...a.jwk, ...members };
  await expect(verifyCard(wire, { keys: { keys: [retired] }, now })).rejects.toMatchObject(refusal(`${reason}$`));
  await expect(verifyCard(wire, { keys: () => retired, now })).rejects.toMatchObject(refusal(`${reason}$`));
  await expect(verifyCard(wire, { keys: { keys: [retired, a.jwk] }, now })).resolves.toMatchObject({ kid: 'a' });
});

test('a key is used within its validity period', async () => {
  const alive = { ...a.jwk, exp: SECOND + 1, nbf: SECOND };
  const now = () => SECOND * 1000;
  await expect(verifyCard(wire, { keys: { keys: [alive] }, now })).resolves.toMatchObject({ kid: 'a' });
  await expect(verifyCard(wire, { keys: () => alive, now })).resolves.toMatchObject({ kid: 'a' });
});

test('a MAC is accepted only if its algorithm is allowed, and a public key is never used as its secret', async () => {
  const secret = new TextEncoder().encode('0123456789abcdef0123456789abcdef');
  const signature = await foreignSignature(unsigned, { alg: 'HS256', kid: 'a' }, secret);
  const card = { ...unsigned, signatures: [signature] };
  await expect(verifyCard(card, { keys: () => secret })).rejects.toMatchObject(refusal('not accepted'));
  const allowed = { algorithms: ['HS256'] };
  await expect(verifyCard(card, { ...allowed, keys: () => secret })).resolves.toMatchObject({ alg: 'HS256' });
  await expect(verifyCard(card, { ...allowed, keys: () => a.jwk })).rejects.toMatchObject(refusal('symmetric'));
  await expect(verifyCard(wire, { ...allowed, ...a.trust })).rejects.toMatchObject(refusal('not accepted'));
});
