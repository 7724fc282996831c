/** A server that is killed while clients read from it: they come back to the next one and have it all, once. */
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { TaskEvent } from '../../src/store/store.ts';
import { deferred, type Deferred } from '../../src/support/deferred.ts';
import { Random } from '../simulation/random.ts';
import { type Child, children, TIMEOUT_MS } from './child.ts';
import { difference } from './difference.ts';
import { ResumingClient } from './resuming-client.ts';
import { logOf } from './servers.ts';
import { send, taskIdOf } from './stream-calls.ts';
import { WAYS } from './ways.ts';

const SEED = process.env['TANDEM_SEED'] ?? String(Math.trunc(Math.random() * 2 ** 31));
const KILLS = 12;
const TASKS = 6;
const CLIENTS = 36;
/** Of each task. */
const PIECES = 240;

const { folder, start } = children(new URL('mortal-server.ts', import.meta.url));

/** Below those that the system gives to others while nobody listens there. */
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

/** One process after another, at the same port and on the same file. */
class Lives {
  readonly #port: number;
  readonly #path: string;
  #child: Child<never> | undefined;
  #isUp: Deferred<void> = deferred<void>();
  #life = 0;

  constructor(port: number, path: string) {
    this.#port = port;
    this.#path = path;
  }

  /** Resolves to where it listens, as soon as it does. */
  readonly port = async (): Promise<number> => {
    await this.#isUp.promise;
    return this.#port;
  };

  async next(): Promise<void> {
    this.#life++;
    const pieces = this.#life > KILLS ? PIECES : Math.trunc((PIECES / (KILLS + 1)) * this.#life);
    this.#child = start<never>(this.#path, ...[this.#port, PIECES, pieces].map(String));
    await this.#child.says();
    this.#isUp.resolve();
  }

  async kill(): Promise<void> {
    // Nobody is to look for it while it is gone: at such a port a client can find itself.
    this.#isUp = deferred<void>();
    await this.#child?.kill();
  }
}

test(
  `nothing is lost or told twice over ${KILLS} kills (seed ${SEED})`,
  async () => {
    const random = new Random(SEED);
    const path = join(folder, 'tasks.db');
    const lives = new Lives(await freePort(random), path);
    await lives.next();
    const port = await lives.port();
    const senders = await Promise.all(
      Array.from({ length: TASKS }, (_, i) =>
        send(port, random.pick(WAYS), `t${i}`).until(({ events }) => events.length > 0),
      ),
    );

    let seen = 0;
    let target = 0;
    let enough = deferred<void>();
    const clients = Array.from(
      { length: CLIENTS },
      (_, i) =>
        new ResumingClient({
          port: lives.port,
          way: WAYS[i % WAYS.length] ?? WAYS[0],
          taskId: taskIdOf(senders[i % TASKS] ?? expect.fail('No task')),
          random: new Random(`${SEED} ${i}`),
          begins: random.chance(0.2) ? 'with the task' : 'at the first event',
          patience: random.pick([0, 0, 30]),
          onEvent: () => {
            if (++seen >= target) enough.resolve();
          },
        }),
    );
    const runs = clients.map((client) => client.run());
    const perLife = (PIECES / (KILLS + 1)) * CLIENTS;
    for (let kill = 0; kill < KILLS; kill++) {
      // Never more than clients can be told in this life: some begin in the middle.
      target = Math.trunc(perLife * (kill + random.next() * 0.7));
      enough = deferred<void>();
      if (seen < target) await enough.promise;
      await lives.kill();
      await lives.next();
    }
    await Promise.all(runs);
    expect(await Promise.all(senders.map(({ ended }) => ended))).toEqual(senders.map(() => 'cut'));
    expect(senders.map(({ comments, retryMs }) => [comments, retryMs])).toEqual(senders.map(() => [[], undefined]));
    await lives.kill();

    const store = sqlite(path);
    const logs = new Map<string, readonly TaskEvent[]>();
    for (const { taskId } of clients) if (!logs.has(taskId)) logs.set(taskId, await logOf(store, taskId));
    await store.close();
    expect(clients.flatMap((client) => difference(client, logs.get(client.taskId) ?? []) ?? [])).toEqual([]);
    // Replays said nothing again.
    for (const log of logs.values()) {
      expect(log.filter(({ kind }) => kind === 'artifact')).toHaveLength(PIECES);
      expect(log.at(-1)?.body).toContain('TASK_STATE_COMPLETED');
    }
    expect(clients.filter(({ connections }) => connections > KILLS / 2).length).toBeGreaterThan(CLIENTS / 2);
  },
  TIMEOUT_MS,
);
