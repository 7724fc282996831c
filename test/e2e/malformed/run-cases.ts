import { expect } from 'vitest';
import { serve, type AgentServer, type ServeOptions } from '../../../src/node/serve.ts';
import { agent } from '../../../src/agent/agent.ts';
import { memoryStore } from '../../../src/store/memory/store.ts';
import { call, type MalformedCase } from './case.ts';
import { type Answer, exchange, type RawRequest } from './exchange.ts';
import { assertAnswer } from './expected.ts';

/** A server with two tasks, and the errors in its log. */
export interface Target {
  readonly server: AgentServer;
  readonly faults: readonly unknown[];
  /** The id of a completed task. */
  readonly task: string;
  /** The token of the second page of the context `paged`. */
  readonly token: string;
  [Symbol.asyncDispose](): Promise<void>;
}

const echo = agent({
  name: 'Echo',
  description: 'Returns the text of the message.',
  async *run({ text }) {
    yield { artifact: 'echo.txt', text };
  },
});

export async function openTarget(options: ServeOptions = {}): Promise<Target> {
  const faults: unknown[] = [];
  const quiet = (): void => {};
  const log = { debug: quiet, info: quiet, warn: quiet, error: (...fault: unknown[]) => void faults.push(fault) };
  const server = await serve(echo, { port: 0, store: memoryStore(), pushNotifications: true, log, ...options });
  const first = await say(server, 'one');
  await say(server, 'two');
  const page = await exchange(server.port, call('ListTasks', { contextId: 'paged', pageSize: 1 }));
  const { nextPageToken } = (JSON.parse(page.text) as { result: { nextPageToken: string } }).result;
  const close = (): Promise<void> => server.close({ finishMs: 0 });
  return { server, faults, task: first, token: nextPageToken, [Symbol.asyncDispose]: close };
}

/** Sends a valid message, expects its result, and returns the id of the task. */
export async function say({ port }: AgentServer, text: string): Promise<string> {
  const message = { messageId: text, contextId: 'paged', role: 'ROLE_USER', parts: [{ text }] };
  const answer = await exchange(port, call('SendMessage', { message }));
  const { result } = JSON.parse(answer.text) as {
    result: { task: { id: string; status: { state: string }; artifacts: unknown } };
  };
  expect(result.task).toMatchObject({ status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text }] }] });
  return result.task.id;
}

/** Runs a case over a socket and over fetch. */
async function runCase({ server, faults, task, token }: Target, each: MalformedCase): Promise<void> {
  const before = faults.length;
  const fill = (text: string): string => text.replaceAll('$TASK', task).replaceAll('$TOKEN', token);
  const request = filledIn(each.request, fill);
  const expected = { ...each.answer, ...(each.answer.message !== undefined && { message: fill(each.answer.message) }) };
  const answer = await exchange(server.port, request);
  assertAnswer(answer, expected);
  if (each.socketOnly !== true) {
    const inProcess = await fetched(server, request);
    assertAnswer(inProcess, expected);
    if (expected.form !== 'accepted') expect(inProcess.text).toBe(answer.text);
    expect(inProcess.headers['content-type']).toBe(answer.headers['content-type']);
  }
  expect(faults.slice(before)).toEqual([]);
}

/** Runs a table of cases against one server and returns the failures. */
export async function runCases(target: Target, cases: readonly MalformedCase[]): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const each of cases) {
    try {
      await runCase(target, each);
    } catch (error) {
      const { message, actual } = error as { readonly message: string; readonly actual?: unknown };
      failures.push(`${each.name}: ${message}; got ${JSON.stringify(actual)?.slice(0, 1000)}`);
    }
  }
  return failures;
}

function filledIn(request: RawRequest, fill: (text: string) => string): RawRequest {
  return {
    ...request,
    ...(request.path !== undefined && { path: fill(request.path) }),
    ...(typeof request.body === 'string' && { body: fill(request.body) }),
  };
}

export async function fetched({ url, handler }: AgentServer, request: RawRequest): Promise<Answer> {
  const { method = 'POST', path = '/a2a', headers = [], body } = request;
  const asked = new Request(`${url}${path}`, {
    method,
    headers: headers.map(([name, value]): [string, string] => [name, value]),
    // An empty text means no body, as over a socket. Other bodies are bytes, because `Request` adds a type to a string.
    ...(body !== undefined &&
      body !== '' && { body: typeof body === 'string' ? new TextEncoder().encode(body) : body }),
  });
  const response = await handler.fetch(asked);
  return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() };
}
