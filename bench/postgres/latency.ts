import { Child } from '../harness/child.ts';
import { rotated } from '../harness/http-rounds.ts';
import { quantile, type Spread, ratios, spread } from '../harness/stats.ts';
import type { ProbeOrder } from './probe.ts';
import type { Cluster } from './sends.ts';

export interface LatencyRow {
  readonly name: string;
  readonly p50Ms: Spread;
  readonly p99Ms: Spread;
  readonly p50ToRaw: Spread;
  readonly p99ToRaw: Spread;
}

export const EVENTS = 'worker → web node → subscriber';
const FIRST = 'the first three events of a task';
const ONE_WAY = 'pg_notify → LISTEN';
const RAW = 'pg_notify → LISTEN, and back';
const STORED = 'commit, pg_notify → LISTEN, select';
const KINDS: readonly (readonly [name: string, kind: ProbeOrder['kind']])[] = [
  [ONE_WAY, 'notify'],
  [RAW, 'round trip'],
  [STORED, 'stored'],
  [EVENTS, 'events'],
];
const NAMES = [ONE_WAY, RAW, STORED, EVENTS, FIRST];

/**
 * The first events arrive while ten tasks are created and claimed, which the baseline does not do. They have a separate
 * row.
 */
const STARTING = 3;

/** Ten concurrent tasks with an event every 50 ms: about 200 per second. */
const LOAD = { tasks: 10, everyMs: 50 };
/** Enough events to warm up all processes. The first thousands take several times as long. */
const WARM_UP = { tasks: 10, everyMs: 4, events: 600 };
const LIMIT_MS = 60_000;

/** The latency of an event from the node that runs the task to a subscriber on another node, at moderate load. */
export async function measureLatency(
  { database, nodes: [web] }: Cluster,
  { rounds, quick }: { readonly rounds: number; readonly quick: boolean },
): Promise<readonly LatencyRow[]> {
  const probe = new Child('probe', new URL('probe.ts', import.meta.url));
  const events = quick ? 15 : 100;
  const times = new Map<string, (readonly number[])[]>(NAMES.map((name) => [name, []]));
  try {
    const measured = (order: Omit<ProbeOrder, 'database' | 'port'>): Promise<readonly (readonly number[])[]> =>
      probe.request({ ...order, database, port: web?.port ?? 0 } satisfies ProbeOrder, LIMIT_MS);
    for (const [, kind] of KINDS) await measured({ kind, ...WARM_UP });
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, kind] of rotated(KINDS, round)) {
        const ages = await measured({ kind, events, ...LOAD });
        const isOurs = kind === 'events';
        times.get(name)?.push(ages.flatMap((task) => (isOurs ? task.slice(STARTING) : task)));
        if (isOurs) times.get(FIRST)?.push(ages.flatMap((task) => task.slice(0, STARTING)));
      }
    }
  } finally {
    await probe.stop();
  }
  const quantiles = (name: string, q: number): readonly number[] =>
    (times.get(name) ?? []).map((ages) => quantile(ages, q));
  return NAMES.map((name) => ({
    name,
    p50Ms: spread(quantiles(name, 0.5)),
    p99Ms: spread(quantiles(name, 0.99)),
    p50ToRaw: ratios(quantiles(name, 0.5), quantiles(RAW, 0.5)),
    p99ToRaw: ratios(quantiles(name, 0.99), quantiles(RAW, 0.99)),
  }));
}
