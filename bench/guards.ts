import { contenders, OWN } from './contenders/list.ts';
import { GUARDS, guardedSend, UNGUARDED, DEDUPLICATED } from './guarded-send.ts';
import type { Bench } from './harness/bench.ts';
import { goalTable } from './harness/goals.ts';
import { TestBed, oneRound, type Round, type Running, rotated, warmUp } from './harness/http-rounds.ts';
import { buildProduct } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';

/** One server with its checks. */
interface Turn {
  readonly server: Running;
  readonly work: (typeof guardedSend.cases)[number];
  readonly rounds: Round[];
}

/** The limit for the CPU time that cached credentials add to a send. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ['fixed token', 1.1],
  ['JWT, shared secret', 1.1],
]);

/**
 * The cost of authentication, limits and metrics per request. Each runs on a separate server beside one without checks.
 */
export const guards: Bench = {
  name: 'guards',
  async run({ quick }) {
    buildProduct();
    // Many short rounds: single rounds differ by a quarter, and the expected effect is a tenth.
    const options = { rounds: quick ? 3 : 60, quick };
    await using bed = new TestBed();
    const own = contenders.find(({ name }) => name === OWN);
    if (own === undefined) throw new Error(`no contender ${OWN}`);
    const turns: Turn[] = [];
    for (const work of guardedSend.cases) {
      const guarded = { ...own, name: work.name, guards: GUARDS.get(work.name) ?? [] };
      turns.push({ server: await bed.start(guarded), work, rounds: [] });
    }
    const one = ({ server, work }: Turn) => oneRound(bed.load, server, guardedSend, work, options);
    for (const turn of turns) await warmUp(() => one(turn), quick ? 500 : 3000);
    for (let round = 0; round < options.rounds; round += 1) {
      for (const turn of rotated(turns, round)) turn.rounds.push(await one(turn));
    }
    return report(turns, options.rounds);
  },
};

function report(turns: readonly Turn[], rounds: number): Awaited<ReturnType<Bench['run']>> {
  const cpuOf = (turn: Turn | undefined): readonly number[] => turn?.rounds.map((one) => one.cpuUsPerUnit) ?? [];
  const unguarded = cpuOf(turns.find(({ work }) => work.name === UNGUARDED));
  const deduplicated = cpuOf(turns.find(({ work }) => work.name === DEDUPLICATED));
  const rows = turns.map((turn) => {
    const cpuUs = spread(cpuOf(turn));
    const rate = spread(turn.rounds.map(({ unitsPerSecond }) => unitsPerSecond));
    const cpu = cpuOf(turn);
    const [toUnguarded, toDeduplicated] = [ratios(cpu, unguarded), ratios(cpu, deduplicated)];
    return { name: turn.work.name, cpuUs, toUnguarded, toDeduplicated, rate, rounds: turn.rounds };
  });
  // Both ratios: the total cost for a user who enables the check, and the part of it that authentication causes.
  const goals = rows.flatMap(({ name, toUnguarded, toDeduplicated }) => {
    const atMost = LIMITS.get(name);
    if (atMost === undefined) return [];
    return [
      { name: `${name} ÷ ${UNGUARDED}, CPU`, measured: toUnguarded, atMost },
      { name: `${name} ÷ ${DEDUPLICATED}, CPU`, measured: toDeduplicated, atMost },
    ];
  });
  const cells = rows.map(({ name, cpuUs, toUnguarded, toDeduplicated, rate }) => [
    name,
    showSpread(cpuUs),
    cpuUs.min.toFixed(1),
    showSpread(toUnguarded),
    showSpread(toDeduplicated),
    rate.median.toFixed(0),
  ]);
  return {
    title: `${guardedSend.title} (${rounds} rounds)`,
    table: [
      table(['checks', 'CPU µs/request', 'least', `CPU × ${UNGUARDED}`, `CPU × ${DEDUPLICATED}`, 'requests/s'], cells),
      goalTable(goals),
    ].join('\n\n'),
    result: { rows, goals },
  };
}
