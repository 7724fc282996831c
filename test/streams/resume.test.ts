/** Readers that come and go at random over real connections: each of them ends up with the log, exactly. */
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import { Random } from '../simulation/random.ts';
import { difference } from './difference.ts';
import { ResumingClient } from './resuming-client.ts';
import { logOf, openStore, serving, STORES, testAgent } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import type { StreamReader } from './stream-reader.ts';
import { WAYS } from './ways.ts';

/** `TANDEM_SEED` repeats what a failure has printed. */
const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const CLIENTS = 500;
const TASKS = 10;
const BURSTS = 5;
const BURST = 10;

/** Lets a task go on when half of its readers have read what it said last, so that they all come and go while it works. */
class Pace {
  readonly #readers: number;
  #seen = 0;
  #needed = 0;
  #goOn: (() => void) | undefined;

  constructor(readers: number) {
    this.#readers = readers;
  }

  saw(): void {
    if (++this.#seen >= this.#needed) this.#goOn?.();
  }

  /** Does not wait any more: a reader has given up. */
  giveUp(): void {
    this.#seen = Number.POSITIVE_INFINITY;
    this.#goOn?.();
  }

  async after(events: number): Promise<void> {
    this.#needed = (events * this.#readers) / 2;
    if (this.#seen < this.#needed) await new Promise<void>((resolve) => (this.#goOn = resolve));
  }
}

/** Several artifacts that grow by turns, one that is replaced, and a word now and then. */
function talker(paces: ReadonlyMap<string, Pace>): Handler {
  return async function* run({ text, artifact }) {
    const pace = paces.get(text);
    for (let burst = 0; burst < BURSTS; burst++) {
      yield { status: 'working', text: `burst ${burst}` };
      await artifact('draft').replace(`draft ${burst}`);
      for (let i = 2; i < BURST; i++) await artifact(`book ${i % 3}`).append(`${burst}.${i} `);
      await pace?.after(burst * BURST);
    }
  };
}

test.each(STORES)(
  `${CLIENTS} clients that leave and come back at random have the whole log (%s, seed ${SEED})`,
  async (kind) => {
    const random = new Random(`${SEED} ${kind}`);
    const paces = new Map(Array.from({ length: TASKS }, (_, i) => [`task ${i}`, new Pace(CLIENTS / TASKS)]));
    const store = openStore(kind);
    const { port } = await serving(testAgent(talker(paces)), { store });

    const clients: ResumingClient[] = [];
    const runs: Promise<void>[] = [];
    const senders: StreamReader[] = [];
    for (const [name, pace] of paces) {
      const way = random.pick(WAYS);
      const sender = await send(port, way, name).until(({ events }) => events.length > 0);
      senders.push(sender);
      for (let i = 0; i < CLIENTS / TASKS; i++) {
        const client = new ResumingClient({
          port: async () => port,
          way: WAYS[i % WAYS.length] ?? way,
          taskId: taskIdOf(sender),
          random: new Random(`${SEED} ${name} ${i}`),
          begins: random.chance(0.3) ? 'with the task' : 'at the first event',
          patience: random.pick([0, 5, 12, 30]),
          onEvent: () => pace.saw(),
        });
        clients.push(client);
        runs.push(client.run().then(() => (client.faults.length > 0 ? pace.giveUp() : undefined)));
      }
    }
    await Promise.all(runs);
    await Promise.all(senders.map(({ ended }) => ended));

    const logs = new Map<string, readonly TaskEvent[]>();
    for (const { taskId } of clients) if (!logs.has(taskId)) logs.set(taskId, await logOf(store, taskId));
    expect(clients.flatMap((client) => difference(client, logs.get(client.taskId) ?? []) ?? [])).toEqual([]);
    expect(senders.map(({ events }) => events.map(({ number }) => number))).toEqual(
      [...logs.values()].map((log) => log.map(({ number }) => number)),
    );
    expect(clients.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(4 * CLIENTS);
  },
  120_000,
);
