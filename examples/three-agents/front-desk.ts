/** The agent at the top, which people talk to. */
import { serve } from 'tandem-a2a/node';
import { agent } from 'tandem-a2a/server';

const frontDesk = agent({
  name: 'Front desk',
  description: 'Finds the right agent for a question.',
  async run({ text, call }) {
    const { text: answer } = await call('analytics', text);
    return `Analytics says: ${answer}`;
  },
});

const server = await serve(frontDesk, {
  port: Number(process.env['PORT'] ?? 4100),
  peers: { analytics: process.env['ANALYTICS_URL'] ?? 'http://127.0.0.1:4101' },
});
console.log(server.url);
