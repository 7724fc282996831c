import { agent } from '../../src/agent/agent.ts';

export const echo = agent({
  name: 'Echo',
  description: 'Repeats the message, and appends two words.',
  async *run({ text, sleep }) {
    yield text;
    await sleep(50);
    yield ' and on';
  },
});
