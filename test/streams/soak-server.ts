/** A process that serves an agent on a database under load, and reports its memory use to its parent. */
import { serve } from '../../src/node/serve.ts';
import { agent } from '../../src/agent/agent.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';

/** The reply of the process to any message of its parent. */
export interface Sample {
  /** Bytes that JavaScript holds after a garbage collection. */
  readonly heap: number;
  /** The resident memory of the process, in bytes. */
  readonly rss: number;
  readonly streams: number;
}

const worker = agent({
  name: 'Worker',
  description: 'Asks, waits or works, depending on the message.',
  async *run({ text, ask, step, signal }) {
    switch (text) {
      case 'ask':
        yield `You said ${await ask('What?')}`;
        break;
      case 'wait':
        yield 'waiting';
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        break;
      default:
        await step('think', () => text.length);
        for (let i = 0; i < 40; i++) {
          yield { artifact: `part ${i % 2}`, text: `${i} ${'x'.repeat(200)}`, append: true };
          if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
    }
  },
});
const server = await serve(worker, {
  port: 0,
  store: sqlite(process.argv[2] ?? ''),
  heartbeatMs: 1000,
  // Old tasks are removed, as after a year of work.
  retention: { maxEnded: 2000, everyMs: 2000 },
});
process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed + external, rss, streams: server.handler.heartbeats.size } satisfies Sample);
});
process.send?.(server.port);
