/** An agent that sends push notifications, and their receiver. docs/push.md shows pieces of it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { connect } from 'tandem-a2a';
import { serve } from 'tandem-a2a/node';
import { agent, memoryStore } from 'tandem-a2a/server';
import { createWebhookHandler, toExpressWebhook } from 'tandem-a2a/webhooks';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
let finished = (): void => {};
const isFinished = new Promise<void>((resolve) => (finished = resolve));

// The receiver
const handler = createWebhookHandler({
  secret,
  token: 'only for this receiver',
  async onEvent(event) {
    console.log(event.type, event.text);
    if (event.type === 'status' && event.state === 'completed') {
      const task = await event.fetchTask();
      console.log(`${task.artifacts?.length} artifact`);
      finished();
    }
  },
  client: () => connect(server.url),
});

// In Express
const app = express();
app.post('/webhooks/a2a', toExpressWebhook(handler));

const listening = app.listen(0, '127.0.0.1');
await once(listening, 'listening');
const receiver = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;

const translator = agent({
  name: 'Translator',
  description: 'Translates English into French.',
  async *run() {
    yield { status: 'working', text: 'Translating…' };
    yield { artifact: 'translation.txt', text: 'Bonjour' };
  },
});

// The agent
const server = await serve(translator, {
  port: 0,
  store: memoryStore(),
  pushNotifications: true,
  push: {
    signingSecret: secret,
    allowPrivate: [receiver], // for development: otherwise private addresses get no notifications
  },
});

// The client that requests notifications
const client = await connect(server.url);
await client.send('Good morning', {
  pushNotification: { url: `${receiver}/webhooks/a2a`, token: 'only for this receiver' },
});

await isFinished;
await client.close();
await server.close();
listening.closeAllConnections();
listening.close();
