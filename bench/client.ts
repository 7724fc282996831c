import { contenders, FLOOR, PEER } from './contenders/list.ts';
import type { Bench } from './harness/bench.ts';
import { Child } from './harness/child.ts';
import { CLIENT_WORK, type ClientOrder, type ClientRound, type ClientWork } from './harness/client-contender.ts';
import { goalTable } from './harness/goals.ts';
import { Field, turned, warmUp } from './harness/http-rounds.ts';
import { buildProduct, installPeers } from './harness/product.ts';
import { ratios, type Spread, spread } from './harness/stats.ts';
import { show, showSpread, table } from './harness/table.ts';

const OWN = 'tandem';

const CLIENTS: Readonly<Record<string, URL>> = {
  [FLOOR]: new URL('clients/raw.ts', import.meta.url),
  [PEER]: new URL('clients/a2a-js.ts', import.meta.url),
  [OWN]: new URL('clients/tandem.ts', import.meta.url),
};

/** A round; `--quick` ones are shorter. */
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
  readonly cpuToFloor: Spread;
  readonly cpuToPeer: Spread;
  readonly rounds: readonly ClientRound[];
}

/** What a client costs the process that it is in: all talk to the floor of the servers, which costs them nothing. */
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
      .map(({ cpuToFloor }) => ({ name: `send, ${OWN} ÷ ${FLOOR}, CPU`, measured: cpuToFloor, atMost: AT_MOST }));
    return {
      title: `client: JSON-RPC 1.0 against the ${FLOOR} server (${rounds} rounds)`,
      table: [rowTable(rows), goalTable(goals)].join('\n\n'),
      result: { rows, goals },
    };
  },
};

async function measure(work: ClientWork, rounds: number, quick: boolean): Promise<Map<string, ClientRound[]>> {
  await using field = new Field();
  const server = contenders.find(({ name }) => name === FLOOR);
  if (server === undefined) throw new Error(`no contender ${FLOOR}`);
  const { port } = await field.start(server);
  const clients = Object.entries(CLIENTS).map(([name, file]) => ({ name, child: new Child(name, file), sent: 0 }));
  const one = (each: (typeof clients)[number]): Promise<ClientRound> => {
    const size = SIZES[work];
    const calls = quick ? Math.ceil(size.calls / 2) : size.calls;
    const order: ClientOrder = { ...size, work, port, calls, first: each.sent };
    each.sent += calls;
    return each.child.ask<ClientRound>(order, ROUND_LIMIT_MS);
  };
  const measured = new Map<string, ClientRound[]>(clients.map(({ name }) => [name, []]));
  try {
    for (const each of clients) await warmUp(() => one(each), quick ? 500 : 2000);
    for (let round = 0; round < rounds; round += 1) {
      for (const each of turned(clients, round)) measured.get(each.name)?.push(await one(each));
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
    cpuToFloor: ratios(cpuOf(name), cpuOf(FLOOR)),
    cpuToPeer: ratios(cpuOf(name), cpuOf(PEER)),
    rounds,
  }));
}

function rowTable(rows: readonly Row[]): string {
  return table(
    ['work, client', 'CPU µs each', 'least', `CPU × ${FLOOR}`, `CPU × ${PEER}`, 'each per s'],
    rows.map(({ work, client, cpuUs, perSecond, cpuToFloor, cpuToPeer }) => [
      `${work}, ${client}`,
      showSpread(cpuUs),
      show(cpuUs.min),
      showSpread(cpuToFloor),
      showSpread(cpuToPeer),
      show(perSecond.median),
    ]),
  );
}
