/** Keys that cannot sign: reported at the start and in the log, without their content. */
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { expect, test } from 'vitest';
import { recordingLog } from '../../helpers/recording-log.ts';
import { startServer } from '../kit/server.ts';
import { pushTransportTo, deliveryOf, NEVER } from './deliveries.ts';
import { startReceiver } from './receiver.ts';

const PRIVATE = 'c2VjcmV0LXNlY3JldA';
const EC: JWK = { kty: 'EC', crv: 'P-256', x: 'bad', y: 'bad', d: PRIVATE };

test.each<[JWK, string]>([
  [EC, 'push.signingKey: the key cannot sign with ES256'],
  [{ ...EC, kid: 'k' }, 'push.signingKey: the key "k" cannot sign with ES256'],
  [{ kty: 'RSA', n: 'AQAB', e: 'AQAB', d: PRIVATE }, 'push.signingKey: the key cannot sign with RS256'],
  [{ ...EC, crv: 'secp256k1', alg: 'ES256K' }, 'push.signingKey: the key cannot sign with ES256K'],
])(
  'an agent with the signing key %j does not start, and the error does not contain the key',
  async (signingKey, message) => {
    const failure = await startServer({ pushNotifications: true, push: { signingKey } }).catch(
      (error: unknown) => error,
    );

    expect(failure).toBeInstanceOf(TypeError);
    expect(failure).toMatchObject({ message });
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(PRIVATE);
  },
);

test('an agent does not start if any of its signing keys cannot sign', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const signingKey = [await exportJWK(privateKey), { ...EC, kid: 'next' }];
  const failing = startServer({ pushNotifications: true, push: { signingKey } });
  await expect(failing).rejects.toThrow('push.signingKey: the key "next" cannot sign with ES256');
});

test('a notification that cannot be signed is reported as an error of the agent, not of the receiver', async () => {
  const receiver = await startReceiver();
  const log = recordingLog();
  const pushTransport = pushTransportTo([receiver.origin], { log, push: { signingKey: EC } });

  const result = await pushTransport.deliver(deliveryOf({ url: receiver.url }), NEVER);

  expect(result).toEqual({
    kind: 'failed',
    reason: 'The notification could not be created; the log of the agent has the cause',
  });
  expect(log.lines).toMatchObject([{ level: 'error', message: 'Could not create push notification' }]);
  expect(receiver.received).toEqual([]);
});
