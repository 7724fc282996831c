/** An agent for the internet: behind a proxy that speaks TLS, for callers that it knows. README.md shows it. */
import { serve } from 'tandem-a2a/node';
import { agent, bearerTokens } from 'tandem-a2a/server';

const greeter = agent({
  name: 'Greeter',
  description: 'Greets whoever writes to it.',
  run: async ({ text, caller }) => `Hello, ${text}! Greetings to ${caller.id}.`,
});

const server = await serve(greeter, {
  port: Number(process.env['PORT'] ?? 4100),
  publicUrl: 'https://agent.example', // where your proxy is, which speaks TLS
  trustProxy: true, // its X-Forwarded-For says from where somebody calls
  auth: bearerTokens({ alice: process.env['ALICE_TOKEN'] }),
  pushNotifications: true,
});
console.log(server.url);
