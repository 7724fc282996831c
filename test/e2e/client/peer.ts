import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

import { onTestFinished } from 'vitest';

import { forgetCard } from '../../../src/client/card/fetch-card.ts';
import type { AgentCard } from '../../../src/model/card.ts';

/** A request that a peer has received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The params of a JSON-RPC call. */
  readonly rpc: { readonly method: string; readonly params: Record<string, unknown> } | undefined;
}

export interface Peer {
  readonly url: string;
  /** The requests that it has received, except those for cards. */
  readonly got: readonly ReceivedRequest[];
  /** The requests for cards that it has received. */
  readonly cardsGot: readonly ReceivedRequest[];
}

export type Responder = (got: ReceivedRequest, response: ServerResponse, peer: Peer) => void | Promise<void>;

export interface PeerOptions {
  /** The card, or a function that responds to requests for it. False: there is none. */
  readonly card?: Partial<AgentCard> | Record<string, unknown> | Responder | false;
}

/** A server on a socket that responds as the test specifies, until the test ends. */
export async function startPeer(answer: Responder, { card = {} }: PeerOptions = {}): Promise<Peer> {
  const got: ReceivedRequest[] = [];
  const cardsGot: ReceivedRequest[] = [];
  const http = createServer((incoming, response) => {
    void received(incoming).then((request) => {
      const isCard = request.path.includes('.well-known/') || request.path.endsWith('.json');
      (isCard ? cardsGot : got).push(request);
      if (!isCard) return answer(request, response, peer);
      if (typeof card === 'function') return card(request, response, peer);
      if (card === false) return void response.writeHead(404).end('nothing here');
      return json(response, 'name' in card && 'url' in card ? card : { ...cardAt(peer.url), ...card });
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    http.close();
    await once(http, 'close');
  });
  const peer: Peer = { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, got, cardsGot };
  // Ports are reused, so the cache may contain the card of a peer of an earlier test.
  forgetCard({ url: `${peer.url}/.well-known/agent-card.json`, version: '1.0' });
  return peer;
}

async function received(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const { method = '', url = '', headers } = incoming;
  const body = await text(incoming);
  return {
    method,
    path: url,
    headers,
    body,
    rpc: body.startsWith('{') ? (JSON.parse(body) as ReceivedRequest['rpc']) : undefined,
  };
}

export function cardAt(url: string): AgentCard {
  return {
    name: 'Peer',
    description: 'Responds as its test specifies.',
    version: '1',
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
  };
}

export function json(
  response: ServerResponse,
  body: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function result(response: ServerResponse, value: unknown): void {
  json(response, { jsonrpc: '2.0', id: 1, result: value });
}

export function failure(
  response: ServerResponse,
  code: number,
  reason: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  const data = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'a2a-protocol.org' }];
  json(response, { jsonrpc: '2.0', id: 1, error: { code, message: reason, data } }, status, headers);
}

/** Begins a stream; the returned function writes an event, with an optional number. */
export function stream(response: ServerResponse): (value: unknown, number?: number) => void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return (value, number) => {
    const id = number === undefined ? '' : `id: ${number}\n`;
    response.write(`${id}data: ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: value })}\n\n`);
  };
}

export function task(state = 'COMPLETED', more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: 't1', contextId: 'c1', status: { state: `TASK_STATE_${state}` }, ...more };
}

export function status(state: string, text?: string): Record<string, unknown> {
  const message = text === undefined ? {} : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } };
  return { statusUpdate: { taskId: 't1', contextId: 'c1', status: { state: `TASK_STATE_${state}`, ...message } } };
}

export function chunk(text: string, append = true, artifactId = 'a'): Record<string, unknown> {
  return { artifactUpdate: { taskId: 't1', contextId: 'c1', artifact: { artifactId, parts: [{ text }] }, append } };
}
