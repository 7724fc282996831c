import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import { expect, onTestFinished, vi } from 'vitest';
import { say, type Target } from './play.ts';

/** Nothing is left of rude clients: no socket, no word in the log, and the next one is served. */
export async function expectSettled({ server, faults }: Target): Promise<void> {
  await vi.waitFor(() => expect(openSockets()).toBe(0), { timeout: 20_000 });
  expect(faults).toEqual([]);
  expect(await say(server, 'still there')).not.toBe('');
  await vi.waitFor(() => expect(openSockets()).toBe(0), { timeout: 20_000 });
}

/** Of this process, on both sides of each connection. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
}

/** A request as the server of Node sees it. */
export interface Seen {
  readonly request: IncomingMessage;
  readonly server: Server;
}

/** Takes down every request that reaches a server of this process during a test. */
export function watchRequests(): readonly Seen[] {
  const seen: Seen[] = [];
  const take = (message: unknown): void => void seen.push(message as Seen);
  subscribe('http.server.request.start', take);
  onTestFinished(() => void unsubscribe('http.server.request.start', take));
  return seen;
}
