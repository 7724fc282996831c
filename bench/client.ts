import { contenders, BASELINE, PEER } from './contenders/list.ts';
import type { Bench } from './harness/bench.ts';
import { Child } from './harness/child.ts';
import { CLIENT_WORK, type ClientOrder, type ClientRound, type ClientWork } from './harness/client-contender.ts';
import { goalTable } from './harness/goals.ts';
import { TestBed, rotated, warmUp } from './harness/http-rounds.ts';
import { buildProduct, installPeers } from './harness/product.ts';
import { ratios, type Spread, spread } from './harness/stats.ts';
import { show, showSpread, table } from './harness/table.ts';

const OWN = 'tandem';

const CLIENTS: Readonly<Record<string, URL>> = {
  [BASELINE]: new URL('clients/raw.ts', import.meta.url),
  [PEER]: new URL('clients/a2a-js.ts', import.meta.url),
  [OWN]: new URL('clients/tandem.ts', import.meta.url),
};

/** Calls per round; fewer with `--quick`. */
const SIZES: Readonly<Record<ClientWork, Pick<ClientOrder, 'calls' | 'inFlight' | 'chunks'>>> = {
  send: { calls: 2000, inFlight: 16, chunks: 0 },
  get: { calls: 1000, inFlight: 16, chunks: 0 },
  stream: { calls: 2, inFlight: 1, chunks: 20_000 },
};

const AT_MOST = 2;
const ROUND_LIMIT_MS = 60_000;

interface Row {
  readonly work: ClientWork;
  readonly client: string;
  readonly cpuUs: Spread;
  readonly perSecond: Spread;
  readonly cpuToBaseline: Spread;
  readonly cpuToPeer: Spread;
  readonly rounds: readonly ClientRound[];
}

/**
 * The CPU time that a client costs its own process. All clients call the raw baseline server, which runs in another
 * process.
 */
export const client: Bench = {
  name: 'client',
  async run({ quick }) {
    buildProduct();
    installPeers();
    const rounds = quick ? 5 : 15;
    const rows: Row[] = [];
    for (const work of CLIENT_WORK) rows.push(...rowsOf(work, await measure(work, rounds, quick)));
    const goals = rows
      .filter(({ work, client }) => work === 'send' && client === OWN)
      .map(({ cpuToBaseline }) => ({
        name: `send, ${OWN} ÷ ${BASELINE}, CPU`,
        measured: cpuToBaseline,
        atMost: AT_MOST,
      }));
    return {
      title: `client: JSON-RPC 1.0 against the ${BASELINE} server (${rounds} rounds)`,
      table: [rowTable(rows), goalTable(goals)].join('\n\n'),
      result: { rows, goals },
    };
  },
};

async function measure(work: ClientWork, rounds: number, quick: boolean): Promise<Map<string, ClientRound[]>> {
  await using bed = new TestBed();
  const server = contenders.find(({ name }) => name === BASELINE);
  if (server === undefined) throw new Error(`no contender ${BASELINE}`);
  const { port } = await bed.start(server);
  const clients = Object.entries(CLIENTS).map(([name, file]) => ({ name, child: new Child(name, file), sent: 0 }));
  const one = (each: (typeof clients)[number]): Promise<ClientRound> => {
    const size = SIZES[work];
    const calls = quick ? Math.ceil(size.calls / 2) : size.calls;
    const order: ClientOrder = { ...size, work, port, calls, first: each.sent };
    each.sent += calls;
    return each.child.request<ClientRound>(order, ROUND_LIMIT_MS);
  };
  const measured = new Map<string, ClientRound[]>(clients.map(({ name }) => [name, []]));
  try {
    for (const each of clients) await warmUp(() => one(each), quick ? 500 : 2000);
    for (let round = 0; round < rounds; round += 1) {
      for (const each of rotated(clients, round)) measured.get(each.name)?.push(await one(each));
    }
  } finally {
    await Promise.all(clients.map(({ child }) => child.stop()));
  }
  return measured;
}

function rowsOf(work: ClientWork, measured: ReadonlyMap<string, readonly ClientRound[]>): readonly Row[] {
  const cpuOf = (name: string): number[] => (measured.get(name) ?? []).map(({ cpuUsPerUnit }) => cpuUsPerUnit);
  return [...measured].map(([name, rounds]) => ({
    work,
    client: name,
    cpuUs: spread(cpuOf(name)),
    perSecond: spread(rounds.map(({ unitsPerSecond }) => unitsPerSecond)),
    cpuToBaseline: ratios(cpuOf(name), cpuOf(BASELINE)),
    cpuToPeer: ratios(cpuOf(name), cpuOf(PEER)),
    rounds,
  }));
}

function rowTable(rows: readonly Row[]): string {
  return table(
    ['work, client', 'CPU µs each', 'least', `CPU × ${BASELINE}`, `CPU × ${PEER}`, 'each per s'],
    rows.map(({ work, client, cpuUs, perSecond, cpuToBaseline, cpuToPeer }) => [
      `${work}, ${client}`,
      showSpread(cpuUs),
      show(cpuUs.min),
      showSpread(cpuToBaseline),
      showSpread(cpuToPeer),
      show(perSecond.median),
    ]),
  );
}
