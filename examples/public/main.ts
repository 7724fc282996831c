/** An agent on the public internet: behind a proxy that terminates TLS, for callers with a token. */
import { serve } from 'tandem-a2a/node';
import { agent, bearerTokens } from 'tandem-a2a/server';

const greeter = agent({
  name: 'Greeter',
  description: 'Greets its callers by name.',
  run: async ({ text, caller }) => `Hello, ${text}! Greetings to ${caller.id}.`,
});

const server = await serve(greeter, {
  port: Number(process.env['PORT'] ?? 4100),
  publicUrl: 'https://agent.example', // the address of your proxy, which terminates TLS
  trustProxy: true, // the client address is in its X-Forwarded-For
  auth: bearerTokens({ alice: process.env['ALICE_TOKEN'] }),
  pushNotifications: true,
});
console.log(server.url);
