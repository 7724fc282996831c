import { Child } from '../harness/child.ts';
import { turned } from '../harness/http-rounds.ts';
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

export const EVENTS = 'worker → web node → reader';
const RAW = 'pg_notify → LISTEN';
const KINDS: readonly (readonly [name: string, kind: ProbeOrder['kind']])[] = [
  [RAW, 'notify'],
  ['commit, pg_notify → LISTEN, select', 'stored'],
  [EVENTS, 'events'],
];

/** Ten at a time, each every 50 ms: about 200 in a second. */
const LOAD = { tasks: 10, everyMs: 50 };
const LIMIT_MS = 60_000;

/** How long an event takes from the node that runs its task to a reader on another one, at moderate load. */
export async function measureLatency(
  { database, nodes: [web] }: Cluster,
  { rounds, quick }: { readonly rounds: number; readonly quick: boolean },
): Promise<readonly LatencyRow[]> {
  const probe = new Child('probe', new URL('probe.ts', import.meta.url));
  const events = quick ? 15 : 50;
  const times = new Map<string, (readonly number[])[]>(KINDS.map(([name]) => [name, []]));
  try {
    for (let round = -1; round < rounds; round += 1) {
      for (const [name, kind] of turned(KINDS, Math.max(round, 0))) {
        const order: ProbeOrder = { kind, database, port: web?.port ?? 0, events, ...LOAD };
        const ages = await probe.ask<readonly number[]>(order, LIMIT_MS);
        if (round >= 0) times.get(name)?.push(ages);
      }
    }
  } finally {
    await probe.stop();
  }
  const quantiles = (name: string, q: number): readonly number[] =>
    (times.get(name) ?? []).map((ages) => quantile(ages, q));
  return KINDS.map(([name]) => ({
    name,
    p50Ms: spread(quantiles(name, 0.5)),
    p99Ms: spread(quantiles(name, 0.99)),
    p50ToRaw: ratios(quantiles(name, 0.5), quantiles(RAW, 0.5)),
    p99ToRaw: ratios(quantiles(name, 0.99), quantiles(RAW, 0.99)),
  }));
}
