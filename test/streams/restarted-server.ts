/**
 * A process that serves an agent on a database, and that a test kills and starts again. Its arguments: the path of the
 * database, the port, the number of pieces of a task, and the number that it may publish before it is killed. It sends a
 * message when it listens.
 */
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

const [path = '', ...numbers] = process.argv.slice(2);
const [port = 0, pieces = 0, piecesNow = 0] = numbers.map(Number);
const publisher = agent({
  name: 'Publisher',
  description: 'Publishes the same outputs in each run.',
  maxAttempts: 1_000_000,
  maxCrashes: 1_000_000,
  async *run({ text, artifact, signal, step }) {
    for (let i = 0; i < pieces; i++) {
      // Progress, so that the tasks of a process that was killed continue one after the other without delay.
      if (i % 10 === 5) await step(`piece ${i}`, () => i);
      if (i >= piecesNow) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      if (i % 40 === 20) yield { status: 'working', text: `${text} is at ${i}` };
      await artifact(`book ${i % 3}`).append(`${text}.${i} `);
      // One piece at a time, so that the process can be killed between any two.
      if (i % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  },
});
await serve(publisher, { port, store: sqlite(path), insecurePublic: true });
process.send?.('listening');
