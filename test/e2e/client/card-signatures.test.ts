/** Cards that are believed only if somebody whom the user trusts has signed them. */
import { beforeAll, expect, test } from 'vitest';

import type { CardTrust } from '../../../src/client/card/card-trust.ts';
import { connect } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import type { AgentCard } from '../../../src/model/card.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { signCard } from '../../../src/wire/card/signing/card-signature.ts';
import { foreignSignature, newSigner, onTheWire, type Signer } from '../../helpers/card-signer.ts';
import { verifies } from '../../helpers/verifies.ts';
import { connected } from './kit.ts';
import { cardAt, json, type Peer, result, startPeer, task } from './peer.ts';

let friend: Signer;
let stranger: Signer;

beforeAll(async () => {
  [friend, stranger] = await Promise.all([newSigner('ES256', 'friend'), newSigner('ES256', 'stranger')]);
});

type Sign = (card: AgentCard) => Promise<JsonObject>;

const signedBy =
  (signer: () => Signer, jku?: string): Sign =>
  async (card) => {
    const { key, alg, kid } = signer();
    return onTheWire(await signCard(card, { key, alg, kid, ...(jku !== undefined && { jku }) }));
  };

const byFriend = signedBy(() => friend);

/** An agent whose card is made by the given function. */
function startSigned(sign: Sign): Promise<Peer> {
  return startPeer((_got, response) => result(response, { task: task() }), {
    card: async (_got, response, { url }) => json(response, await sign(cardAt(url))),
  });
}

const keys = (more: object = {}): CardTrust => ({ keys: { keys: [{ ...friend.jwk, ...more }] } });

test(verifies(['J-06', 'J-07'], 'a card that a trusted key has signed is used, as it was signed'), async () => {
  const { url } = await startSigned(async (card) => ({ ...(await byFriend(card)), unsigned: 'by whoever' }));
  const agent = await connected(url, { verifyCard: keys() });
  expect(agent.card).toMatchObject({ name: 'Peer', signatures: [{ protected: expect.any(String) }] });
  expect((await agent.send('hi')).state).toBe('completed');
});

test(verifies(['J-06', 'J-07'], 'of several signatures one has to hold'), async () => {
  const { url } = await startSigned(async (card) => {
    const once = await signCard(card, stranger);
    return onTheWire(await signCard(once, friend));
  });
  const agent = await connected(url, { verifyCard: keys() });
  expect(agent.card.signatures).toHaveLength(1);
});

test('a signature over another form is told of', async () => {
  const { url } = await startSigned(async (card) => {
    const sparse = onTheWire({ ...card, description: '' });
    const { key, alg, kid } = friend;
    return { ...sparse, signatures: [await foreignSignature(sparse, { alg, kid }, key, 'pruned')] };
  });
  const agent = await connected(url, { verifyCard: keys() });
  expect(agent.warnings.map(({ code }) => code)).toContain('card-signature-form');
});

const altered: Sign = async (card) => ({ ...(await byFriend(card)), description: 'Another one.' });
const unsigned: Sign = async (card) => onTheWire(card);

test.each<[string, Sign, () => CardTrust, RegExp]>([
  ['was altered', altered, keys, /signature verification failed/],
  ['is signed by a stranger', signedBy(() => stranger), keys, /no trusted key has this kid/],
  ['claims the key of a friend', signedBy(() => ({ ...stranger, kid: 'friend' })), keys, /verification failed/],
  ['is not signed', unsigned, keys, /it has no signature/],
  ['is altered, if signed', altered, () => ({ ...keys(), mode: 'if-signed' }), /verification failed/],
  ['is signed, where nobody is trusted', byFriend, () => ({}), /no trusted key has this kid/],
])(verifies('J-07', 'a card that %s is refused'), async (_case, sign, verifyCard, why) => {
  const peer = await startSigned(sign);
  await expect(connect(peer.url, { verifyCard: verifyCard() })).rejects.toMatchObject({
    code: 'INVALID_AGENT_RESPONSE',
    message: expect.stringMatching(why),
  });
  expect(peer.got).toEqual([]);
});

test.each([
  ['expired', { exp: 1 }, /the key has expired/],
  ['revoked', { revoked: { revoked_at: 1 } }, /the key was revoked/],
  ['not valid yet', { nbf: 2 ** 40 }, /the key is not valid yet/],
])(verifies('J-09', 'a key that is %s is not used'), async (_case, more, why) => {
  const { url } = await startSigned(byFriend);
  await expect(connect(url, { verifyCard: keys(more) })).rejects.toThrow(why);
  const found = { keys: () => ({ ...friend.jwk, ...more }) };
  await expect(connect(url, { verifyCard: found })).rejects.toThrow(why);
});

