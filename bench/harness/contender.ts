import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Guard } from '../contenders/guards.ts';
import { answer } from './child.ts';

/** CPU time of a whole process since its start, all threads, in microseconds. */
export interface CpuReading {
  readonly cpuUs: number;
}

/** What a process holds after its garbage is collected, in bytes. */
export interface MemoryReading {
  /** Objects, and what lies outside of the heap on their account. */
  readonly held: number;
  /** All that the system has given to the process, in use or not. */
  readonly resident: number;
}

/** Where a contender listens. */
export interface Listening {
  readonly port: number;
}

export type ContenderQuestion = 'listen' | 'cpu' | 'memory';

/** How a contender is set up; `contenders/list.ts` and the bench decide. */
export interface ContenderSetup {
  readonly store: 'memory' | 'sqlite' | 'postgres';
  /** Finished tasks that are there from the start, beside the one with a history. */
  readonly tasks: number;
  /** What stands before it; nothing if not set. */
  readonly guards?: readonly Guard[] | undefined;
  /** The address of its database, where it needs one. */
  readonly database?: string | undefined;
  /** What it does for the cluster that it is part of; all if not set. */
  readonly role?: 'all' | 'web' | 'worker' | undefined;
}

const STORES = ['memory', 'sqlite', 'postgres'] as const;
const ROLES = ['all', 'web', 'worker'] as const;

/** Turns this process into a contender: a server on a free loopback port, and readings for the harness. */
export function contend(listen: () => Promise<Listening>): void {
  answer(async (question) => {
    switch (question as ContenderQuestion) {
      case 'listen':
        return listen();
      case 'cpu':
        return readCpu();
      case 'memory':
        return readMemory();
    }
  });
}

export function readSetup(): ContenderSetup {
  const { values } = parseArgs({
    options: {
      store: { type: 'string' },
      tasks: { type: 'string' },
      guard: { type: 'string', multiple: true },
      database: { type: 'string' },
      role: { type: 'string' },
    },
  });
  return {
    store: STORES.find((store) => store === values.store) ?? 'memory',
    tasks: Number(values.tasks ?? 0),
    guards: (values.guard ?? []) as Guard[],
    database: values.database ?? '',
    role: ROLES.find((role) => role === values.role) ?? 'all',
  };
}

/** The arguments that `readSetup` reads. */
export function setupArgs({ store, tasks, guards = [], database, role }: ContenderSetup): readonly string[] {
  const args = [`--store=${store}`, `--tasks=${tasks}`, ...guards.map((guard) => `--guard=${guard}`)];
  if (database !== undefined) args.push(`--database=${database}`);
  if (role !== undefined) args.push(`--role=${role}`);
  return args;
}

export function readCpu(): CpuReading {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system };
}

async function readMemory(): Promise<MemoryReading> {
  const { gc } = globalThis as { readonly gc?: () => void };
  if (gc === undefined) throw new Error('memory is read with --expose-gc');
  // What a first collection lets go of may hold more until its finalizers have run.
  for (let i = 0; i < 3; i += 1) {
    gc();
    await setImmediate();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { held: heapUsed + external, resident: rss };
}

export async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port };
}
