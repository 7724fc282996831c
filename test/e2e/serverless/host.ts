/** A serverless host: each request may get a process of its own. The processes are handlers on one store. */
import { onTestFinished } from 'vitest';
import { silentLog } from '../../../src/observe/log.ts';
import type { Agent } from '../../../src/agent/agent.ts';
import type { AgentHandler } from '../../../src/server/handler.ts';
import { createHandler, type HandlerOptions, memoryStore } from '../../../src/server/index.ts';
import type { Store } from '../../../src/store/store.ts';

export const SECRET = 'a secret that only this agent has';
export const CRON_SECRET = 'the secret of the cron job';
export const URL_OF_AGENT = 'https://agent.example';

export interface Host {
  /** Sends a request to the given process, or to a new one. */
  fetch(path: string, init?: RequestInit, process?: AgentHandler, ...rest: readonly object[]): Promise<Response>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a text and returns the task. */
  send(text: string, more?: Sending): Promise<SentTask>;
  stateOf(taskId: string): Promise<string>;
  newProcess(): AgentHandler;
  /** The requests of the agent to itself, in order. */
  readonly own: Request[];
  /** Resolves when none of them is in flight. */
  settled(): Promise<void>;
}

export interface Sending {
  readonly waits?: boolean;
  readonly taskId?: string;
  readonly process?: AgentHandler;
  readonly rest?: readonly object[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SentTask {
  readonly id: string;
  readonly status: { readonly state: string };
  readonly artifacts?: readonly { readonly parts: readonly { readonly text: string }[] }[];
}

/** Whether the requests of the agent to itself fail. */
export interface Network {
  isDown: boolean;
}

let messages = 0;

export function messageOf(text: string, more: object = {}): Record<string, unknown> {
  return { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text }], ...more };
}

/** @param openStore Opens a store for each process: then three processes take turns. Without it, all processes share one store. */
export function startHost(
  agent: Agent,
  options: HandlerOptions = {},
  network: Network = { isDown: false },
  openStore?: () => Store,
): Host {
  const shared = options.store ?? memoryStore();
  const own: Request[] = [];
  const underWay = new Set<Promise<unknown>>();
  const processes: AgentHandler[] = [];
  let turn = 0;
  const newProcess = (): AgentHandler => {
    const next = openStore === undefined ? undefined : processes[turn++ % 3];
    if (next !== undefined) return next;
    const { serverless, ...others } = options;
    const toItself = async (request: Request): Promise<Response> => {
      own.push(request.clone());
      if (network.isDown) throw new TypeError('The network is down');
      const answer = newProcess().fetch(request);
      underWay.add(answer);
      return answer.finally(() => underWay.delete(answer));
    };
    const handler = createHandler(agent, {
      publicUrl: URL_OF_AGENT,
      insecurePublic: true,
      log: silentLog,
      ...others,
      store: openStore?.() ?? shared,
      serverless: { secret: SECRET, cronSecret: CRON_SECRET, headStartMs: 5, fetch: toItself, ...serverless },
    });
    onTestFinished(() => handler.close());
    processes.push(handler);
    return handler;
  };
  const fetch: Host['fetch'] = (path, init, process = newProcess(), ...rest) =>
    process.fetch(new Request(`${URL_OF_AGENT}${path}`, init), ...rest);
  const post: Host['post'] = (path, body, headers = {}) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return {
    fetch,
    post,
    newProcess,
    own,
    async send(text, { waits = false, taskId, process, rest = [], headers = {} } = {}) {
      const message = messageOf(text, taskId === undefined ? {} : { taskId });
      const body = JSON.stringify({ message, configuration: { returnImmediately: !waits } });
      const type = { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers };
      const answer = await fetch('/message:send', { method: 'POST', headers: type, body }, process, ...rest);
      const json = (await answer.json()) as { readonly task?: SentTask };
      if (json.task === undefined) throw new Error(`Expected a task, got ${JSON.stringify(json)}`);
      return json.task;
    },
    async stateOf(taskId) {
      const answer = await fetch(`/tasks/${taskId}`, { headers: { 'a2a-version': '1.0' } });
      return ((await answer.json()) as SentTask).status.state.replace('TASK_STATE_', '').toLowerCase();
    },
    async settled() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}
