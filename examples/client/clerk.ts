import { agent } from 'tandem-a2a/server';

/** The agent that is called: knows trains, asks before it books one, and cannot do everything. */
export const travelClerk = agent({
  name: 'Travel clerk',
  description: 'Finds and books trains.',
  async *run({ text, ask }) {
    const [first = '', ...rest] = text.split(' ');
    if (first === 'fly') throw new Error('There are no planes here');
    if (first === 'book') {
      const isWanted = await ask({ confirm: `Shall I book the 9:05 to ${rest.join(' ')}?` });
      yield isWanted ? `Booked the 9:05 to ${rest.join(' ')}.` : 'Nothing booked.';
      return;
    }
    yield { status: 'working', text: 'Looking for trains' };
    yield 'The 9:05 ';
    yield `to ${text}`;
  },
});
