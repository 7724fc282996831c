/** The smallest agent, served over HTTP in every version of the protocol. */
import { serve } from 'tandem-a2a/node';
import { agent } from 'tandem-a2a/server';

const greeter = agent({
  name: 'Greeter',
  description: 'Greets its callers by name.',
  run: async ({ text }) => `Hello, ${text}!`,
});

const server = await serve(greeter, { port: Number(process.env['PORT'] ?? 4100) });
console.log(`${server.url}/.well-known/agent-card.json`);
