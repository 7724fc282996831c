/** The agent in the middle. It calls the warehouse, and does not know that the warehouse asks something. */
import { serve } from 'tandem-a2a/node';
import { agent } from 'tandem-a2a/server';

const analytics = agent({
  name: 'Analytics',
  description: 'Answers questions about signups.',
  async run({ text, call }) {
    const { data } = await call('warehouse', text);
    const { region, signups } = data as { region: string; signups: number };
    return `${signups} signups in ${region}.`;
  },
});

const server = await serve(analytics, {
  port: Number(process.env['PORT'] ?? 4101),
  peers: { warehouse: process.env['WAREHOUSE_URL'] ?? 'http://127.0.0.1:4102' },
});
console.log(server.url);
