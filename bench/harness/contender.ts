import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer } from './child.ts';

/** CPU time of a whole process since its start, all threads, in microseconds. */
export interface CpuReading {
  readonly cpuUs: number;
}

/** Where a contender listens. */
export interface Listening {
  readonly port: number;
}

export type ContenderQuestion = 'listen' | 'cpu';

/** Turns this process into a contender: the server on a free loopback port, and CPU readings for the harness. */
export function contend(server: Server): void {
  answer(async (question) => {
    switch (question as ContenderQuestion) {
      case 'listen':
        return listen(server);
      case 'cpu':
        return readCpu();
    }
  });
}

export function readCpu(): CpuReading {
  const { user, system } = process.cpuUsage();
  return { cpuUs: user + system };
}

async function listen(server: Server): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return { port: (server.address() as AddressInfo).port };
}
