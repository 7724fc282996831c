/** An agent whose skills have typed inputs and outputs; docs/server.md explains them. */
import { agent, skill } from 'tandem-a2a/server';
import { z } from 'zod';

const PRICES: Readonly<Record<string, number>> = { Rome: 120, Oslo: 90 };

export const quote = skill({
  id: 'quote',
  description: 'Returns the price of a train.',
  input: z.object({ city: z.string().min(1), seats: z.number().int().min(1).default(1) }),
  output: z.object({ city: z.string(), price: z.number() }),
  async run({ input, step, reject }) {
    const price = await step('price', () => PRICES[input.city] ?? null);
    if (price === null) return reject(`There is no train to ${input.city}`);
    return { city: input.city, price: price * input.seats };
  },
});

export const book = skill({
  id: 'book',
  description: 'Books a train after asking.',
  input: z.object({ city: z.string().min(1) }),
  async *run({ input, ask }) {
    const seat = await ask({ choose: 'Which seat?', options: ['window', 'aisle'] });
    yield `Booked a ${seat} seat to ${input.city}.`;
  },
});

export const clerk = agent({
  name: 'Travel clerk',
  description: 'Quotes and books trains.',
  skills: [quote, book],
});
