import { whereaboutsOf } from '../client/card-places.ts';
import type { AgentClient } from '../client/client.ts';
import { connect, tryDiscover } from '../client/connect.ts';
import type { Chosen } from '../client/endpoint.ts';
import { type CardProblem, inspectCard } from '../client/inspect-card.ts';
import type { ConnectOptions } from '../client/options.ts';
import { stateWord } from '../client/state-word.ts';
import { A2AError, type ErrorCode } from '../errors.ts';
import type { AgentCard } from '../model/card.ts';
import { isTerminal } from '../model/state.ts';
import type { Warning } from '../wire/reader.ts';
import type { AgentReference } from './agent-reference.ts';
import { now } from './now.ts';
import { oneLine } from './screen.ts';

/** The result of checking one operation of an agent. */
export interface OperationCheck {
  readonly operation: 'get' | 'list' | 'subscribe' | 'stream';
  /** `missing`: the agent does not have it. `broken`: clients cannot read the response. `untried`: a message would be needed. */
  readonly result: 'works' | 'missing' | 'broken' | 'untried';
  readonly why: string;
}

/** What was found out about an agent. Null is for what could not be found out. */
export interface Diagnosis {
  /** Whether anybody answers, and how soon or why not. */
  readonly reachable: boolean;
  readonly reachableWhy: string;
  /** Whether we may talk to it: that is another question. */
  readonly authorised: boolean | null;
  readonly authorisedWhy: string;
  readonly card: AgentCard | null;
  readonly cardUrl: string | null;
  readonly chosen: Chosen | null;
  readonly problems: readonly CardProblem[];
  readonly warnings: readonly Warning[];
  /** Why there is no way to talk to it, although somebody is there. */
  readonly trouble: string | null;
  /** The operations that clients use; empty if the agent cannot be called. */
  readonly operations: readonly OperationCheck[];
}

const NOTHING: Diagnosis = {
  reachable: false,
  reachableWhy: '',
  authorised: null,
  authorisedWhy: 'nobody to ask',
  card: null,
  cardUrl: null,
  chosen: null,
  problems: [],
  warnings: [],
  trouble: null,
  operations: [],
};

/**
 * Finds out whether clients can use an agent: its card, its authentication and its operations.
 *
 * @param message Sent to the agent to try its stream. Without one, no message is sent.
 */
export async function diagnose(
  reference: AgentReference,
  options: ConnectOptions,
  message?: string,
): Promise<Diagnosis> {
  const start = now();
  let agent: AgentClient;
  try {
    agent = await connect(reference.target, options);
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return diagnoseFailure(reference, error);
  }
  try {
    const reachableWhy = `answered in ${Math.round(now() - start)} ms`;
    const found = await originalCard(reference, options);
    const { problems } = found === undefined ? { problems: [] } : inspectCard(found.json, found.url ?? undefined);
    const facts = { reachable: true, reachableWhy, card: agent.card, cardUrl: found?.url ?? null, problems };
    const answer = await probe(agent);
    const operations = answer.authorised === true ? await checkOperations(agent, message) : [];
    // Whoever is not where its card says may have been found elsewhere in the meantime.
    const { chosen } = agent;
    const known = new Set(problems.map(({ path }) => path));
    const warnings = agent.warnings.filter(({ field }) => !known.has(field));
    return { ...NOTHING, ...facts, ...answer, chosen, warnings, operations };
  } finally {
    await agent.close();
  }
}

/** The card as it was written, before anybody put it into the words of 1.0. */
async function originalCard(
  { target }: AgentReference,
  options: ConnectOptions,
): Promise<{ readonly json: unknown; readonly url: string | null } | undefined> {
  if (typeof target !== 'string') return { json: target, url: null };
  const found = await tryDiscover(target, options).catch(() => null);
  return found === null ? undefined : { json: found.raw, url: found.url };
}

/** A task that no agent has. */
function unknownTask(): string {
  return crypto.randomUUID();
}

/** Asks for a task that does not exist. An agent that reports it as not found has accepted the credentials. */
async function probe(agent: AgentClient): Promise<Partial<Diagnosis>> {
  try {
    await agent.get(unknownTask());
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    const why = oneLine(error.message);
    switch (error.code) {
      case 'UNAUTHENTICATED':
      case 'PERMISSION_DENIED':
        return { authorised: false, authorisedWhy: why };
      case 'TRANSPORT_FAILED':
      case 'TIMEOUT':
        return { reachable: false, reachableWhy: why };
      case 'DISCOVERY_FAILED':
      case 'INVALID_AGENT_RESPONSE':
        return { authorisedWhy: 'no answer that could be understood', trouble: why };
      default:
        break;
    }
  }
  return { authorised: true, authorisedWhy: 'a question about a task was answered' };
}

