import { existsSync } from 'node:fs';
import { FLOOR, PEER } from '../contenders/list.ts';
import type { Bench } from './bench.ts';
import type { HttpBench, HttpCase } from './http-bench.ts';
import { type CaseRounds, type Round, runCase } from './http-rounds.ts';
import { runNpm } from './product.ts';
import { quantile, ratios, type Spread, spread } from './stats.ts';
import { show, showSpread, table } from './table.ts';

const BENCH_FOLDER = new URL('../', import.meta.url);

/** The whole of an HTTP bench: all its cases, one table. */
export function httpBench(bench: HttpBench): Bench {
  return {
    name: bench.name,
    async run({ quick }) {
      installPeers();
      const rounds = quick ? 3 : 9;
      const cases: CaseSummary[] = [];
      for (const work of bench.cases) {
        cases.push({ work, contenders: summarize(await runCase(bench, work, { rounds, quick })) });
      }
      return {
        title: `${bench.title} (${rounds} rounds)`,
        table: httpTable(bench, cases),
        result: { unit: bench.unit, cases },
      };
    },
  };
}

/** The peers live in `bench/node_modules`, so that the product's own install never sees them. */
function installPeers(): void {
  if (existsSync(new URL('node_modules', BENCH_FOLDER))) return;
  console.log('bench: installing the peers into bench/node_modules (npm ci)');
  runNpm(['ci'], BENCH_FOLDER);
}

/** What one contender did in one case, over all rounds; ratios are taken round by round. */
interface ContenderSummary {
  readonly contender: string;
  readonly cpuUs: Spread;
  readonly perSecond: Spread;
  readonly cpuToFloor: Spread;
  readonly rateToFloor: Spread;
  /** Absent where the peer took no part. */
  readonly cpuToPeer?: Spread;
  readonly rateToPeer?: Spread;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loadBusy: number;
  readonly rounds: readonly Round[];
}

function summarize(rounds: CaseRounds): readonly ContenderSummary[] {
  const [floor, peer] = [rounds.get(FLOOR) ?? [], rounds.get(PEER)];
  const values = (key: keyof Round, of: readonly Round[]) => of.map((round) => round[key]);
  return [...rounds].map(([contender, own]) => ({
    contender,
    cpuUs: spread(values('cpuUsPerUnit', own)),
    perSecond: spread(values('unitsPerSecond', own)),
    cpuToFloor: ratios(values('cpuUsPerUnit', own), values('cpuUsPerUnit', floor)),
    rateToFloor: ratios(values('unitsPerSecond', own), values('unitsPerSecond', floor)),
    ...(peer && {
      cpuToPeer: ratios(values('cpuUsPerUnit', own), values('cpuUsPerUnit', peer)),
      rateToPeer: ratios(values('unitsPerSecond', own), values('unitsPerSecond', peer)),
    }),
    p50Ms: quantile(values('p50Ms', own), 0.5),
    p99Ms: quantile(values('p99Ms', own), 0.5),
    loadBusy: quantile(values('loadBusy', own), 0.5),
    rounds: own,
  }));
}

interface CaseSummary {
  readonly work: HttpCase;
  readonly contenders: readonly ContenderSummary[];
}

function httpTable(bench: HttpBench, cases: readonly CaseSummary[]): string {
  const many = cases.length > 1;
  const head = [
    many ? 'case, contender' : 'contender',
    `CPU µs/${bench.unit}`,
    `CPU × ${FLOOR}`,
    `CPU × ${PEER}`,
    `${bench.unit}s/s`,
    `rate × ${FLOOR}`,
    `rate × ${PEER}`,
    'p50 ms',
    'p99 ms',
    'load busy',
  ];
  const rows = cases.flatMap(({ work, contenders }) =>
    contenders.map((one) => [
      many ? `${work.name}, ${one.contender}` : one.contender,
      showSpread(one.cpuUs),
      showSpread(one.cpuToFloor),
      one.cpuToPeer ? showSpread(one.cpuToPeer) : '–',
      show(one.perSecond.median),
      showSpread(one.rateToFloor),
      one.rateToPeer ? showSpread(one.rateToPeer) : '–',
      show(one.p50Ms),
      show(one.p99Ms),
      `${Math.round(one.loadBusy * 100)} %`,
    ]),
  );
  return table(head, rows);
}
