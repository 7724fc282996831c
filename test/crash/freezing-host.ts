/** A serverless host that forwards one request at a time, and stops the process (SIGSTOP) after each response. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { onTestFinished } from 'vitest';

export interface FreezingHost {
  readonly url: string;
  /** The forwarded requests, and `frozen` for each time the process was stopped. */
  readonly log: string[];
  /** Whether requests of the agent to itself fail. */
  isCutOff: boolean;
  /** Starts a process, after the end of the one before. */
  start(args: (url: string) => readonly string[]): Promise<void>;
  kill(): Promise<void>;
  /** Whether the operating system has stopped the process. */
  isFrozen(): boolean;
}

export async function startFreezingHost(): Promise<FreezingHost> {
  let child: ChildProcess | undefined;
  let port = 0;
  let turn: Promise<unknown> = Promise.resolve();
  const http = createServer((incoming, outgoing) => {
    const path = incoming.url ?? '';
    if (host.isCutOff && path === '/_tandem/run') return void outgoing.destroy();
    turn = turn.then(() => forward(incoming, outgoing));
  });
  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    host.log.push(`${incoming.method} ${incoming.url}`);
    child?.kill('SIGCONT');
    const { method, url: path, headers } = incoming;
    const forwarded = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false });
    incoming.pipe(forwarded);
    try {
      const [response] = (await once(forwarded, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      // The process is stopped before the response is sent, so that nothing runs after it.
      child?.kill('SIGSTOP');
      while (!host.isFrozen()) await new Promise((resolve) => setImmediate(resolve));
      host.log.push('frozen');
      outgoing.writeHead(response.statusCode ?? 502, response.headers).end(Buffer.concat(chunks));
    } catch {
      outgoing.destroy();
    }
  };
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const host: FreezingHost = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    log: [],
    isCutOff: false,
    async start(args) {
      child = spawn(process.execPath, [...args(host.url)], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [text] = (await once(child.stdout?.setEncoding('utf8') ?? child, 'data')) as [string];
      port = Number(text);
      child.kill('SIGSTOP');
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    isFrozen: () => /^\d+ \(.*\) T/.test(readFileSync(`/proc/${child?.pid}/stat`, 'utf8')),
  };
  onTestFinished(async () => {
    await host.kill();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return host;
}
