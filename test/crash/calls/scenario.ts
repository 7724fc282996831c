import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Message } from '../../../src/model/message.ts';
import { textOfParts } from '../../../src/model/part-text.ts';
import { isTerminal } from '../../../src/model/state.ts';
import type { Task } from '../../../src/model/task.ts';
import { type HostOptions, HostProcess } from './host-process.ts';
import type { Facts, Moment, TaskFacts } from './protocol.ts';

/** All agents in one process, or the calling one and the others in two. */
export type Layout = 'siblings' | 'http';
/** The reaction of the caller to the question. */
export type Ending = 'answer' | 'cancel';

export interface Scenario {
  readonly layout: Layout;
  readonly ending: Ending;
  /** The moment at which the process of the calling agent, or of all agents, kills itself. */
  readonly killFront?: Moment;
  /** The moment at which the process of the called agents kills itself. */
  readonly killOthers?: Moment;
  /** Whether both processes die when the first one does. */
  readonly killsBoth?: boolean;
  /** Breaks connections to the called agents. */
  readonly connection?: Pick<HostOptions, 'onRequest' | 'onResponse'>;
  /** Kills processes and cuts connections while the scenario runs. */
  readonly disturb?: (hosts: readonly HostProcess[]) => void;
}

/** Where the processes of a scenario store their tasks. */
export interface Place {
  /** A folder for SQLite files, or the URL of a PostgreSQL database. */
  readonly folder?: string;
  readonly postgres?: { readonly url: string; readonly schemas: Readonly<Record<'front' | 'others', string>> };
}

export interface Result {
  readonly kills: number;
  /** The differences from what is expected. */
  readonly problems: readonly string[];
  readonly points: readonly Facts['points'][];
}

const HEADERS = { 'a2a-version': '1.0', 'content-type': 'application/json' };
const LIMIT_MS = 60_000;
const REQUEST_MS = 5000;
const CALLED = ['asker', 'echo', 'greeter', 'idle', 'sleeper'] as const;

/** The number of runs that may end without reaching the fault point, because the order of events is random. */
const MAX_RUNS = 5;

/** Repeats a scenario until its processes were killed at its fault point. */
export async function runUntilKilled(
  { killsBoth = false }: Scenario,
  run: () => Promise<Result>,
): Promise<{ readonly isKilled: boolean; readonly problems: readonly string[] }> {
  for (let runs = 0; runs < MAX_RUNS; runs++) {
    const { kills, problems } = await run();
    const isKilled = kills === (killsBoth ? 2 : 1);
    if (isKilled || problems.length > 0) return { isKilled, problems };
  }
  return { isKilled: false, problems: [] };
}

/** Runs one task of the calling agent to its end, with processes that are killed, and checks what all of them have stored. */
export async function runScenario(program: string, place: Place, scenario: Scenario): Promise<Result> {
  const hosts = await startHosts(program, place, scenario);
  try {
    const [front] = hosts;
    if (front === undefined) throw new Error('No process');
    if (scenario.killsBoth === true) for (const host of hosts) host.onKill = () => killOthers(hosts, host);
    scenario.disturb?.(hosts);
    const caller = new Caller(`${front.url}${scenario.layout === 'siblings' ? '/a/front' : ''}`, scenario.ending);
    const giveUpAt = Date.now() + LIMIT_MS;
    let found = await factsOf(hosts);
    while (found === undefined || !(await caller.isDone()) || !hasSettled(found)) {
      if (Date.now() > giveUpAt) return failed(hosts, caller, found);
      await delay(10);
      found = await factsOf(hosts);
    }
    const problems = problemsOf(
      scenario.ending,
      caller,
      found.flatMap(({ tasks }) => tasks),
    );
    const output = hosts.flatMap((host) => (host.output === '' ? [] : [host.output]));
    return { kills: killsOf(hosts), problems: [...problems, ...output], points: found.map(({ points }) => points) };
  } finally {
    await Promise.all(hosts.map((host) => host.stop()));
  }
}

async function startHosts(program: string, { folder, postgres }: Place, scenario: Scenario): Promise<HostProcess[]> {
  const { layout, killFront, killOthers: killOther, connection } = scenario;
  if (folder !== undefined) mkdirSync(folder, { recursive: true });
  const stored = (name: 'front' | 'others'): Pick<HostOptions, 'database' | 'schema'> =>
    postgres === undefined
      ? { database: join(folder ?? '', `${name}.db`), schema: '' }
      : { database: postgres.url, schema: postgres.schemas[name] };
  if (layout === 'siblings')
    return [await HostProcess.start(program, { serves: 'all', ...stored('front') }, killFront)];
  const others = await HostProcess.start(program, { serves: 'others', ...stored('others'), ...connection }, killOther);
  const options = { serves: 'front', ...stored('front'), peerUrl: others.url } as const;
  return [await HostProcess.start(program, options, killFront), others];
}

function killOthers(hosts: readonly HostProcess[], dead: HostProcess): void {
  for (const host of hosts) {
    host.onKill = () => {};
    if (host !== dead) host.kill();
  }
}

function killsOf(hosts: readonly HostProcess[]): number {
  return hosts.reduce((sum, { kills }) => sum + kills, 0);
}

/** `undefined` while a process is not up. */
async function factsOf(hosts: readonly HostProcess[]): Promise<readonly Facts[] | undefined> {
  const found = await Promise.all(hosts.map((host) => host.facts()));
  return found.every((facts) => facts !== undefined) ? found : undefined;
}

