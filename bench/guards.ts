import { contenders, OWN } from './contenders/list.ts';
import { GUARDS, guardedSend, OPEN, OPEN_TO_REPEATS } from './guarded-send.ts';
import type { Bench } from './harness/bench.ts';
import { goalTable } from './harness/goals.ts';
import { Field, oneRound, type Round, type Running, turned, warmUp } from './harness/http-rounds.ts';
import { buildProduct } from './harness/product.ts';
import { ratios, spread } from './harness/stats.ts';
import { showSpread, table } from './harness/table.ts';

/** One server with what stands before it. */
interface Turn {
  readonly server: Running;
  readonly work: (typeof guardedSend.cases)[number];
  readonly rounds: Round[];
}

/** What credentials that are known already may add to the CPU time of a send. */
const LIMITS: ReadonlyMap<string, number> = new Map([
  ['fixed token', 1.1],
  ['JWT, shared secret', 1.1],
]);

/** What authentication, limits and metrics cost each request; each on a server of its own, beside an open one. */
export const guards: Bench = {
  name: 'guards',
  async run({ quick }) {
    buildProduct();
    // Many short ones: single rounds differ by a quarter, and what is looked for is a tenth.
    const options = { rounds: quick ? 3 : 60, quick };
    await using field = new Field();
    const own = contenders.find(({ name }) => name === OWN);
    if (own === undefined) throw new Error(`no contender ${OWN}`);
    const turns: Turn[] = [];
    for (const work of guardedSend.cases) {
      const guarded = { ...own, name: work.name, guards: GUARDS.get(work.name) ?? [] };
      turns.push({ server: await field.start(guarded), work, rounds: [] });
    }
    const one = ({ server, work }: Turn) => oneRound(field.load, server, guardedSend, work, options);
    for (const turn of turns) await warmUp(() => one(turn), quick ? 500 : 3000);
    for (let round = 0; round < options.rounds; round += 1) {
      for (const turn of turned(turns, round)) turn.rounds.push(await one(turn));
    }
    return report(turns, options.rounds);
  },
};

function report(turns: readonly Turn[], rounds: number): Awaited<ReturnType<Bench['run']>> {
  const cpuOf = (turn: Turn | undefined): readonly number[] => turn?.rounds.map((one) => one.cpuUsPerUnit) ?? [];
  const open = cpuOf(turns.find(({ work }) => work.name === OPEN));
  const openToRepeats = cpuOf(turns.find(({ work }) => work.name === OPEN_TO_REPEATS));
  const rows = turns.map((turn) => {
    const cpuUs = spread(cpuOf(turn));
    const rate = spread(turn.rounds.map(({ unitsPerSecond }) => unitsPerSecond));
    const cpu = cpuOf(turn);
    const [toOpen, toRepeats] = [ratios(cpu, open), ratios(cpu, openToRepeats)];
    return { name: turn.work.name, cpuUs, toOpen, toRepeats, rate, rounds: turn.rounds };
  });
  // Both: what a user pays who turns it on, and what of that is for knowing who calls.
  const goals = rows.flatMap(({ name, toOpen, toRepeats }) => {
    const atMost = LIMITS.get(name);
    if (atMost === undefined) return [];
    return [
      { name: `${name} ÷ ${OPEN}, CPU`, measured: toOpen, atMost },
      { name: `${name} ÷ ${OPEN_TO_REPEATS}, CPU`, measured: toRepeats, atMost },
    ];
  });
  const cells = rows.map(({ name, cpuUs, toOpen, toRepeats, rate }) => [
    name,
    showSpread(cpuUs),
    cpuUs.min.toFixed(1),
    showSpread(toOpen),
    showSpread(toRepeats),
    rate.median.toFixed(0),
  ]);
  return {
    title: `${guardedSend.title} (${rounds} rounds)`,
    table: [
      table(['before it', 'CPU µs/request', 'least', `CPU × ${OPEN}`, `CPU × ${OPEN_TO_REPEATS}`, 'requests/s'], cells),
      goalTable(goals),
    ].join('\n\n'),
    result: { rows, goals },
  };
}
