import { cpus } from 'node:os';
import { BASELINE, PEER } from '../contenders/list.ts';
import type { Bench, BenchReport } from './bench.ts';
import { type Goal, goalTable } from './goals.ts';
import type { HttpBench, HttpCase, HttpGoal, RowName } from './http-bench.ts';
import { type CaseRounds, type MeasuredCase, type Round, runCase } from './http-rounds.ts';
import { buildProduct, installPeers } from './product.ts';
import { quantile, ratios, type Spread, spread } from './stats.ts';
import { show, showSpread, table } from './table.ts';

/** Runs an HTTP bench: all its cases in one table, and whether its goals are met. */
export function httpBench(bench: HttpBench): Bench {
  return {
    name: bench.name,
    async run({ quick }) {
      buildProduct();
      installPeers();
      const rounds = quick ? 3 : (bench.rounds ?? 9);
      const measured = new Map<string, MeasuredCase>();
      for (const work of bench.cases) measured.set(work.name, await runCase(bench, work, { rounds, quick }));
      return httpReport(bench, measured, rounds);
    },
  };
}

export function httpReport(bench: HttpBench, measured: ReadonlyMap<string, MeasuredCase>, rounds: number): BenchReport {
  const cases = bench.cases.map((work) => {
    const { closedLoop = new Map(), atRate = new Map() } = measured.get(work.name) ?? {};
    return { work, contenders: summarize(closedLoop), atRate: summarize(atRate) };
  });
  const goals = goalsOf(bench, measured);
  const othersBusy = spread(cases.flatMap(othersIn));
  return {
    title: `${bench.title} (${rounds} rounds)`,
    table: [httpTable(bench, cases), ...rateTable(bench, cases), goalTable(goals), machineLine(othersBusy)].join(
      '\n\n',
    ),
    result: { unit: bench.unit, othersBusy, cases, goals },
  };
}

function othersIn({ contenders, atRate }: CaseSummary): readonly number[] {
  return [...contenders, ...atRate].flatMap(({ rounds }) => rounds.map(({ othersBusy }) => othersBusy));
}

/** How much of the machine other work used during the rounds. */
function machineLine({ lowerQuartile, median, upperQuartile, max }: Spread): string {
  const [low, middle, high, most] = [lowerQuartile, median, upperQuartile, max].map((one) => Math.round(one * 100));
  return `other work on the ${cpus().length} cores during the rounds: ${middle} % (${low}–${high}, at most ${most})`;
}

function goalsOf({ goals = [] }: HttpBench, rounds: ReadonlyMap<string, MeasuredCase>): readonly Goal[] {
  const roundsOf = ([work, contender]: RowName): readonly Round[] => rounds.get(work)?.closedLoop.get(contender) ?? [];
  return goals.map(({ of, to, measure, ...limits }) => {
    const [own, base] = [roundsOf(of), roundsOf(to)].map((one) => one.map((round) => measured(round, measure)));
    return { name: goalName(of, to, measure), measured: ratios(own ?? [], base ?? []), ...limits };
  });
}

function measured(round: Round, measure: HttpGoal['measure']): number {
  switch (measure) {
    case 'CPU':
      return round.cpuUsPerUnit;
    case 'rate':
      return round.unitsPerSecond;
    case 'time':
      return 1 / round.unitsPerSecond;
    case 'p50':
      return round.p50Ms;
  }
}

function goalName([work, contender]: RowName, [toWork, toContender]: RowName, measure: string): string {
  const base = [toWork !== work && toWork, toContender !== contender && toContender].filter(Boolean).join(', ');
  return `${work}, ${contender} ÷ ${base}, ${measure}`;
}

/** The results of one contender in one case over all rounds. Ratios are computed per round. */
interface ContenderSummary {
  readonly contender: string;
  readonly cpuUs: Spread;
  readonly perSecond: Spread;
  readonly cpuToBaseline: Spread;
  readonly rateToBaseline: Spread;
  /** Missing if the peer is not in the case. */
  readonly cpuToPeer?: Spread;
  readonly rateToPeer?: Spread;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loadBusy: number;
  readonly rounds: readonly Round[];
}

function summarize(rounds: CaseRounds): readonly ContenderSummary[] {
  const [baseline, peer] = [rounds.get(BASELINE) ?? [], rounds.get(PEER)];
  const values = (key: keyof Round, of: readonly Round[]) => of.map((round) => round[key]);
  return [...rounds].map(([contender, own]) => ({
    contender,
    cpuUs: spread(values('cpuUsPerUnit', own)),
    perSecond: spread(values('unitsPerSecond', own)),
    cpuToBaseline: ratios(values('cpuUsPerUnit', own), values('cpuUsPerUnit', baseline)),
    rateToBaseline: ratios(values('unitsPerSecond', own), values('unitsPerSecond', baseline)),
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
  readonly atRate: readonly ContenderSummary[];
}

/** The second yardstick: the CPU time per request when all contenders get as many requests per second. */
function rateTable(bench: HttpBench, cases: readonly CaseSummary[]): readonly string[] {
  const rows = cases.flatMap(({ work, contenders, atRate }) =>
    contenders
      .filter(() => work.fixedRate !== undefined)
      .map(({ contender }) => {
        const name = `${cases.length > 1 ? `${work.name}, ` : ''}${contender}, ${work.fixedRate}/s`;
        const one = atRate.find((other) => other.contender === contender);
        if (one === undefined) return [name, '–', '–', '–', '–', '–', '–'];
        return [
          name,
          showSpread(one.cpuUs),
          showSpread(one.cpuToBaseline),
          one.cpuToPeer ? showSpread(one.cpuToPeer) : '–',
          show(one.p50Ms),
          show(one.p99Ms),
          `${Math.round(one.loadBusy * 100)} %`,
        ];
      }),
  );
  if (rows.length === 0) return [];
  const head = [
    'at a fixed rate',
    `CPU µs/${bench.unit}`,
    `CPU × ${BASELINE}`,
    `CPU × ${PEER}`,
    'p50 ms',
    'p99 ms',
    'load busy',
  ];
  return [table(head, rows)];
}

function httpTable(bench: HttpBench, cases: readonly CaseSummary[]): string {
  const many = cases.length > 1;
  const head = [
    many ? 'case, contender' : 'contender',
    `CPU µs/${bench.unit}`,
    `CPU × ${BASELINE}`,
    `CPU × ${PEER}`,
    `${bench.unit}s/s`,
    `rate × ${BASELINE}`,
    `rate × ${PEER}`,
    'p50 ms',
    'p99 ms',
    'load busy',
  ];
  const rows = cases.flatMap(({ work, contenders }) =>
    contenders.map((one) => [
      many ? `${work.name}, ${one.contender}` : one.contender,
      showSpread(one.cpuUs),
      showSpread(one.cpuToBaseline),
      one.cpuToPeer ? showSpread(one.cpuToPeer) : '–',
      show(one.perSecond.median),
      showSpread(one.rateToBaseline),
      one.rateToPeer ? showSpread(one.rateToPeer) : '–',
      show(one.p50Ms),
      show(one.p99Ms),
      `${Math.round(one.loadBusy * 100)} %`,
    ]),
  );
  return table(head, rows);
}
