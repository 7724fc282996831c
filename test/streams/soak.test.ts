/** A server under mixed load for `TANDEM_SOAK_MS` milliseconds: its memory does not grow. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grows, thirds } from '../helpers/memory-growth.ts';
import { Random } from '../simulation/random.ts';
import { testProcesses, TIMEOUT_MS } from './child-process.ts';
import { runRandomScenario } from './soak-client.ts';
import type { Sample } from './soak-server.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const SOAK_MS = Number(process.env['TANDEM_SOAK_MS'] ?? 5000);
const LANES = 12;
const SAMPLES = 60;

const { folder, start } = testProcesses(new URL('soak-server.ts', import.meta.url));

test(
  `the memory of a server does not grow under mixed load for ${SOAK_MS / 1000} s (seed ${SEED})`,
  async () => {
    const child = start<Sample>(join(folder, 'tasks.db'));
    const port = await child.nextMessage<number>();
    const startedAt = performance.now();
    const isOver = (): boolean => performance.now() - startedAt > SOAK_MS;
    const done = new Map<string, number>();
    const lanes = Array.from({ length: LANES }, async (_, i) => {
      const random = new Random(`${SEED} ${i}`);
      while (!isOver()) {
        const name = await runRandomScenario(port, random);
        done.set(name, (done.get(name) ?? 0) + 1);
      }
    });
    const samples: Sample[] = [];
    const sampling = (async () => {
      while (!isOver()) {
        samples.push(await child.request());
        const dueAt = startedAt + (SOAK_MS / SAMPLES) * samples.length;
        await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()));
      }
    })();
    await Promise.all([...lanes, sampling]);
    await child.until(({ streams }) => streams === 0);

    const heap = thirds(samples.map((sample) => sample.heap));
    const rss = thirds(samples.map((sample) => sample.rss));
    const scenarios = [...done.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${scenarios} scenarios; MiB by thirds: heap ${heap.join(', ')}, process ${rss.join(', ')}`);
    expect(done.size).toBe(8);
    expect({ heap, grows: grows(heap, 8) }).toEqual({ heap, grows: false });
    expect({ rss, grows: grows(rss, 48) }).toEqual({ rss, grows: false });
  },
  SOAK_MS + TIMEOUT_MS,
);