/** Whether no task and no call is left. */
function hasSettled(found: readonly Facts[]): boolean {
  return found.every(
    ({ tasks, openCalls }) =>
      openCalls === 0 && tasks.every(({ state }) => isTerminal(state as Task['status']['state'])),
  );
}

function failed(hosts: readonly HostProcess[], caller: Caller, found: readonly Facts[] | undefined): Result {
  const problems = [
    'Not settled in time',
    JSON.stringify(caller.task),
    JSON.stringify(found),
    ...hosts.map(({ output }) => output),
  ];
  return { kills: killsOf(hosts), problems, points: [] };
}

/** The differences from what is expected in the end. */
function problemsOf(ending: Ending, { task, questions, text }: Caller, tasks: readonly TaskFacts[]): readonly string[] {
  const problems: string[] = [];
  const expectEqual = (what: string, actual: unknown, expected: unknown): void => {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== b) problems.push(`${what}: ${a}, expected ${b}`);
  };
  const of = (agent: string): readonly TaskFacts[] => tasks.filter((each) => each.agent === agent);
  const states = (agent: string): readonly string[] => of(agent).map(({ state }) => state.replace('TASK_STATE_', ''));
  expectEqual('tasks of front', states('front'), [ending === 'answer' ? 'COMPLETED' : 'CANCELED']);
  expectEqual('questions to the caller', questions.size, 1);
  for (const agent of CALLED) {
    const isCompleted = ending === 'answer' ? agent !== 'idle' && agent !== 'sleeper' : agent === 'echo';
    const found = states(agent);
    // A call that is canceled early may never have created a task, and one that is completed late may be canceled.
    const mayBeMissing = agent === 'idle' || agent === 'sleeper' || (ending === 'cancel' && agent === 'echo');
    const isCanceledLate = ending === 'cancel' && agent === 'echo' && found[0] === 'CANCELED';
    const expected = isCompleted && !isCanceledLate ? ['COMPLETED'] : ['CANCELED'];
    if (found.length > 0 || !mayBeMissing) expectEqual(`tasks of ${agent}`, found, expected);
  }
  const count = (agent: string, kind: string): number => of(agent)[0]?.journal[kind] ?? 0;
  const countAll = (agent: string, kinds: readonly string[]): readonly number[] =>
    kinds.map((kind) => count(agent, kind));
  const kinds = ['call', 'call-question', 'question', 'answer'] as const;
  const answers = ending === 'answer' ? 1 : 0;
  expectEqual(`entries of front (${kinds.join()})`, countAll('front', kinds), [3, 1, 1, answers]);
  expectEqual(`entries of greeter (${kinds.join()})`, countAll('greeter', kinds), [1, 1, 1, answers]);
  expectEqual(`entries of asker (${kinds.join()})`, countAll('asker', kinds), [0, 0, 1, answers]);
  if (ending === 'cancel') return problems;
  expectEqual('results for front', count('front', 'called'), 3);
  expectEqual('results for greeter', count('greeter', 'called'), 1);
  // The greeter's text is that of its artifacts.
  expectEqual('result', text('response'), 'one two\nhello Ann echo b canceled');
  expectEqual('relayed artifact', text('notes'), 'one two');
  const messages = (task?.history ?? []).map(
    ({ role, parts }) => `${role === 'ROLE_USER' ? 'user' : 'agent'}: ${textOfParts(parts)}`,
  );
  expectEqual('history', messages, ['user: go', 'agent: Name?', 'user: Ann']);
  return problems;
}

/** The caller of the calling agent, who repeats each request until a process responds. */
class Caller {
  /** The task as it was last seen. */
  task: Task | undefined;
  /** The ids of all questions that it has seen. */
  readonly questions = new Set<string>();
  readonly #url: string;
  readonly #ending: Ending;

  constructor(url: string, ending: Ending) {
    this.#url = url;
    this.#ending = ending;
  }

  /** Does what is to be done next. Resolves to true when the task has ended. */
  async isDone(): Promise<boolean> {
    try {
      this.task = await this.#next();
    } catch {
      // The process is being started again.
    }
    return this.task !== undefined && isTerminal(this.task.status.state);
  }

  readonly text = (name: string): string => {
    const artifact = this.task?.artifacts?.find((each) => (each.name ?? each.artifactId) === name);
    return (artifact?.parts ?? []).map((part) => textOfParts([part])).join('');
  };

  async #next(): Promise<Task> {
    if (this.task === undefined) return this.#send({ messageId: 'first', role: 'ROLE_USER', parts: [{ text: 'go' }] });
    const { id: taskId } = this.task;
    const task = (await this.#request('GET', `/tasks/${taskId}`)) as Task;
    const { state, message: { messageId: question } = {} } = task.status;
    if (state !== 'TASK_STATE_INPUT_REQUIRED' || question === undefined) return task;
    this.questions.add(question);
    if (this.#ending === 'cancel') return (await this.#request('POST', `/tasks/${taskId}:cancel`, {})) as Task;
    return this.#send({ messageId: `to ${question}`, taskId, role: 'ROLE_USER', parts: [{ text: 'Ann' }] });
  }

  async #send(message: Message): Promise<Task> {
    const body = { message, configuration: { returnImmediately: true } };
    const response = await this.#request('POST', '/message:send', body, { 'idempotency-key': message.messageId });
    return (response as { readonly task: Task }).task;
  }

  async #request(
    method: string,
    path: string,
    body?: object,
    more: Readonly<Record<string, string>> = {},
  ): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...HEADERS, ...more },
      body: body === undefined ? null : JSON.stringify(body),
      // A request to a process that was killed must not keep the caller waiting.
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return JSON.parse(text) as unknown;
  }
}
