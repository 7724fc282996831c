import type { AgentClient } from '../../client/client.ts';
import { connect } from '../../client/connect.ts';
import type { Chosen } from '../../client/request/endpoint.ts';
import { type CardProblem, inspectCard } from '../../client/card/inspect-card.ts';
import type { ConnectOptions } from '../../client/options.ts';
import { stateWord } from '../../client/state-word.ts';
import { A2AError, type ErrorCode } from '../../errors.ts';
import type { AgentCard } from '../../model/card.ts';
import { isTerminal } from '../../model/state.ts';
import type { Warning } from '../../wire/decoder.ts';
import type { AgentReference } from '../agents/agent-reference.ts';
import { now } from '../now.ts';
import { jsonAt, originalCard } from '../agents/published-card.ts';
import { oneLine } from '../output/screen.ts';

/** The result of checking one operation of an agent. */
export interface OperationCheck {
  readonly operation: 'get' | 'list' | 'subscribe' | 'stream';
  /** `missing`: the agent does not have it. `broken`: clients cannot read the response. `untried`: a message would be needed. */
  readonly result: 'works' | 'missing' | 'broken' | 'untried';
  readonly why: string;
}

/** The result of checking an agent. Null stands for a fact that could not be determined. */
export interface Diagnosis {
  /** Whether the agent responds, and how fast or why not. */
  readonly reachable: boolean;
  readonly reachableWhy: string;
  /** Whether the agent accepts the credentials, or calls without credentials. */
  readonly authorised: boolean | null;
  readonly authorisedWhy: string;
  readonly card: AgentCard | null;
  readonly cardUrl: string | null;
  readonly chosen: Chosen | null;
  readonly problems: readonly CardProblem[];
  readonly warnings: readonly Warning[];
  /** Why clients cannot call the agent although it is reachable. */
  readonly trouble: string | null;
  /** The operations that clients use; empty if the agent cannot be called. */
  readonly operations: readonly OperationCheck[];
}

const NOTHING: Diagnosis = {
  reachable: false,
  reachableWhy: '',
  authorised: null,
  authorisedWhy: 'not checked, because the agent is not reachable',
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
    const reachableWhy = `responded in ${Math.round(now() - start)} ms`;
    const found = await originalCard(reference, options);
    const { problems } = found === undefined ? { problems: [] } : inspectCard(found.json, found.url ?? undefined);
    const facts = { reachable: true, reachableWhy, card: agent.card, cardUrl: found?.url ?? null, problems };
    const access = await probe(agent);
    const operations = access.authorised === true ? await checkOperations(agent, message) : [];
    // The client may have found the agent at another URL than the one on the card.
    const { chosen } = agent;
    const known = new Set(problems.map(({ path }) => path));
    const warnings = agent.warnings.filter(({ field }) => !known.has(field));
    return { ...NOTHING, ...facts, ...access, chosen, warnings, operations };
  } finally {
    await agent.close();
  }
}

/** The id of a task that does not exist. */
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
        return { authorisedWhy: 'not known, because the response is not valid A2A', trouble: why };
      default:
        break;
    }
  }
  return { authorised: true, authorisedWhy: 'the agent responded to a request for a task' };
}

async function checkOperations(agent: AgentClient, message: string | undefined): Promise<OperationCheck[]> {
  const isStreaming = agent.card.capabilities.streaming === true;
  const checks: OperationCheck[] = [
    await check('get', () =>
      expectNotFound(() => agent.get(unknownTask()), 'the agent returned a task that does not exist'),
    ),
    await check('list', async () => {
      await agent.list({ pageSize: 1 });
      return 'the agent returned a page of tasks';
    }),
  ];
  if (isStreaming) checks.push(await check('subscribe', () => expectNotFound(() => firstEvent(agent, unknownTask()))));
  if (message !== undefined) checks.push(await check('stream', () => streamMessage(agent, message)));
  else if (isStreaming) {
    const why = "not checked: add --message 'Hello' to send a message and read its events";
    checks.push({ operation: 'stream', result: 'untried', why });
  }
  return checks;
}

/** Errors of an agent that does not support an operation, or not for this caller. */
const MISSING: ReadonlySet<ErrorCode> = new Set(['METHOD_NOT_FOUND', 'UNSUPPORTED_OPERATION', 'PERMISSION_DENIED']);

async function check(operation: OperationCheck['operation'], run: () => Promise<string>): Promise<OperationCheck> {
  try {
    return { operation, result: 'works', why: await run() };
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    return { operation, result: MISSING.has(error.code) ? 'missing' : 'broken', why: oneLine(error.message) };
  }
}

/** @param found The error if the agent has the task. Undefined if that is acceptable. */
async function expectNotFound(request: () => Promise<unknown>, found?: string): Promise<string> {
  try {
    await request();
  } catch (error) {
    if (!A2AError.is(error, 'TASK_NOT_FOUND')) throw error;
    return 'the agent reported an unknown task as not found';
  }
  if (found !== undefined) throw new A2AError('INVALID_AGENT_RESPONSE', found);
  return 'the agent opened a stream for an unknown task';
}

async function firstEvent(agent: AgentClient, taskId: string): Promise<void> {
  const stream = agent.task(taskId).subscribe();
  try {
    await stream.next();
  } finally {
    await stream.return();
  }
}

/** Sends a message, reads all events, and then subscribes to the task like a client that lost its connection. */
async function streamMessage(agent: AgentClient, message: string): Promise<string> {
  const stream = agent.stream(message);
  let count = 0;
  const eventsText = (): string => (count === 1 ? '1 event' : `${count} events`);
  try {
    for await (const _event of stream) count++;
  } catch (error) {
    if (count === 0 || !A2AError.is(error, 'TIMEOUT')) throw error;
    return `${eventsText()}, no end within the time limit (--timeout)`;
  }
  const events = eventsText();
  const { task } = stream;
  if (task === undefined) return `${events}, the agent replied with a message`;
  if (isTerminal(task.status.state)) await firstEvent(agent, task.id);
  return `${events}, the task is ${stateWord(task.status.state)}`;
}

async function diagnoseFailure({ target }: AgentReference, error: A2AError): Promise<Diagnosis> {
  const why = oneLine(error.message);
  const isAuth = error.code === 'UNAUTHENTICATED' || error.code === 'PERMISSION_DENIED';
  if (isAuth) return { ...NOTHING, reachable: true, reachableWhy: 'responded', authorised: false, authorisedWhy: why };
  const isLost = error.code === 'TRANSPORT_FAILED' || error.code === 'TIMEOUT';
  if (isLost) return { ...NOTHING, reachableWhy: why };
  const found = typeof target === 'string' ? await jsonAt(error.details['url']) : { json: target, url: null };
  const problems = found === undefined ? [] : inspectCard(found.json, found.url ?? undefined).problems;
  return {
    ...NOTHING,
    reachable: true,
    reachableWhy: 'responded',
    authorisedWhy: 'not checked, because there is no usable card',
    cardUrl: found?.url ?? null,
    problems,
    trouble: why,
  };
}
