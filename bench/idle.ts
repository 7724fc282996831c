import { contenders, OWN, OWN_STORED, PEER_STORED } from './contenders/list.ts';
import type { Bench } from './harness/bench.ts';
import { Child } from './harness/child.ts';
import type { ContenderRequest, MemoryReading } from './harness/contender.ts';
import { goalTable } from './harness/goals.ts';
import { TestBed, type Running, rotated } from './harness/http-rounds.ts';
import { buildProduct, installPeers } from './harness/product.ts';
import { type Spread, spread } from './harness/stats.ts';
import type { SubscribersRequest } from './harness/subscribers.ts';
import { showSpread, table } from './harness/table.ts';

const SUBSCRIBERS = 2000;
const WARM_UP = 200;
const AT_MOST_KIB = 22;
const ANSWER_LIMIT_MS = 60_000;

/** The limit per subscriber in KiB. */
interface Cost {
  readonly heldKiB: number;
  readonly residentKiB: number;
}

interface Row {
  readonly name: string;
  readonly heldKiB: Spread;
  readonly residentKiB: Spread;
}

/** The memory that a server needs per idle subscriber. All of them subscribe to one task that publishes nothing. */
export const idle: Bench = {
  name: 'idle',
  async run({ quick }) {
    buildProduct();
    installPeers();
    const rounds = quick ? 2 : 3;
    const subscribers = new Child('subscribers', new URL('harness/subscribers.ts', import.meta.url));
    try {
      const rows = await measure(subscribers, rounds);
      const goals = rows
        .filter(({ name }) => name === OWN || name === OWN_STORED)
        .map(({ name, residentKiB }) => ({
          name: `${name}, resident`,
          measured: residentKiB,
          unit: 'KiB',
          atMost: AT_MOST_KIB,
        }));
      return {
        title: `idle: memory for one of ${SUBSCRIBERS} idle subscribers (${rounds} rounds)`,
        table: [rowTable(rows), goalTable(goals)].join('\n\n'),
        result: { rows, goals },
      };
    } finally {
      await subscribers.stop();
    }
  },
};

/** Each time in a new process, because a process does not return memory to the system. */
async function measure(subscribers: Child, rounds: number): Promise<readonly Row[]> {
  const measured = contenders
    // The SDK reads its store once at the start of a subscription.
    .filter(({ name }) => name !== PEER_STORED)
    .map((contender) => ({ contender, costs: [] as Cost[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { contender, costs } of rotated(measured, round)) {
      await using bed = new TestBed();
      // The SDK adds more listeners than Node allows without a warning.
      const server = await bed.start(contender, 0, ['--expose-gc', '--no-warnings']);
      costs.push(await costOf(server, subscribers));
    }
  }
  return measured.map(({ contender: { name }, costs }) => ({
    name,
    heldKiB: spread(costs.map(({ heldKiB }) => heldKiB)),
    residentKiB: spread(costs.map(({ residentKiB }) => residentKiB)),
  }));
}

async function costOf({ child, port }: Running, subscribers: Child): Promise<Cost> {
  const memory = () => child.request<MemoryReading>('memory' satisfies ContenderRequest, ANSWER_LIMIT_MS);
  const order = (question: SubscribersRequest) => subscribers.request(question, ANSWER_LIMIT_MS);
  // Objects that are created only once exist after these subscribers.
  await order({ kind: 'open', port, count: WARM_UP });
  await order({ kind: 'end' });
  const before = await memory();
  await order({ kind: 'open', port, count: SUBSCRIBERS });
  const after = await memory();
  await order({ kind: 'end' });
  const each = (bytes: number): number => bytes / SUBSCRIBERS / 1024;
  return { heldKiB: each(after.held - before.held), residentKiB: each(after.resident - before.resident) };
}

function rowTable(rows: readonly Row[]): string {
  return table(
    ['contender', 'held KiB/subscriber', 'resident KiB/subscriber'],
    rows.map(({ name, heldKiB, residentKiB }) => [name, showSpread(heldKiB), showSpread(residentKiB)]),
  );
}
