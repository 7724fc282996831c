import { agent } from '../../src/server/agent/agent.ts';

export const echo = agent({
  name: 'Echo',
  description: 'Says what it is told, and a bit more.',
  async *run({ text, sleep }) {
    yield text;
    await sleep(50);
    yield ' and on';
  },
});
