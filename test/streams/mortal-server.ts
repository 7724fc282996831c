/**
 * A process that serves an agent on a database, made to be killed. Takes the path, the port, how many pieces its tasks
 * have, and how many of them they may have said by the end of this life; tells over its channel when it listens.
 */
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const [path = '', ...numbers] = process.argv.slice(2);
const [port = 0, pieces = 0, piecesNow = 0] = numbers.map(Number);
const speaker = agent({
  name: 'Speaker',
  description: 'Says the same whenever it is run.',
  maxAttempts: 1_000_000,
  maxCrashes: 1_000_000,
  async *run({ text, artifact, signal, step }) {
    for (let i = 0; i < pieces; i++) {
      // Progress, so that the tasks of a process that was killed continue one after the other without delay.
      if (i % 10 === 5) await step(`piece ${i}`, () => i);
      if (i >= piecesNow) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (i % 40 === 20) yield { status: 'working', text: `${text} is at ${i}` };
      await artifact(`book ${i % 3}`).append(`${text}.${i} `);
      // A piece at a time: who kills it can do so between any two.
      if (i % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  },
});
await serve(speaker, { port, store: sqlite(path), insecurePublic: true });
process.send?.('listening');
