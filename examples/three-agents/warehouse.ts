/** The agent at the bottom. It needs an answer before it can count. */
import { serve } from 'tandem-a2a/node';
import { agent } from 'tandem-a2a/server';

const SIGNUPS = { Europe: 1_204, Asia: 987 };

const warehouse = agent({
  name: 'Warehouse',
  description: 'Counts signups in the data warehouse.',
  async *run({ ask, step }) {
    const region = await ask({ choose: 'Which region?', options: ['Europe', 'Asia'] });
    const signups = await step('count', () => {
      console.log(`The warehouse counts signups in ${region}`);
      return SIGNUPS[region];
    });
    yield { artifact: 'result', data: { region, signups } };
  },
});

const server = await serve(warehouse, { port: Number(process.env['PORT'] ?? 4102) });
console.log(server.url);