async function checkOperations(agent: AgentClient, message: string | undefined): Promise<OperationCheck[]> {
  const isStreaming = agent.card.capabilities.streaming === true;
  const checks: OperationCheck[] = [
    await check('get', () => expectNotFound(() => agent.get(unknownTask()), 'a task that does not exist was returned')),
    await check('list', async () => {
      await agent.list({ pageSize: 1 });
      return 'a page of tasks was read';
    }),
  ];
  if (isStreaming) checks.push(await check('subscribe', () => expectNotFound(() => firstEvent(agent, unknownTask()))));
  if (message !== undefined) checks.push(await check('stream', () => streamMessage(agent, message)));
  else if (isStreaming) {
    const why = "not tried: --message 'Hello' sends a message and reads the events";
    checks.push({ operation: 'stream', result: 'untried', why });
  }
  return checks;
}

/** Errors of an agent that does not have an operation, or not for this caller. */
const MISSING: ReadonlySet<ErrorCode> = new Set(['METHOD_NOT_FOUND', 'UNSUPPORTED_OPERATION', 'PERMISSION_DENIED']);

async function check(operation: OperationCheck['operation'], run: () => Promise<string>): Promise<OperationCheck> {
  try {
    return { operation, result: 'works', why: await run() };
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return { operation, result: MISSING.has(error.code) ? 'missing' : 'broken', why: oneLine(error.message) };
  }
}

/** @param found What it means that the agent has the task; nothing if that is acceptable. */
async function expectNotFound(ask: () => Promise<unknown>, found?: string): Promise<string> {
  try {
    await ask();
  } catch (error) {
    if (!A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
    return 'a task that does not exist was reported as such';
  }
  if (found !== undefined) throw new A2AError('INVALID_AGENT_RESPONSE', found);
  return 'a task that does not exist has a stream';
}

async function firstEvent(agent: AgentClient, taskId: string): Promise<void> {
  const stream = agent.task(taskId).subscribe();
  try {
    await stream.next();
  } finally {
    await stream.return();
  }
}

/** Sends a message, reads all events, and then subscribes to the task as a client does that has lost its connection. */
async function streamMessage(agent: AgentClient, message: string): Promise<string> {
  const stream = agent.stream(message);
  let count = 0;
  const eventsText = (): string => (count === 1 ? '1 event' : `${count} events`);
  try {
    for await (const _event of stream) count++;
  } catch (error) {
    if (count === 0 || !A2AError.is(error, 'TIMEOUT')) throw error;
    return `${eventsText()}, and no end within the time limit (--timeout)`;
  }
  const events = eventsText();
  const { task } = stream;
  if (task === undefined) return `${events}, a message`;
  if (isTerminal(task.status.state)) await firstEvent(agent, task.id);
  return `${events}, and the task is ${stateWord(task.status.state)}`;
}

async function diagnoseFailure({ target }: AgentReference, error: A2AError): Promise<Diagnosis> {
  const why = oneLine(error.message);
  const isAuth = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
  if (isAuth) return { ...NOTHING, reachable: true, reachableWhy: 'answered', authorised: false, authorisedWhy: why };
  const isLost = error.code === 'TRANSPORT_FAILED' || error.code === 'TIMEOUT';
  if (isLost) return { ...NOTHING, reachableWhy: why };
  const found = typeof target === 'string' ? await whatIsThere(error.details['url']) : { json: target, url: null };
  const problems = found === undefined ? [] : inspectCard(found.json, found.url ?? undefined).problems;
  return {
    ...NOTHING,
    reachable: true,
    reachableWhy: 'answered',
    authorisedWhy: 'without a card nobody knows whom to ask',
    cardUrl: found?.url ?? null,
    problems,
    trouble: why,
  };
}

const LOOK_MS = 10_000;

/** Whatever is JSON at a place where a card should be. */
async function whatIsThere(address: string | undefined): Promise<{ json: unknown; url: string } | undefined> {
  if (address === undefined) return undefined;
  for (const { url } of whereaboutsOf(new URL(address), undefined).cards) {
    try {
      const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(LOOK_MS) });
      if (response.ok) return { json: await response.json(), url };
    } catch {
      // Then it is no card.
    }
  }
  return undefined;
}
