/**
 * The baseline: `node:http` with keep-alive connections. It writes the request and parses the response or the events of
 * the stream, without checks, timeouts or size limits.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { HISTORY_TASK_ID } from '../contenders/content.ts';
import { type Client, runClientContender } from '../harness/client-contender.ts';
import { rpcCall } from '../harness/http-bench.ts';

interface Task {
  readonly artifacts: readonly { readonly parts: readonly { readonly text: string }[] }[];
  readonly history: readonly unknown[];
}
interface Event {
  readonly artifactUpdate?: Task['artifacts'] extends readonly (infer One)[] ? { readonly artifact: One } : never;
}

const agent = new Agent({ keepAlive: true });

function post(port: number, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'a2a-version': '1.0',
    };
    request({ host: '127.0.0.1', port, path: '/', method: 'POST', agent, headers }, resolve)
      .on('error', reject)
      .end(body);
  });
}

async function call<T>(port: number, method: string, params: unknown): Promise<T> {
  const response = await post(port, rpcCall(1, method, params));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('error', reject);
    response.on('end', () => {
      const { result } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly result: T };
      resolve(result);
    });
  });
}

function message(id: string, text: string, metadata?: object) {
  return { messageId: id, role: 'ROLE_USER', parts: [{ text }], metadata };
}

function connect(port: number): Client {
  return {
    async send(id, text) {
      const { task } = await call<{ task: Task }>(port, 'SendMessage', { message: message(id, text) });
      return task.artifacts[0]?.parts[0]?.text;
    },
    async get(id) {
      return (await call<Task>(port, 'GetTask', { id })).history.length;
    },
    async stream(id, chunks, take) {
      const params = { message: message(id, 'Tell me a long story.', { chunks }) };
      const response = await post(port, rpcCall(1, 'SendStreamingMessage', params));
      const decoder = new StringDecoder('utf8');
      let rest = '';
      for await (const chunk of response) {
        const events = (rest + decoder.write(chunk as Buffer)).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const { result } = JSON.parse(event.slice('data: '.length)) as { readonly result: Event };
          if (result.artifactUpdate !== undefined) take(result.artifactUpdate.artifact.parts[0]?.text);
        }
      }
    },
  };
}

runClientContender(HISTORY_TASK_ID, async (port) => connect(port));
