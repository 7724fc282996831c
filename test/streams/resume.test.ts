/** Subscribers that disconnect and resume at random over real connections: each of them receives exactly the log. */
import { expect, test } from 'vitest';
import type { Handler } from '../../src/engine/handler.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import { Random } from '../simulation/random.ts';
import { differenceFromLog } from './log-difference.ts';
import { ResumingClient } from './resuming-client.ts';
import { logOf, openStore, startServer, STORES, testAgent } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import type { StreamClient } from './stream-client.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

/** Set `TANDEM_SEED` to the seed in the title of a failed test to repeat it. */
const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const CLIENTS = 500;
const TASKS = 10;
const BURSTS = 5;
const BURST = 10;

/** Delays a task until half of its events are received, so that subscribers disconnect and resume while it works. */
class Pace {
  readonly #subscribers: number;
  #received = 0;
  #needed = 0;
  #continue: (() => void) | undefined;

  constructor(subscribers: number) {
    this.#subscribers = subscribers;
  }

  noteEvent(): void {
    if (++this.#received >= this.#needed) this.#continue?.();
  }

  /** Stops delaying the task, because a subscriber has failed. */
  stop(): void {
    this.#received = Number.POSITIVE_INFINITY;
    this.#continue?.();
  }

  async after(events: number): Promise<void> {
    this.#needed = (events * this.#subscribers) / 2;
    if (this.#received < this.#needed) await new Promise<void>((resolve) => (this.#continue = resolve));
  }
}

/** A handler with three artifacts that it appends to, one that it replaces, and some status messages. */
function publisher(paces: ReadonlyMap<string, Pace>): Handler {
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
  `${CLIENTS} clients that disconnect and resume at random receive the whole log (%s, seed ${SEED})`,
  async (kind) => {
    const random = new Random(`${SEED} ${kind}`);
    const paces = new Map(Array.from({ length: TASKS }, (_, i) => [`task ${i}`, new Pace(CLIENTS / TASKS)]));
    const store = openStore(kind);
    const { port } = await startServer(testAgent(publisher(paces)), { store });

    const clients: ResumingClient[] = [];
    const runs: Promise<void>[] = [];
    const senders: StreamClient[] = [];
    for (const [name, pace] of paces) {
      const format = random.pick(WIRE_FORMATS);
      const sender = await send(port, format, name).until(({ events }) => events.length > 0);
      senders.push(sender);
      for (let i = 0; i < CLIENTS / TASKS; i++) {
        const client = new ResumingClient({
          port: async () => port,
          format: WIRE_FORMATS[i % WIRE_FORMATS.length] ?? format,
          taskId: taskIdOf(sender),
          random: new Random(`${SEED} ${name} ${i}`),
          startsAt: random.chance(0.3) ? 'current task' : 'first event',
          maxEvents: random.pick([0, 5, 12, 30]),
          onEvent: () => pace.noteEvent(),
        });
        clients.push(client);
        runs.push(client.run().then(() => (client.faults.length > 0 ? pace.stop() : undefined)));
      }
    }
    await Promise.all(runs);
    await Promise.all(senders.map(({ ended }) => ended));

    const logs = new Map<string, readonly TaskEvent[]>();
    for (const { taskId } of clients) if (!logs.has(taskId)) logs.set(taskId, await logOf(store, taskId));
    expect(clients.flatMap((client) => differenceFromLog(client, logs.get(client.taskId) ?? []) ?? [])).toEqual([]);
    expect(senders.map(({ events }) => events.map(({ number }) => number))).toEqual(
      [...logs.values()].map((log) => log.map(({ number }) => number)),
    );
    expect(clients.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(4 * CLIENTS);
  },
  120_000,
);
