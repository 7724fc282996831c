/**
 * The baseline: `node:http` that parses the request and returns the same JSON as the other contenders. It validates and
 * stores nothing, so no server that does can be cheaper.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { runContender, listen, readSetup } from '../harness/contender.ts';
import { ARTIFACT_ID, ARTIFACT_NAME, chunkText, historyTask, listedTask, type WorkOrder, workOn } from './content.ts';

interface Message {
  readonly messageId: string;
  readonly role: string;
  readonly parts: readonly [{ readonly text: string }];
  readonly metadata?: WorkOrder;
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: {
    readonly message: Message;
    readonly id: string;
    readonly pageSize: number;
    readonly pageToken?: string;
  };
}

const stored = new Map([historyTask()].map((task) => [task.id, task]));
/** The latest tasks, newest first, as many as a page contains. */
const listed = Array.from({ length: readSetup().tasks }, (_, n) => {
  const { id, contextId, status: last } = listedTask(n);
  return { id, contextId, status: last };
}).toReversed();

/** The streams of the subscribers of the idle task. */
const idle = new Set<{ readonly id: number; readonly response: ServerResponse }>();
const idleTask = { id: randomUUID(), contextId: randomUUID(), status: status('TASK_STATE_WORKING') };

function status(state: string) {
  return { state, timestamp: new Date().toISOString() };
}

function finishedTask(message: Message) {
  const [id, contextId] = [randomUUID(), randomUUID()];
  return {
    id,
    contextId,
    status: status('TASK_STATE_COMPLETED'),
    artifacts: [{ artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, parts: [{ text: workOn(message.parts[0].text) }] }],
    history: [{ ...message, contextId, taskId: id }],
  };
}

function sendJson(response: ServerResponse, id: number, result: unknown): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

async function sendStream(response: ServerResponse, id: number, message: Message): Promise<void> {
  const [taskId, contextId] = [randomUUID(), randomUUID()];
  response.writeHead(200, STREAM_HEADERS);
  await sendEvent(response, id, {
    task: {
      id: taskId,
      contextId,
      status: status('TASK_STATE_WORKING'),
      history: [{ ...message, contextId, taskId }],
    },
  });
  const { chunks = 0, isPaced } = message.metadata ?? {};
  for (let n = 0; n < chunks; n++) {
    const artifact = { artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, parts: [{ text: chunkText(n) }] };
    // 1.0 omits false values.
    const flags = { ...(n > 0 && { append: true }), ...(n === chunks - 1 && { lastChunk: true }) };
    const written = sendEvent(response, id, { artifactUpdate: { taskId, contextId, artifact, ...flags } });
    if (written !== undefined) await written;
    if (isPaced === true) await setImmediate();
  }
  await sendEvent(response, id, { statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } });
  response.end();
}

/** Writes one event. Waits only if the client reads more slowly than this process writes. */
function sendEvent(response: ServerResponse, id: number, result: unknown): Promise<unknown> | undefined {
  const more = response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  return more ? undefined : once(response, 'drain');
}

function subscribe(response: ServerResponse, id: number): void {
  response.writeHead(200, STREAM_HEADERS);
  void sendEvent(response, id, { task: idleTask });
  idle.add({ id, response });
}

function cancel(): unknown {
  const canceled = status('TASK_STATE_CANCELED');
  const { id: taskId, contextId } = idleTask;
  for (const { id, response } of idle) {
    void sendEvent(response, id, { statusUpdate: { taskId, contextId, status: canceled } });
    response.end();
  }
  idle.clear();
  return { ...idleTask, status: canceled };
}

/** The token is the offset in the list. */
function page({ pageSize, pageToken = '0' }: Call['params']): unknown {
  const from = Number(pageToken);
  const nextPageToken = String(from + pageSize);
  return { tasks: listed.slice(from, from + pageSize), nextPageToken, pageSize, totalSize: listed.length };
}

async function handle(body: string, response: ServerResponse): Promise<void> {
  const { id, method, params } = JSON.parse(body) as Call;
  switch (method) {
    case 'SendMessage':
      return sendJson(response, id, {
        task: params.message.metadata?.isIdle === true ? idleTask : finishedTask(params.message),
      });
    case 'GetTask':
      return sendJson(response, id, stored.get(params.id));
    case 'SendStreamingMessage':
      return sendStream(response, id, params.message);
    case 'ListTasks':
      return sendJson(response, id, page(params));
    case 'SubscribeToTask':
      return subscribe(response, id);
    case 'CancelTask':
      return sendJson(response, id, cancel());
    default:
      response.writeHead(404).end();
  }
}

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? ''));
}

runContender(() =>
  listen(
    createServer((request, response) => {
      readBody(request, (body) => void handle(body, response));
    }),
  ),
);
