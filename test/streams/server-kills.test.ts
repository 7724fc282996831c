/** A server that is killed while clients read streams: they reconnect to the next one and get each event once. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import { deferred, type Deferred } from '../../src/support/deferred.ts';
import { Random } from '../simulation/random.ts';
import { type TestProcess, testProcesses, TIMEOUT_MS } from './child-process.ts';
import { differenceFromLog } from './log-difference.ts';
import { ResumingClient } from './resuming-client.ts';
import { logOf } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import { WIRE_FORMATS } from './wire-formats.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const KILLS = 12;
const TASKS = 6;
const CLIENTS = 36;
/** The number of pieces of each task. */
const PIECES = 240;

const { folder, start } = testProcesses(new URL('restarted-server.ts', import.meta.url));

/** A free port below those that the system assigns to other sockets. */
async function freePort(random: Random): Promise<number> {
  for (;;) {
    const port = random.int(20_000, 30_000);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => probe.close(resolve));
    if (isFree) return port;
  }
}

/** Server processes that run one after the other, on the same port and database. */
class ServerProcesses {
  readonly #port: number;
  readonly #path: string;
  #child: TestProcess<never> | undefined;
  #isUp: Deferred<void> = deferred<void>();
  #started = 0;

  constructor(port: number, path: string) {
    this.#port = port;
    this.#path = path;
  }

  /** Resolves to the port as soon as a process listens. */
  readonly port = async (): Promise<number> => {
    await this.#isUp.promise;
    return this.#port;
  };

  async start(): Promise<void> {
    this.#started++;
    const pieces = this.#started > KILLS ? PIECES : Math.trunc((PIECES / (KILLS + 1)) * this.#started);
    this.#child = start<never>(this.#path, ...[this.#port, PIECES, pieces].map(String));
    await this.#child.nextMessage();
    this.#isUp.resolve();
  }

  async kill(): Promise<void> {
    // No client may connect while no server listens: on a port in this range it could connect to itself.
    this.#isUp = deferred<void>();
    await this.#child?.kill();
  }
}

test(
  `clients that reconnect after each of ${KILLS} kills of the server receive each event once (seed ${SEED})`,
  async () => {
    const random = new Random(SEED);
    const path = join(folder, 'tasks.db');
    const servers = new ServerProcesses(await freePort(random), path);
    await servers.start();
    const port = await servers.port();
    const senders = await Promise.all(
      Array.from({ length: TASKS }, (_, i) =>
        send(port, random.pick(WIRE_FORMATS), `t${i}`).until(({ events }) => events.length > 0),
      ),
    );

    let received = 0;
    let target = 0;
    let targetReached = deferred<void>();
    const clients = Array.from(
      { length: CLIENTS },
      (_, i) =>
        new ResumingClient({
          port: servers.port,
          format: WIRE_FORMATS[i % WIRE_FORMATS.length] ?? WIRE_FORMATS[0],
          taskId: taskIdOf(senders[i % TASKS] ?? expect.fail('No task')),
          random: new Random(`${SEED} ${i}`),
          startsAt: random.chance(0.2) ? 'current task' : 'first event',
          maxEvents: random.pick([0, 0, 30]),
          onEvent: () => {
            if (++received >= target) targetReached.resolve();
          },
        }),
    );
    const runs = clients.map((client) => client.run());
    const perProcess = (PIECES / (KILLS + 1)) * CLIENTS;
    for (let kill = 0; kill < KILLS; kill++) {
      // Fewer events than clients can receive from this process, because some clients start with the current task.
      target = Math.trunc(perProcess * (kill + random.next() * 0.7));
      targetReached = deferred<void>();
      if (received < target) await targetReached.promise;
      await servers.kill();
      await servers.start();
    }
    await Promise.all(runs);
    expect(await Promise.all(senders.map(({ ended }) => ended))).toEqual(senders.map(() => 'cut'));
    expect(senders.map(({ comments, retryMs }) => [comments, retryMs])).toEqual(senders.map(() => [[], undefined]));
    await servers.kill();

    const store = sqlite(path);
    const logs = new Map<string, readonly TaskEvent[]>();
    for (const { taskId } of clients) if (!logs.has(taskId)) logs.set(taskId, await logOf(store, taskId));
    await store.close();
    expect(clients.flatMap((client) => differenceFromLog(client, logs.get(client.taskId) ?? []) ?? [])).toEqual([]);
    // Replays published no output twice.
    for (const log of logs.values()) {
      expect(log.filter(({ kind }) => kind === 'artifact')).toHaveLength(PIECES);
      expect(log.at(-1)?.body).toContain('TASK_STATE_COMPLETED');
    }
    expect(clients.filter(({ connections }) => connections > KILLS / 2).length).toBeGreaterThan(CLIENTS / 2);
  },
  TIMEOUT_MS,
);
