/** An agent that asks, and waits for most of a day. */
import { agent } from 'tandem-a2a/server';

export const clerk = agent({
  name: 'Clerk',
  description: 'Books trains and sends a reminder.',
  async *run({ text, step, ask, sleep }) {
    const train = await step('reserve', () => `the 9:05 to ${text}`);
    if (await ask({ confirm: `Book ${train}?` })) {
      yield `Booked ${train}. `;
      await sleep(23 * 60 * 60_000);
      yield 'Your train leaves in an hour.';
    } else {
      yield 'Nothing booked.';
    }
  },
});
