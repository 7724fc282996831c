/**
 * Three processes on one database, under load and faults: they are killed, paused for longer than their leases and cut off
 * from the database, and the database is restarted. Everything that was acknowledged to a client must hold.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';
import { checkSession } from '../crash/check-session.ts';
import { openReceiver, type Receiver } from '../crash/receiver.ts';
import { type SessionResult, type Observations, Session } from '../crash/session.ts';
import { startPostgres } from './server.ts';

/** `TANDEM_CHAOS_MS` makes it longer. */
const CHAOS_MS = Number(process.env['TANDEM_CHAOS_MS'] ?? 60_000);
const SLOTS = ['a', 'b', 'c'];
/** Longer than a lease of these workers, which is 2 s. */
const PAUSE_MS = 3000;

const folder = mkdtempSync(join(tmpdir(), 'tandem-cluster-'));
let worker: Bundle;
let receiver: Receiver;

beforeAll(async () => {
  worker = await bundle(new URL('../crash/worker.ts', import.meta.url), 'postgres');
  receiver = await openReceiver();
}, 120_000);

afterAll(async () => {
  await receiver.close();
  worker.remove();
  rmSync(folder, { recursive: true });
});

const pick = (from: number, to: number): number => from + Math.random() * (to - from);
const pass = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One of three slots, each with a process that is replaced when it is killed. */
class Slot {
  readonly session: Session;
  child: ChildProcess | undefined;
  kills = 0;

  constructor(name: string, traces: string, database: string) {
    this.session = new Session(join(folder, name), worker.path, receiver, { database, traces, prefix: `${name}-` });
  }

  async live(until: number): Promise<void> {
    while (Date.now() < until) {
      const onStart = (child: ChildProcess): void => void (this.child = child);
      const ms = Math.min(pick(500, 12_000), Math.max(500, until - Date.now()));
      await this.session.runProcess({
        begin: Number.MAX_SAFE_INTEGER,
        maxSuspended: [0, 3, 1000][Math.trunc(pick(0, 3))] ?? 0,
        killAfter: { ms, of: 'start' },
        onStart,
      });
      this.kills++;
    }
  }

  /** Pauses the process for longer than its lease. Afterwards it continues without noticing the pause at first. */
  async pause(traces: string): Promise<void> {
    const { child } = this;
    if (child?.pid === undefined || child.signalCode !== null) return;
    child.kill('SIGSTOP');
    await pass(PAUSE_MS);
    appendFileSync(traces, `woken ${child.pid}\n`);
    child.kill('SIGCONT');
  }
}

async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client(url);
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tandem-a2a' AND random() < 0.5",
    );
    await client.end();
  } catch {
    // Restarting at the moment.
  }
}

/** The observations of the clients of all slots. */
function mergeResults(slots: readonly Slot[], [first]: readonly Slot[] = slots): SessionResult {
  if (first === undefined) throw new Error('There are no slots');
  return {
    database: first.session.database,
    observed: new Map<string, Observations>(slots.flatMap(({ session }) => [...session.observed])),
    errors: slots.flatMap(({ session }) => session.errors),
    traces: () => first.session.traces(),
    received: slots.flatMap(({ session }) => session.received),
  };
}

test(
  'a cluster loses and repeats nothing while its processes are killed and paused and its database is restarted',
  async () => {
    const traces = join(folder, 'traces');
    // Only for this test, because it is restarted.
    const server = await startPostgres();
    const slots = SLOTS.map((name) => new Slot(name, traces, server.url));
    onTestFinished(async () => {
      for (const { child } of slots) child?.kill('SIGKILL');
      await server.stop();
    });
    const until = Date.now() + CHAOS_MS;
    const faults = { pauses: 0, cuts: 0, restarts: 0 };
    const injectFaults = async (): Promise<void> => {
      for (let round = 0; Date.now() < until; round++) {
        await pass(pick(500, 2500));
        const kind = round % 4;
        if (kind === 3) {
          await server.restart();
          faults.restarts++;
        } else if (kind === 1) {
          await cutConnections(server.url);
          faults.cuts++;
        } else {
          await slots[Math.trunc(pick(0, slots.length))]?.pause(traces);
          faults.pauses++;
        }
      }
    };
    await Promise.all([injectFaults(), ...slots.map((slot) => slot.live(until))]);
    await Promise.all(slots.map(({ session }) => session.runProcess({ finish: true })));

    const result = mergeResults(slots);
    expect(await checkSession(result)).toEqual([]);
    expect(result.observed.size).toBeGreaterThan(30);
    expect(Math.min(faults.pauses, faults.cuts, faults.restarts)).toBeGreaterThan(0);
    expect(slots.every(({ kills }) => kills > 0)).toBe(true);
  },
  // Tasks that have begun must also end and be checked.
  CHAOS_MS * 1.5 + 180_000,
);
