/**
 * The floor: `node:http` that parses the request and answers the same JSON as the others, with nothing in between. It
 * validates nothing and stores nothing; no server that has to can be cheaper.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { contend } from '../harness/contender.ts';
import { ARTIFACT_ID, ARTIFACT_NAME, chunkText, historyTask, workOn } from './content.ts';

interface Message {
  readonly messageId: string;
  readonly role: string;
  readonly parts: readonly [{ readonly text: string }];
  readonly metadata?: { readonly chunks: number };
}

interface Call {
  readonly id: number;
  readonly method: string;
  readonly params: { readonly message: Message; readonly id: string };
}

const stored = new Map([historyTask()].map((task) => [task.id, task]));

function finishedTask(message: Message) {
  const [id, contextId] = [randomUUID(), randomUUID()];
  return {
    id,
    contextId,
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
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

async function sendStream(response: ServerResponse, id: number, message: Message): Promise<void> {
  const [taskId, contextId] = [randomUUID(), randomUUID()];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const status = (state: string) => ({ state, timestamp: new Date().toISOString() });
  await sendEvent(response, id, {
    task: {
      id: taskId,
      contextId,
      status: status('TASK_STATE_WORKING'),
      history: [{ ...message, contextId, taskId }],
    },
  });
  const chunks = message.metadata?.chunks ?? 0;
  for (let n = 0; n < chunks; n++) {
    const artifact = { artifactId: ARTIFACT_ID, name: ARTIFACT_NAME, parts: [{ text: chunkText(n) }] };
    // 1.0 leaves out what is false.
    const flags = { ...(n > 0 && { append: true }), ...(n === chunks - 1 && { lastChunk: true }) };
    const written = sendEvent(response, id, { artifactUpdate: { taskId, contextId, artifact, ...flags } });
    if (written !== undefined) await written;
  }
  await sendEvent(response, id, { statusUpdate: { taskId, contextId, status: status('TASK_STATE_COMPLETED') } });
  response.end();
}

/** Writes one event; waits only when the reader is slower than we are. */
function sendEvent(response: ServerResponse, id: number, result: unknown): Promise<unknown> | undefined {
  const more = response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  return more ? undefined : once(response, 'drain');
}

async function handle(body: string, response: ServerResponse): Promise<void> {
  const { id, method, params } = JSON.parse(body) as Call;
  switch (method) {
    case 'SendMessage':
      return sendJson(response, id, { task: finishedTask(params.message) });
    case 'GetTask':
      return sendJson(response, id, stored.get(params.id));
    case 'SendStreamingMessage':
      return sendStream(response, id, params.message);
    default:
      response.writeHead(404).end();
  }
}

function readBody(request: IncomingMessage, then: (body: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => then((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? ''));
}

contend(
  createServer((request, response) => {
    readBody(request, (body) => void handle(body, response));
  }),
);
