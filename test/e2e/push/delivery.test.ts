/** The content of push notifications: body, headers and signatures. */
import { exportJWK, generateKeyPair, createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { fakeClock } from '../../../src/testing/fake-clock.ts';
import { verifies } from '../../helpers/verifies.ts';
import { startServer } from '../kit/server.ts';
import { pushTransportTo, deliveryOf, NEVER, STATUS_UPDATE } from './deliveries.ts';
import { type Received, startReceiver } from './receiver.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEXT_SECRET = 'the secret that replaces the other';

const OLD_TASK = {
  kind: 'task',
  id: 'task-1',
  contextId: 'context-1',
  status: { state: 'completed', timestamp: '2026-03-12T10:00:00.000Z' },
  artifacts: [{ artifactId: 'a', parts: [{ kind: 'text', text: 'Bonjour' }] }],
};

async function received(
  settings: Parameters<typeof pushTransportTo>[1],
  config: Partial<Parameters<typeof deliveryOf>[0]> = {},
  facts: Parameters<typeof deliveryOf>[1] = {},
): Promise<Received> {
  const receiver = await startReceiver();
  const pushTransport = pushTransportTo([receiver.origin], settings);
  expect(await pushTransport.deliver(deliveryOf({ url: receiver.url, ...config }, facts), NEVER)).toEqual({
    kind: 'delivered',
  });
  const [first] = receiver.received;
  if (first === undefined) throw new Error('No notification was received');
  return first;
}

describe('the body of a notification', () => {
  test.each([
    ['v1', 'application/a2a+json', { statusUpdate: STATUS_UPDATE }],
    ['v03', 'application/json', OLD_TASK],
    ['v03-proto', 'application/json', OLD_TASK],
    ['v03-kind', 'application/json', OLD_TASK],
    ['v02', 'application/json', OLD_TASK],
    ['unknown', 'application/a2a+json', { statusUpdate: STATUS_UPDATE }],
  ])(
    verifies(
      'P-06',
      'for a configuration of dialect %s is sent as %s, in the format of the dialect, or of 1.0 if it is unknown',
    ),
    async (dialect, mediaType, body) => {
      const notification = await received({}, {}, { dialect });
      expect(notification).toMatchObject({ method: 'POST', path: '/hook', json: body });
      expect(notification.headers).toMatchObject({
        'content-type': mediaType,
        'content-length': String(Buffer.byteLength(notification.text)),
        'user-agent': expect.stringMatching(/^tandem-a2a\/\d/),
      });
    },
  );

  test('for 0.1 is the task under the id that the caller chose', async () => {
    const { json, headers } = await received({}, {}, { dialect: 'v01 my task' });
    expect(json).toMatchObject({ id: 'my task', sessionId: 'context-1', status: { state: 'completed' } });
    expect(headers['content-type']).toBe('application/json');
  });

  test.each([
    ['v1', ['task', 'status', 'artifact']],
    ['v03', ['task', 'status']],
    ['v02', ['task', 'status']],
    ['v01 mine', ['task', 'status']],
  ])('for dialect %s exists for the events %j', (dialect, kinds) => {
    const pushTransport = pushTransportTo([]);
    const { config } = deliveryOf({ url: 'https://hooks.example.com' }, { dialect });
    expect((['task', 'status', 'artifact'] as const).filter((kind) => pushTransport.wants({ kind }, config))).toEqual(
      kinds,
    );
  });
});

describe('the headers of a notification', () => {
  test.each([
    [{ token: 'abc' }, { 'x-a2a-notification-token': 'abc' }],
    [{ authentication: { scheme: 'Bearer', credentials: 'xyz' } }, { authorization: 'Bearer xyz' }],
    [
      { token: 'abc', authentication: { scheme: 'Basic', credentials: 'dTpw' } },
      { 'x-a2a-notification-token': 'abc', authorization: 'Basic dTpw' },
    ],
    // A scheme without credentials gives nothing that can be sent.
    [{ authentication: { scheme: 'Bearer' } }, {}],
    [{}, {}],
  ])(verifies('P-07', 'for the configuration %j are %j'), async (config, expected) => {
    const { headers } = await received({}, config);
    const { authorization, 'x-a2a-notification-token': token } = headers;
    const sent = Object.entries({ authorization, 'x-a2a-notification-token': token });
    expect(Object.fromEntries(sent.filter(([, value]) => value !== undefined))).toEqual(expected);
  });

  test('contain the id of the delivery, the time and the trace', async () => {
    const clock = fakeClock();
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const trace = { traceId, spanId: 'b7ad6b7169203331', flags: '01', tracestate: 'vendor=1' };
    const { headers } = await received({ clock }, {}, { id: 'd-7', trace });
    expect(headers).toMatchObject({
      'webhook-id': 'd-7',
      'webhook-timestamp': String(clock.now() / 1000),
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
      tracestate: 'vendor=1',
    });
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  test.each([SECRET, NEXT_SECRET])(
    'contain a signature for each secret that another library accepts: %s',
    async (secret) => {
      const { headers, text } = await received({ push: { signingSecret: [SECRET, NEXT_SECRET] } });
      const other = new Webhook(secret, secret === SECRET ? {} : { format: 'raw' });
      expect(other.verify(text, headers)).toEqual({ statusUpdate: STATUS_UPDATE });
      expect(() => other.verify(`${text} `, headers)).toThrow('No matching signature');
    },
  );
});

describe('the signed token of a notification', async () => {
  const pair = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(pair.privateKey)), kid: 'now' };
  const before = await exportJWK((await generateKeyPair('Ed25519', { extractable: true })).privateKey);

  async function publishedKeys(): Promise<JSONWebKeySet> {
    const server = await startServer({ pushNotifications: true, push: { signingKey: [key, before] } });
    const response = await server.ask({ method: 'GET', path: '/.well-known/jwks.json' });
    expect(response.status).toBe(200);
    expect(response.headers['cache-control']).toContain('max-age');
    return response.json as JSONWebKeySet;
  }

  test('can be verified with the keys that the agent publishes, which have no private part', async () => {
    const keys = await publishedKeys();
    expect(keys.keys).toMatchObject([
      { kid: 'now', alg: 'ES256', use: 'sig' },
      { kid: expect.stringMatching(/.{20,}/), alg: 'EdDSA', use: 'sig' },
    ]);
    for (const each of keys.keys) for (const secret of ['d', 'p', 'q', 'k']) expect(each).not.toHaveProperty(secret);
    const receiver = await startReceiver();
    const pushTransport = pushTransportTo([receiver.origin], { push: { signingKey: [key, before] } });
    await pushTransport.deliver(deliveryOf({ url: receiver.url }), NEVER);

    const token = receiver.received[0]?.headers['authorization']?.replace('Bearer ', '') ?? '';
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: 'https://agent.example.com',
      audience: receiver.url,
      requiredClaims: ['iat', 'exp'],
    });
    expect(payload).toMatchObject({ jti: 'delivery-1', taskId: 'task-1' });
    expect(payload['request_body_sha256']).toMatch(/^[0-9a-f]{64}$/);
  });

  test('is in a header of its own if the configuration has credentials', async () => {
    const authentication = { scheme: 'Bearer', credentials: 'mine' };
    const { headers } = await received({ push: { signingKey: key } }, { authentication });
    expect(headers['authorization']).toBe('Bearer mine');
    expect(headers['x-a2a-notification-jwt']).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('needs a key, without which the agent publishes no keys', async () => {
    const server = await startServer({ pushNotifications: true });
    expect((await server.ask({ method: 'GET', path: '/.well-known/jwks.json' })).status).toBe(404);
  });
});
