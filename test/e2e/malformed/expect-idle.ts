import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import { say, type Target } from './run-cases.ts';

/** Expects that no socket is open, that the log has no error, and that the server still works. */
export async function expectIdle({ server, faults }: Target): Promise<void> {
  await vi.waitFor(() => expect(openSockets()).toBe(0), { timeout: 20_000 });
  expect(faults).toEqual([]);
  expect(await say(server, 'still there')).not.toBe('');
  await vi.waitFor(() => expect(openSockets()).toBe(0), { timeout: 20_000 });
}

/** The sockets of this process, on both sides of each connection. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

/** A request as the HTTP server of Node received it. */
export interface Seen {
  readonly request: IncomingMessage;
  readonly server: Server;
}

/** Records every request that reaches an HTTP server of this process during a test. */
export function watchRequests(): readonly Seen[] {
  const seen: Seen[] = [];
  const take = (message: unknown): void => void seen.push(message as Seen);
  subscribe('http.server.request.start', take);
  onTestFinished(() => void unsubscribe('http.server.request.start', take));
  return seen;
}
