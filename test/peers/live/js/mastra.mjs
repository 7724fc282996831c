/** Mastra: its client, in 0.3 and 1.0, and an agent that its server serves. */
import { serve } from '@hono/node-server';
import { MastraClient } from '@mastra/client-js';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import {
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@mastra/core/a2a/v1';
import { MastraServer } from '@mastra/hono';
import { InMemoryTaskStore } from '@mastra/server/a2a/store';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { Hono } from 'hono';

import { serveCalls } from './calls.mjs';

/** The name that the paths of Mastra have for the agent. */
const ID = 'echo';
const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** The clients of 1.0 take and return objects of the official SDK, which are not JSON. */
const CLIENTS = {
  '1.0': (mastra) => {
    const client = mastra.getA2AV1(ID);
    return {
      send: async (request) =>
        SendMessageResponse.toJSON(await client.sendMessage(SendMessageRequest.fromJSON(request))),
      stream: (request) =>
        mapped(client.sendMessageStream(SendMessageRequest.fromJSON(request)), StreamResponse.toJSON),
      get: async (id) => Task.toJSON(await client.getTask(GetTaskRequest.fromJSON({ id }))),
      cancel: async (id) => Task.toJSON(await client.cancelTask(CancelTaskRequest.fromJSON({ id }))),
      subscribe: (id) => mapped(client.resubscribeTask(SubscribeToTaskRequest.fromJSON({ id })), StreamResponse.toJSON),
    };
  },
  0.3: (mastra) => {
    const client = mastra.getA2A(ID);
    return {
      send: async (request) => resultOf(await client.sendMessage(request)),
      stream: (request) => client.sendMessageStream(request),
      get: async (id) => resultOf(await client.getTask({ id })),
      cancel: async (id) => resultOf(await client.cancelTask({ id })),
      subscribe: (id) => client.resubscribeTask({ id }),
    };
  },
};

const clients = [];

serveCalls({
  connect({ url, version }) {
    clients.push(CLIENTS[version](new MastraClient({ baseUrl: url })));
    return { client: clients.length - 1, agentName: ID };
  },
  send: ({ client, request }) => clients[client].send(request),
  stream: ({ client, request }) => clients[client].stream(request),
  get: ({ client, id }) => clients[client].get(id),
  cancel: ({ client, id }) => clients[client].cancel(id),
  subscribe: ({ client, id }) => clients[client].subscribe(id),
  /** Serves an agent whose model responds with a constant text. Returns the address of its card. */
  async serve() {
    const model = new MockLanguageModelV3({
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'Hello from Mastra.' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: USAGE,
        warnings: [],
      }),
      doStream: async () => ({
        stream: simulateReadableStream({
          chunks: [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', delta: 'Hello ' },
            { type: 'text-delta', id: '1', delta: 'from Mastra.' },
            { type: 'text-end', id: '1' },
            { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: USAGE },
          ],
        }),
      }),
    });
    const agent = new Agent({ id: ID, name: ID, description: 'Greets.', instructions: 'Greet.', model });
    const mastra = new Mastra({ agents: { [ID]: agent }, logger: false });
    const app = new Hono();
    await new MastraServer({ app, mastra, taskStore: new InMemoryTaskStore() }).init();
    const port = await new Promise((resolve) => {
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (address) => resolve(address.port));
    });
    return `http://127.0.0.1:${port}/api/.well-known/${ID}/agent-card.json`;
  },
});

/** The clients of 0.3 return the whole JSON-RPC response. */
function resultOf({ result, error }) {
  if (error !== undefined) throw new Error(error.message);
  return result;
}

async function* mapped(events, convert) {
  for await (const event of events) yield convert(event);
}