test('a card without a signature is believed if only signed ones are looked at', async () => {
  const { url } = await startSigned(unsigned);
  const agent = await connected(url, { verifyCard: { ...keys(), mode: 'if-signed' } });
  expect(agent.card.name).toBe('Peer');
});

const ORIGIN = 'https://keys.example';

/** Requests for keys are answered here, and told; all others go out. */
function keyServer(answer: () => Response, asked: string[]): ConnectOptions {
  return {
    headers: { 'x-secret': 'mine' },
    fetch: async (request) => {
      if (!new URL(request.url).hostname.startsWith('keys')) return fetch(request);
      asked.push(`${request.url} ${request.headers.get('x-secret')}`);
      return answer();
    },
  };
}

const keySet = (): Response => Response.json({ keys: [friend.jwk] });

test(verifies('J-08', 'keys are fetched from an origin that was named, over https'), async () => {
  const { url } = await startSigned(signedBy(() => friend, `${ORIGIN}/jwks.json`));
  const asked: string[] = [];
  const agent = await connected(url, { ...keyServer(keySet, asked), verifyCard: { keyOrigins: [ORIGIN] } });
  expect(agent.card.signatures).toHaveLength(1);
  expect(asked).toEqual([`${ORIGIN}/jwks.json null`]);
});

test.each<[string, string, number, () => Response, RegExp]>([
  ['without https', 'http://keys.example/jwks.json', 0, keySet, /does not use https/],
  ['elsewhere', 'https://keys.other.example/jwks.json', 0, keySet, /not in keyOrigins/],
  ['at no address', 'keys', 0, keySet, /not a URL/],
  [
    'behind a redirect',
    `${ORIGIN}/jwks.json`,
    1,
    () => Response.redirect('https://keys.other.example/', 302),
    /redirects/,
  ],
  [
    'nowhere',
    `${ORIGIN}/jwks.json`,
    1,
    () => new Response('', { status: 404 }),
    /its jku responded with 404 and without a key set/,
  ],
  ['in a page', `${ORIGIN}/jwks.json`, 1, () => new Response('<html>'), /without a key set/],
  [
    'expired',
    `${ORIGIN}/jwks.json`,
    1,
    () => Response.json({ keys: [{ ...friend.jwk, exp: 1 }] }),
    /the key has expired/,
  ],
])(verifies(['J-08', 'J-09'], 'keys %s are not used'), async (_where, jku, fetches, answer, why) => {
  const { url } = await startSigned(signedBy(() => friend, jku));
  const asked: string[] = [];
  const verifyCard = { keyOrigins: [ORIGIN, 'http://keys.example'] };
  await expect(connect(url, { ...keyServer(answer, asked), verifyCard })).rejects.toThrow(why);
  expect(asked).toHaveLength(fetches);
});

test('nobody fetches keys because a signature says so', async () => {
  const { url } = await startSigned(signedBy(() => friend, `${ORIGIN}/jwks.json`));
  const asked: string[] = [];
  const verifyCard = { keys: { keys: [stranger.jwk] } };
  await expect(connect(url, { ...keyServer(keySet, asked), verifyCard })).rejects.toThrow(/no trusted key/);
  expect(asked).toEqual([]);
});

test('a card that is given is verified, too', async () => {
  const { url } = await startSigned(byFriend);
  const options = { allowOrigins: [url], verifyCard: keys() };
  const agent = await connected(await byFriend(cardAt(url)), options);
  expect((await agent.send('hi')).state).toBe('completed');
  await expect(connect(cardAt(url), options)).rejects.toThrow('it has no signature');
});

test('so is the extended card', async () => {
  let sign: Sign = byFriend;
  const peer = await startPeer(async (_got, response, { url }) => result(response, await sign(cardAt(url))), {
    card: async (_got, response, { url }) => json(response, await byFriend(cardAt(url))),
  });
  const agent = await connected(peer.url, { verifyCard: keys() });
  expect((await agent.extendedCard()).signatures).toHaveLength(1);
  sign = altered;
  await expect(agent.extendedCard()).rejects.toThrow(/could not be verified/);
});

test('who takes too long to find a key is not waited for', async () => {
  const { url } = await startSigned(byFriend);
  const never = { keys: () => new Promise<never>(() => {}) };
  await expect(connect(url, { verifyCard: never, timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' });
});
