/** A server under mixed load for as long as `TANDEM_SOAK_MS` says: its memory does not grow. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grows, thirds } from '../helpers/flat-memory.ts';
import { Random } from '../simulation/random.ts';
import { children, TIMEOUT_MS } from './child.ts';
import { runErrand } from './soak-client.ts';
import type { Sample } from './soak-server.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const SOAK_MS = Number(process.env['TANDEM_SOAK_MS'] ?? 5000);
const LANES = 12;
const SAMPLES = 60;

const { folder, start } = children(new URL('soak-server.ts', import.meta.url));

test(
  `memory stays where it is under mixed load for ${SOAK_MS / 1000} s (seed ${SEED})`,
  async () => {
    const child = start<Sample>(join(folder, 'tasks.db'));
    const port = await child.says<number>();
    const startedAt = performance.now();
    const isOver = (): boolean => performance.now() - startedAt > SOAK_MS;
    const done = new Map<string, number>();
    const lanes = Array.from({ length: LANES }, async (_, i) => {
      const random = new Random(`${SEED} ${i}`);
      while (!isOver()) {
        const operationCall = await runErrand(port, random);
        done.set(operationCall, (done.get(operationCall) ?? 0) + 1);
      }
    });
    const samples: Sample[] = [];
    const sampling = (async () => {
      while (!isOver()) {
        samples.push(await child.ask());
        const dueAt = startedAt + (SOAK_MS / SAMPLES) * samples.length;
        await new Promise((resolve) => setTimeout(resolve, dueAt - performance.now()));
      }
    })();
    await Promise.all([...lanes, sampling]);
    await child.until(({ streams }) => streams === 0);

    const heap = thirds(samples.map((sample) => sample.heap));
    const rss = thirds(samples.map((sample) => sample.rss));
    const errands = [...done.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${errands} errands; MiB by thirds: heap ${heap.join(', ')}, process ${rss.join(', ')}`);
    expect(done.size).toBe(8);
    expect({ heap, grows: grows(heap, 8) }).toEqual({ heap, grows: false });
    expect({ rss, grows: grows(rss, 48) }).toEqual({ rss, grows: false });
  },
  SOAK_MS + TIMEOUT_MS,
);
