import { contenders, PEER_STORED } from './contenders/list.ts';
import type { Bench } from './harness/bench.ts';
import { httpReport } from './harness/http-report.ts';
import { TestBed, oneRound, type Round, type Running, rotated, warmUp } from './harness/http-rounds.ts';
import { buildProduct, installPeers } from './harness/product.ts';
import { hasMany, pages } from './pages.ts';

const FEW = 1000;
const MANY = 100_000;

/** One server and one of its cases. */
interface Turn {
  readonly server: Running;
  readonly work: (typeof pages.cases)[number];
  readonly rounds: Round[];
}

/**
 * Pages of a long list at several depths, compared with those of a short list. Servers are filled once for all cases.
 */
export const list: Bench = {
  name: 'list',
  async run({ quick }) {
    buildProduct();
    installPeers();
    const options = { rounds: quick ? 3 : 7, quick };
    await using bed = new TestBed();
    const turns: Turn[] = [];
    // The SQL store of the SDK is omitted, because filling it takes minutes.
    for (const contender of contenders.filter(({ name }) => name !== PEER_STORED)) {
      const few = await bed.start(contender, FEW);
      const many = await bed.start(contender, quick ? MANY / 10 : MANY);
      for (const work of pages.cases.filter(({ only }) => only?.includes(contender.name) ?? true)) {
        turns.push({ server: hasMany(work.name) ? many : few, work, rounds: [] });
      }
    }
    const one = ({ server, work }: Turn) => oneRound(bed.load, server, pages, work, options);
    for (const turn of turns) await warmUp(() => one(turn), quick ? 200 : 1000);
    for (let round = 0; round < options.rounds; round += 1) {
      for (const turn of rotated(turns, round)) turn.rounds.push(await one(turn));
    }
    const measured = pages.cases.map(({ name }) => {
      const own = turns.filter(({ work }) => work.name === name);
      return [name, { closedLoop: new Map(own.map(({ server, rounds }) => [server.name, rounds])) }] as const;
    });
    return httpReport(pages, new Map(measured), options.rounds);
  },
};
