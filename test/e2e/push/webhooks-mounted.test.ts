/** The webhook handler mounted in Express, and with notifications of other agents. */
import { generateKeyPair, exportJWK } from 'jose';
import express, { type Express } from 'express';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/client/entry.ts';
import {
  createWebhookHandler,
  type ExpressWebhook,
  toExpressWebhook,
  type WebhookEvent,
} from '../../../src/webhooks/index.ts';
import { silenceConsole } from '../../fixtures/peers/silence-console.ts';
import { serveSdk03 } from '../../fixtures/peers/sdk-03.ts';
import { serveSdk1 } from '../../fixtures/peers/sdk-1.ts';
import { listen } from '../../fixtures/peers/peer-server.ts';
import { startServer } from '../kit/server.ts';
import { pushTransportTo, deliveryOf, NEVER } from './deliveries.ts';

silenceConsole();

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

async function serveApp(mount: (app: Express) => void): Promise<string> {
  const { url } = await listen(() => {
    const app = express();
    mount(app);
    // Returns the message of an error to the test.
    app.use((error: Error, _request: unknown, response: express.Response, _next: unknown) => {
      response.status(500).send(error.message);
    });
    return app;
  });
  return url;
}

function keepingText(request: unknown, _response: unknown, bytes: Buffer): void {
  (request as { rawBody: Buffer }).rawBody = bytes;
}

describe('in Express', () => {
  test.each([
    ['no parser', []],
    ['a text parser', [express.text({ type: '*/*' })]],
    ['a raw parser', [express.raw({ type: '*/*' })]],
    ['a JSON parser that keeps the raw body', [express.json({ type: ['*/json', '*/*+json'], verify: keepingText })]],
    ['a parser for another content type', [express.urlencoded()]],
  ])('a webhook checks the signature behind %s', async (_, parsers) => {
    const events: WebhookEvent[] = [];
    const handler = createWebhookHandler({ secret: SECRET, onEvent: (event) => void events.push(event) });
    const url = await serveApp((app) => void app.post('/hook', ...parsers, toExpressWebhook(handler)));
    const pushTransport = pushTransportTo([url], { push: { signingSecret: SECRET } });
    const forger = pushTransportTo([url], { push: { signingSecret: 'another secret of some length' } });
    const delivery = deliveryOf({ url: `${url}/hook` });

    expect(await forger.deliver(delivery, NEVER)).toMatchObject({
      kind: 'failed',
      reason: 'The receiver responded with status 401',
    });
    expect(await pushTransport.deliver(delivery, NEVER)).toEqual({ kind: 'delivered' });
    expect(await pushTransport.deliver(delivery, NEVER)).toEqual({ kind: 'delivered' });
    expect(events.map(({ id }) => id)).toEqual(['delivery-1']);
  });

  test('a webhook behind a parser that consumed the body responds with an instruction', async () => {
    const handler = createWebhookHandler({ secret: SECRET, onEvent() {} });
    const url = await serveApp(
      (app) => void app.post('/hook', express.json({ type: '*/*' }), toExpressWebhook(handler)),
    );
    const response = await fetch(`${url}/hook`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('Mount toExpressWebhook() before express.json()');
  });

  test('a webhook checks the token behind a JSON parser', async () => {
    const events: WebhookEvent[] = [];
    const handler = createWebhookHandler({ token: 'abc', onEvent: (event) => void events.push(event) });
    const url = await serveApp(
      (app) => void app.post('/hook', express.json({ type: '*/*' }), toExpressWebhook(handler)),
    );
    const deliver = (token: string) => pushTransportTo([url]).deliver(deliveryOf({ url: `${url}/hook`, token }), NEVER);
    expect(await deliver('abd')).toMatchObject({ kind: 'failed' });
    expect(await deliver('abc')).toEqual({ kind: 'delivered' });
    expect(events).toMatchObject([{ type: 'status', state: 'completed' }]);
  });

  test('a webhook rejects a body that is too large or not UTF-8', async () => {
    const handler = createWebhookHandler({ insecure: true, maxBodyBytes: 10, onEvent() {} });
    const url = await serveApp((app) => void app.post('/hook', toExpressWebhook(handler)));
    const post = async (body: string | Uint8Array) => (await fetch(`${url}/hook`, { method: 'POST', body })).status;
    expect(await post('x'.repeat(11))).toBe(413);
    expect(await post(new Uint8Array([0xff, 0xfe]))).toBe(400);
  });
});

test('a webhook verifies signed tokens with the keys that the agent publishes', async () => {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const signingKey = { ...(await exportJWK(privateKey)), kid: 'k1' };
  const server = await startServer({ pushNotifications: true, push: { signingKey } });
  const events: WebhookEvent[] = [];
  const webhooks = new Map<string, ExpressWebhook>();
  const url = await serveApp((app) => void app.post('/:name', (...call) => webhooks.get(call[0].url)?.(...call)));
  for (const path of ['/hook', '/other']) {
    const handler = createWebhookHandler({
      jwks: `${server.url}/.well-known/jwks.json`,
      audience: `${url}/hook`,
      onEvent: (event) => void events.push(event),
    });
    webhooks.set(path, toExpressWebhook(handler));
  }

  const pushTransport = pushTransportTo([url], { push: { signingKey } });
  const unsigned = pushTransportTo([url]);

  expect(await unsigned.deliver(deliveryOf({ url: `${url}/hook` }), NEVER)).toMatchObject({ kind: 'failed' });
  expect(await pushTransport.deliver(deliveryOf({ url: `${url}/other` }), NEVER)).toMatchObject({ kind: 'failed' });
  expect(await pushTransport.deliver(deliveryOf({ url: `${url}/hook` }), NEVER)).toEqual({ kind: 'delivered' });
  expect(events).toHaveLength(1);
});

describe('notifications of agents made with the official SDK', () => {
  test.each([
    ['0.3', () => serveSdk03('JSONRPC')],
    ['1.0', () => serveSdk1({ preferred: 'JSONRPC' })],
  ])('%s are accepted by their token', async (_, serve) => {
    const { url } = await serve();
    const events: WebhookEvent[] = [];
    const agent = await connect(url);
    onTestFinished(() => agent.close());
    const handler = createWebhookHandler({
      token: 'my token',
      client: agent,
      onEvent: (event) => void events.push(event),
    });
    const hook = await serveApp((app) => void app.post('/hook', toExpressWebhook(handler)));

    const reply = await agent.send('report', { pushNotification: { url: `${hook}/hook`, token: 'my token' } });

    await expect
      .poll(() => events.map((event) => ('state' in event ? event.state : event.type)))
      .toContain('completed');
    const last = events.at(-1);
    expect(await last?.fetchTask()).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' } });
    expect(reply.text).toContain('three');
  });
});
