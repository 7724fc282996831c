/**
 * Three processes on one database, under load, with everything that can happen to them: killed, stopped for longer than
 * their leases, cut off from the database, and the database itself restarted. What any client was told must hold.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Bundle, bundle } from '../crash/bundle.ts';
import { judge } from '../crash/judge.ts';
import { openReceiver, type Receiver } from '../crash/receiver.ts';
import { type Findings, type Known, Session } from '../crash/session.ts';
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

/** One of the three places: a process lives there until it is killed, and then the next one. */
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
      await this.session.live({
        begin: Number.MAX_SAFE_INTEGER,
        maxSuspended: [0, 3, 1000][Math.trunc(pick(0, 3))] ?? 0,
        killAfter: { ms, of: 'start' },
        onStart,
      });
      this.kills++;
    }
  }

  /** Stops the process for longer than its lease lasts. What it does then, it does without knowing what has happened. */
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

/** All that the clients of all places have seen. */
function together(slots: readonly Slot[], [first]: readonly Slot[] = slots): Findings {
  if (first === undefined) throw new Error('There are three');
  return {
    database: first.session.database,
    known: new Map<string, Known>(slots.flatMap(({ session }) => [...session.known])),
    troubles: slots.flatMap(({ session }) => session.troubles),
    traces: () => first.session.traces(),
    received: slots.flatMap(({ session }) => session.received),
  };
}

test(
  'a cluster keeps all promises while its processes and its database come and go',
  async () => {
    const traces = join(folder, 'traces');
    // Of its own: others would not like to see theirs restarted.
    const server = await startPostgres();
    const slots = SLOTS.map((name) => new Slot(name, traces, server.url));
    onTestFinished(async () => {
      for (const { child } of slots) child?.kill('SIGKILL');
      await server.stop();
    });
    const until = Date.now() + CHAOS_MS;
    const done = { pauses: 0, cuts: 0, restarts: 0 };
    const trouble = async (): Promise<void> => {
      for (let round = 0; Date.now() < until; round++) {
        await pass(pick(500, 2500));
        const kind = round % 4;
        if (kind === 3) {
          await server.restart();
          done.restarts++;
        } else if (kind === 1) {
          await cutConnections(server.url);
          done.cuts++;
        } else {
          await slots[Math.trunc(pick(0, slots.length))]?.pause(traces);
          done.pauses++;
        }
      }
    };
    await Promise.all([trouble(), ...slots.map((slot) => slot.live(until))]);
    await Promise.all(slots.map(({ session }) => session.live({ finish: true })));

    const findings = together(slots);
    expect(await judge(findings)).toEqual([]);
    expect(findings.known.size).toBeGreaterThan(30);
    expect(Math.min(done.pauses, done.cuts, done.restarts)).toBeGreaterThan(0);
    expect(slots.every(({ kills }) => kills > 0)).toBe(true);
  },
  // What was begun has to be ended and judged, too.
  CHAOS_MS * 1.5 + 180_000,
);
