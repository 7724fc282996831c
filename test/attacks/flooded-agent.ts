/** A server for `fairness.test.ts`: prints its address, and serves until it is killed. */
import { serve } from '../../src/node/index.ts';
import { agent, bearerTokens } from '../../src/server/index.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** Each task that is told to stay keeps its slot for as long as the test runs. */
const patient = agent({
  name: 'Patient',
  description: 'Answers at once, or stays at work.',
  async run({ text, signal }) {
    if (text === 'stay') await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return `You said ${text}`;
  },
});

const [file = '', rate] = process.argv.slice(2);
const { url } = await serve(patient, {
  port: 0,
  store: sqlite(file),
  auth: bearerTokens({ alice: 'token-of-alice', bob: 'token-of-bob', carol: 'token-of-carol' }),
  ...(rate === 'any rate' && { limits: { rate: false as const } }),
});
console.log(url);
