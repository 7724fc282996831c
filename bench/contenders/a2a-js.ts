/**
 * The official SDK as its guide sets it up: Express, `jsonRpcHandler`, `DefaultRequestHandler` and the in-memory or SQL
 * store, with an executor that does the same trivial work as the other contenders.
 */
import { createServer, type RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { runContender, type ContenderSetup, listen, readSetup } from '../harness/contender.ts';
import { openPostgresStore, openSqliteStore, type TaskStore } from './a2a-js-sql.ts';
import { ARTIFACT_ID, ARTIFACT_NAME, chunkText, historyTask, listedTask, type WorkOrder, workOn } from './content.ts';
import { peer } from './peer.ts';

/** The part of the SDK's types that the bench uses. */
interface Sdk {
  readonly Task: { fromJSON(json: unknown): unknown };
  readonly AgentCard: { fromJSON(json: unknown): unknown };
  readonly TaskState: Readonly<Record<'TASK_STATE_WORKING' | 'TASK_STATE_COMPLETED' | 'TASK_STATE_CANCELED', number>>;
}
interface SdkServer {
  readonly InMemoryTaskStore: new () => TaskStore;
  readonly DefaultRequestHandler: new (card: unknown, store: unknown, executor: unknown) => unknown;
  readonly ServerCallContext: new (options: unknown) => unknown;
  readonly UnauthenticatedUser: new () => unknown;
  readonly AgentEvent: Readonly<Record<'task' | 'statusUpdate' | 'artifactUpdate', (data: unknown) => unknown>>;
}
interface SdkExpress {
  readonly jsonRpcHandler: (options: unknown) => unknown;
  readonly UserBuilder: { readonly noAuthentication: unknown };
}
interface Express {
  readonly default: () => RequestListener & { use(middleware: unknown): void };
}
interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly userMessage: {
    readonly parts: readonly { readonly content: { readonly value: string } }[];
    readonly metadata?: WorkOrder;
  };
}
interface Bus {
  publish(event: unknown): void;
  finished(): void;
}

const { Task, AgentCard, TaskState } = await peer<Sdk>('@a2a-js/sdk');
const { InMemoryTaskStore, DefaultRequestHandler, ServerCallContext, UnauthenticatedUser, AgentEvent } =
  await peer<SdkServer>('@a2a-js/sdk/server');
const { jsonRpcHandler, UserBuilder } = await peer<SdkExpress>('@a2a-js/sdk/server/express');
const { default: express } = await peer<Express>('express');

const card = AgentCard.fromJSON({
  name: 'Bench',
  description: 'Does next to nothing.',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'http://127.0.0.1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
});

function status(state: number) {
  return { state, message: undefined, timestamp: new Date().toISOString() };
}

function artifact(text: string) {
  const part = { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' };
  const about = { artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, description: '', metadata: undefined, extensions: [] };
  return { ...about, parts: [part] };
}

/** Context ids of the tasks that wait to be canceled. */
const contexts = new Map<string, string>();

const executor = {
  async execute({ taskId, contextId, userMessage }: Turn, bus: Bus): Promise<void> {
    const ids = { taskId, contextId, metadata: undefined };
    const working = status(TaskState.TASK_STATE_WORKING);
    bus.publish(
      AgentEvent.task({
        id: taskId,
        contextId,
        status: working,
        artifacts: [],
        history: [userMessage],
        metadata: undefined,
      }),
    );
    const { chunks, isPaced, isIdle } = userMessage.metadata ?? {};
    if (isIdle === true) {
      contexts.set(taskId, contextId);
      return new Promise(() => {});
    }
    if (chunks === undefined) {
      const text = workOn(userMessage.parts[0]?.content.value ?? '');
      bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact: artifact(text), append: false, lastChunk: true }));
    } else {
      for (let n = 0; n < chunks; n++) {
        const flags = { append: n > 0, lastChunk: n === chunks - 1 };
        bus.publish(AgentEvent.artifactUpdate({ ...ids, artifact: artifact(chunkText(n)), ...flags }));
        if (isPaced === true) await setImmediate();
      }
    }
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_COMPLETED) }));
    bus.finished();
  },
  async cancelTask(taskId: string, bus: Bus): Promise<void> {
    const ids = { taskId, contextId: contexts.get(taskId), metadata: undefined };
    bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_CANCELED) }));
    bus.finished();
  },
};

async function openStore(kind: ContenderSetup['store'], database: string): Promise<TaskStore> {
  if (kind === 'postgres') return openPostgresStore(database);
  return kind === 'sqlite' ? openSqliteStore('a2a-js.db') : new InMemoryTaskStore();
}

runContender(async () => {
  const { store: kind, tasks, database = '' } = readSetup();
  const store = await openStore(kind, database);
  const context = new ServerCallContext({ user: new UnauthenticatedUser() });
  if (tasks === 0) await store.save(Task.fromJSON(historyTask()), context);
  for (let n = 0; n < tasks; n += 1) await store.save(Task.fromJSON(listedTask(n)), context);
  const app = express();
  app.use(
    jsonRpcHandler({
      requestHandler: new DefaultRequestHandler(card, store, executor),
      userBuilder: UserBuilder.noAuthentication,
    }),
  );
  return listen(createServer(app));
});
