/** The process that holds subscribers: it opens them and checks that each of them receives the end of the task. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { eventsOf, stateOf } from '../stream-call.ts';
import { handleRequests } from './child.ts';
import { expectJson, rpcCall, rpcResult } from './http-bench.ts';

export type SubscribersRequest =
  /** Starts an idle task and subscribes to it `count` times. Resolves when all subscribers have received the task. */
  | { readonly kind: 'open'; readonly port: number; readonly count: number }
  /** Cancels the task. Resolves when all streams have delivered that and ended. */
  | { readonly kind: 'end' };

const AT_ONCE = 50;

/** The n-th subscriber. */
class Subscriber {
  readonly #n: number;
  readonly #first: Promise<void>;
  readonly #ended: Promise<void>;
  #text = '';

  constructor(n: number, response: IncomingMessage) {
    this.#n = n;
    expectJson('HTTP status', response.statusCode, 200);
    response.setEncoding('utf8');
    this.#ended = new Promise((resolve, reject) => response.on('end', resolve).on('error', reject));
    this.#first = new Promise((resolve) => {
      response.on('data', (piece: string) => {
        this.#text += piece;
        if (this.#text.includes('\n\n')) resolve();
      });
    });
  }

  /** Resolves when the subscriber has received the task. */
  async begun(): Promise<void> {
    await Promise.race([this.#first, this.#ended]);
    const [first = '{}'] = eventsOf(this.#text);
    expectJson('first event', Object.keys(rpcResult(this.#n, first)), ['task']);
  }

  async ended(): Promise<void> {
    await this.#ended;
    expectJson('last state', stateOf(rpcResult(this.#n, eventsOf(this.#text).at(-1) ?? '{}')), 'TASK_STATE_CANCELED');
  }
}

interface Open {
  readonly port: number;
  readonly taskId: string;
  readonly agent: Agent;
  readonly subscribers: readonly Subscriber[];
}

let open: Open | undefined;
let sent = 0;

function post(agent: Agent, port: number, body: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'a2a-version': '1.0',
    };
    const call = request({ host: '127.0.0.1', port, path: '/', method: 'POST', agent, headers }, resolve);
    call.on('error', reject);
    call.end(body);
  });
}

async function call(agent: Agent, port: number, method: string, params: unknown): Promise<Record<string, unknown>> {
  const n = (sent += 1);
  const response = await post(agent, port, rpcCall(n, method, params));
  const chunks = (await response.toArray()) as Buffer[];
  return rpcResult(n, Buffer.concat(chunks).toString('utf8'));
}

async function openAll(port: number, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const { task } = await call(agent, port, 'SendMessage', {
    message: {
      messageId: `idle-${(sent += 1)}`,
      role: 'ROLE_USER',
      parts: [{ text: 'Wait for me.' }],
      metadata: { isIdle: true },
    },
    configuration: { returnImmediately: true },
  });
  const { id: taskId } = task as { readonly id: string };
  const subscribers: Subscriber[] = [];
  let left = count;
  const openSome = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const n = (sent += 1);
      const subscriber = new Subscriber(n, await post(agent, port, rpcCall(n, 'SubscribeToTask', { id: taskId })));
      await subscriber.begun();
      subscribers.push(subscriber);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openSome));
  open = { port, taskId, agent, subscribers };
}

async function endAll(): Promise<void> {
  if (open === undefined) throw new Error('there are no subscribers');
  const { port, taskId, agent, subscribers } = open;
  open = undefined;
  await call(agent, port, 'CancelTask', { id: taskId });
  await Promise.all(subscribers.map((subscriber) => subscriber.ended()));
  agent.destroy();
}

handleRequests((payload) => {
  const asked = payload as SubscribersRequest;
  return asked.kind === 'open' ? openAll(asked.port, asked.count) : endAll();
});
