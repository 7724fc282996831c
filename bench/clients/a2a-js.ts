/** The client of the official SDK, created from a card as its guide shows. */
import { HISTORY_TASK_ID } from '../contenders/content.ts';
import { peer } from '../contenders/peer.ts';
import { type Client, runClientContender } from '../harness/client-contender.ts';
import { cardAt } from './card.ts';

/** The part of the SDK's types that the bench uses. */
interface Sdk {
  readonly AgentCard: { fromJSON(json: unknown): unknown };
  readonly Role: { readonly ROLE_USER: number };
}
interface Part {
  readonly content: { readonly value: string };
}
interface Task {
  readonly artifacts: readonly { readonly parts: readonly Part[] }[];
  readonly history: readonly unknown[];
}
interface StreamResponse {
  readonly payload: { readonly $case: string; readonly value: { readonly artifact: Task['artifacts'][number] } };
}
interface SdkClient {
  sendMessage(request: unknown): Promise<Task>;
  sendMessageStream(request: unknown): AsyncIterable<StreamResponse>;
  getTask(request: unknown): Promise<Task>;
}
interface SdkClients {
  readonly ClientFactory: new () => { createFromAgentCard(card: unknown): Promise<SdkClient> };
}

const { AgentCard, Role } = await peer<Sdk>('@a2a-js/sdk');
const { ClientFactory } = await peer<SdkClients>('@a2a-js/sdk/client');

function request(messageId: string, text: string, metadata?: object) {
  return {
    tenant: '',
    message: {
      messageId,
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
      metadata,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

async function connect(port: number): Promise<Client> {
  const client = await new ClientFactory().createFromAgentCard(AgentCard.fromJSON(cardAt(port)));
  return {
    async send(id, text) {
      const task = await client.sendMessage(request(id, text));
      return task.artifacts[0]?.parts[0]?.content.value;
    },
    async get(id) {
      return (await client.getTask({ tenant: '', id })).history.length;
    },
    async stream(id, chunks, take) {
      for await (const { payload } of client.sendMessageStream(request(id, 'Tell me a long story.', { chunks }))) {
        if (payload.$case === 'artifactUpdate') take(payload.value.artifact.parts[0]?.content.value);
      }
    },
  };
}

runClientContender(HISTORY_TASK_ID, connect);
