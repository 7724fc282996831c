/** Cards that the client accepts only with a signature by a key that the user trusts. */
import { beforeAll, expect, test } from 'vitest';

import type { CardTrust } from '../../../src/client/card/card-trust.ts';
import { connect } from '../../../src/client/connect.ts';
import type { ConnectOptions } from '../../../src/client/options.ts';
import type { AgentCard } from '../../../src/model/card.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { foreignSignature, newSigner, onTheWire, type Signer, signCard } from '../../helpers/card-signer.ts';
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

test(
  verifies(
    ['J-06', 'J-07'],
    'a card signed by a trusted key is accepted, without the members that the signature does not cover',
  ),
  async () => {
    const { url } = await startSigned(async (card) => ({ ...(await byFriend(card)), unsigned: 'added later' }));
    const agent = await connected(url, { verifyCard: keys() });
    expect(agent.card).toMatchObject({ name: 'Peer', signatures: [{ protected: expect.any(String) }] });
    expect(agent.card).not.toHaveProperty('unsigned');
    expect((await agent.send('hi')).state).toBe('completed');
  },
);

test(
  verifies(['J-06', 'J-07'], 'a card with several signatures is accepted if one of them is by a trusted key'),
  async () => {
    const { url } = await startSigned(async (card) => {
      const once = await signCard(card, stranger);
      return onTheWire(await signCard(once, friend));
    });
    const agent = await connected(url, { verifyCard: keys() });
    expect(agent.card.signatures).toHaveLength(1);
  },
);

test('a signature over another canonical form of the card is accepted with a warning', async () => {
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
  ['was altered after it was signed', altered, keys, /signature verification failed/],
  ['is signed by an untrusted key', signedBy(() => stranger), keys, /no trusted key has this kid/],
  [
    'is signed by an untrusted key under the kid of a trusted one',
    signedBy(() => ({ ...stranger, kid: 'friend' })),
    keys,
    /verification failed/,
  ],
  ['has no signature', unsigned, keys, /it has no signature/],
  ['was altered, with mode: if-signed', altered, () => ({ ...keys(), mode: 'if-signed' }), /verification failed/],
  ['is signed, if no key is trusted', byFriend, () => ({}), /no trusted key has this kid/],
])(verifies('J-07', 'the client rejects a card that %s'), async (_case, sign, verifyCard, why) => {
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
])(verifies('J-09', 'the client rejects a card whose key is %s'), async (_case, more, why) => {
  const { url } = await startSigned(byFriend);
  await expect(connect(url, { verifyCard: keys(more) })).rejects.toThrow(why);
  const found = { keys: () => ({ ...friend.jwk, ...more }) };
  await expect(connect(url, { verifyCard: found })).rejects.toThrow(why);
});

test('a card without a signature is accepted with mode: if-signed', async () => {
  const { url } = await startSigned(unsigned);
  const agent = await connected(url, { verifyCard: { ...keys(), mode: 'if-signed' } });
  expect(agent.card.name).toBe('Peer');
});

const ORIGIN = 'https://keys.example';

/** Responds to requests for keys, and notes their addresses; all other requests go to the network. */
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

test(
  verifies('J-08', 'keys are fetched over https from an origin in keyOrigins, without the headers of the client'),
  async () => {
    const { url } = await startSigned(signedBy(() => friend, `${ORIGIN}/jwks.json`));
    const asked: string[] = [];
    const agent = await connected(url, { ...keyServer(keySet, asked), verifyCard: { keyOrigins: [ORIGIN] } });
    expect(agent.card.signatures).toHaveLength(1);
    expect(asked).toEqual([`${ORIGIN}/jwks.json null`]);
  },
);

test.each<[string, string, number, () => Response, RegExp]>([
  ['at an address without https', 'http://keys.example/jwks.json', 0, keySet, /does not use https/],
  ['at an origin that is not in keyOrigins', 'https://keys.other.example/jwks.json', 0, keySet, /not in keyOrigins/],
  ['at an address that is not a URL', 'keys', 0, keySet, /not a URL/],
  [
    'behind a redirect',
    `${ORIGIN}/jwks.json`,
    1,
    () => Response.redirect('https://keys.other.example/', 302),
    /redirects/,
  ],
  [
    'at an address that responds with 404',
    `${ORIGIN}/jwks.json`,
    1,
    () => new Response('', { status: 404 }),
    /its jku responded with 404 and without a key set/,
  ],
  ['in a response that is not JSON', `${ORIGIN}/jwks.json`, 1, () => new Response('<html>'), /without a key set/],
  [
    'that have expired',
    `${ORIGIN}/jwks.json`,
    1,
    () => Response.json({ keys: [{ ...friend.jwk, exp: 1 }] }),
    /the key has expired/,
  ],
])(verifies(['J-08', 'J-09'], 'keys %s are not trusted'), async (_where, jku, fetches, answer, why) => {
  const { url } = await startSigned(signedBy(() => friend, jku));
  const asked: string[] = [];
  const verifyCard = { keyOrigins: [ORIGIN, 'http://keys.example'] };
  await expect(connect(url, { ...keyServer(answer, asked), verifyCard })).rejects.toThrow(why);
  expect(asked).toHaveLength(fetches);
});

test('the client does not fetch keys from the jku of a signature without keyOrigins', async () => {
  const { url } = await startSigned(signedBy(() => friend, `${ORIGIN}/jwks.json`));
  const asked: string[] = [];
  const verifyCard = { keys: { keys: [stranger.jwk] } };
  await expect(connect(url, { ...keyServer(keySet, asked), verifyCard })).rejects.toThrow(/no trusted key/);
  expect(asked).toEqual([]);
});

test('a card that is passed to connect is verified, too', async () => {
  const { url } = await startSigned(byFriend);
  const options = { allowOrigins: [url], verifyCard: keys() };
  const agent = await connected(await byFriend(cardAt(url)), options);
  expect((await agent.send('hi')).state).toBe('completed');
  await expect(connect(cardAt(url), options)).rejects.toThrow('it has no signature');
});

test('the extended card is verified, too', async () => {
  let sign: Sign = byFriend;
  const peer = await startPeer(async (_got, response, { url }) => result(response, await sign(cardAt(url))), {
    card: async (_got, response, { url }) => json(response, await byFriend(cardAt(url))),
  });
  const agent = await connected(peer.url, { verifyCard: keys() });
  expect((await agent.extendedCard()).signatures).toHaveLength(1);
  sign = altered;
  await expect(agent.extendedCard()).rejects.toThrow(/could not be verified/);
});

test('connect times out if the function that finds keys takes too long', async () => {
  const { url } = await startSigned(byFriend);
  const never = { keys: () => new Promise<never>(() => {}) };
  await expect(connect(url, { verifyCard: never, timeoutMs: 100 })).rejects.toMatchObject({ code: 'TIMEOUT' });
});
