import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Guard } from '../contenders/guards.ts';
import { handleRequests } from './child.ts';

/** CPU time of the process since its start, for all threads, in microseconds. */
export interface CpuReading {
  readonly cpuUs: number;
}

/** The memory of a process after garbage collection, in bytes. */
export interface MemoryReading {
  /** Objects, and the memory outside of the heap that they use. */
  readonly held: number;
  /** The resident set size, including memory that the process does not use. */
  readonly resident: number;
}

/** The address of a contender. */
export interface Listening {
  readonly port: number;
}

export type ContenderRequest = 'listen' | 'cpu' | 'memory';

/** The setup of a contender, from `contenders/list.ts` and the bench. */
export interface ContenderSetup {
  readonly store: 'memory' | 'sqlite' | 'postgres';
  /** The number of completed tasks at the start, in addition to the one with a history. */
  readonly tasks: number;
  /** The checks before the agent. Default: none. */
  readonly guards?: readonly Guard[] | undefined;
  /** The URL of its database, if it needs one. */
  readonly database?: string | undefined;
  /** Its role in a cluster. Default: all roles. */
  readonly role?: 'all' | 'web' | 'worker' | undefined;
}

const STORES = ['memory', 'sqlite', 'postgres'] as const;
const ROLES = ['all', 'web', 'worker'] as const;

/** Turns this process into a contender: a server on a free loopback port that reports measurements to the harness. */
export function runContender(listen: () => Promise<Listening>): void {
  handleRequests(async (payload) => {
    switch (payload as ContenderRequest) {
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

/** The arguments that `readSetup` parses. */
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
  if (gc === undefined) throw new Error('reading the memory requires --expose-gc');
  // Objects that the first collection frees may keep others alive until their finalizers have run.
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
