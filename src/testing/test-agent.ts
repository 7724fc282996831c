import type { AgentClient } from '../client/client.ts';
import type { AgentEvent } from '../client/event.ts';
import type { MessageInput } from '../client/message-input.ts';
import type { AnswerOptions, ConnectOptions, SendOptions } from '../client/options.ts';
import type { StateWord } from '../client/state-word.ts';
import type { AnswerInput, TaskQuestion } from '../client/task-question.ts';
import type { Message } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import { silentLog } from '../observe/log.ts';
import type { Agent } from '../agent/agent.ts';
import type { HandlerOptions } from '../server/options/handler-options.ts';
import { memoryStore } from '../store/memory/store.ts';
import type { Store } from '../store/store.ts';
import { type FakeClock, fakeClock } from './fake-clock.ts';
import type { FakePeer } from './fake-peer.ts';
import type { Duration } from './test-agent/duration.ts';
import type { RecordedStep } from './test-agent/task-records.ts';

/** Options of `testAgent()`: those of `createHandler()`, and these. */
export interface TestAgentOptions extends Omit<HandlerOptions, 'clock' | 'peers'> {
  /** The clock of the agent, which `advance()` moves. Default: `fakeClock()`. */
  readonly clock?: FakeClock;
  /**
   * The agents that the agent can call, by the id that it calls them by: a fake peer, or another agent, which runs on the same host and by
   * the same clock.
   *
   * @example
   * const agent = await testAgent(desk, { peers: { crm: await fakePeer({ script: ['Ann Lee'] }), mail: mailer } });
   */
  readonly peers?: Readonly<Record<string, FakePeer | Agent>>;
  /** Where tasks are stored. Open it with the same `clock`. It stays open. Default: a memory store. */
  readonly store?: Store;
  /** Options of the client that sends the messages, such as `auth`. */
  readonly client?: Omit<ConnectOptions, 'fetch'>;
  /**
   * How long a handler may work before the reply shows it as working, in milliseconds of real time. A handler that only waits for
   * `ctx.sleep`, an answer or a retry does not count. Default: 5 s.
   */
  readonly settleMs?: number;
}

/** A task, or the message of an agent that replied without one. */
export interface TestReply {
  /** The state of the task, such as `completed`. Undefined for a message. */
  readonly state: StateWord | undefined;
  /** The text of the artifacts, of the status or of the message. Empty if there is none. */
  readonly text: string;
  /** The task in the 1.0 format. */
  readonly task: Task | undefined;
  /** The message of an agent that replied without a task. */
  readonly message: Message | undefined;
  /** The open question, as in the replies of the client: its kind, options and schema. Undefined if the task is not paused. */
  readonly question: TaskQuestion | undefined;
  /** All open questions, the one above first. */
  readonly questions: readonly TaskQuestion[];
  /** The conversation. Pass it to `send()` to continue the conversation with another task. */
  readonly contextId: string | undefined;
}

/** An agent under test. Created by `testAgent()`; close it at the end of the test. */
export interface TestAgent {
  /** The clock of the agent. */
  readonly clock: FakeClock;
  /** The client that sends the messages, for everything else that a caller can do. After `crash()` it is another one. */
  readonly client: AgentClient;
  /** The recorded steps of the last task, with their results. */
  readonly steps: readonly RecordedStep[];
  /** The stored events of the last task. */
  readonly events: readonly AgentEvent[];
  /**
   * Sends a message and waits until the task has ended, asks a question, or waits for the clock.
   *
   * @throws A2AError if the agent rejects the message.
   */
  send(message: MessageInput, options?: Omit<SendOptions, 'wait'>): Promise<TestReply>;
  /**
   * Answers the open question of the last task, with everything that `answer()` of the client accepts: a text, a value for a typed
   * question, or a message. For `ctx.authorize` the text is the credential. If several questions are open, the answer
   * is for the one that is shown, or for `question`.
   *
   * @throws A2AError `INVALID_PARAMS` if the answer does not match the question.
   * @throws Error if the last task does not ask a question.
   */
  answer(answer: AnswerInput, options?: Pick<AnswerOptions, 'question'>): Promise<TestReply>;
  /** The last task as it is now. @throws Error if nothing was sent yet. */
  reply(): Promise<TestReply>;
  /**
   * Moves the clock forward and returns when the agent has done what was due by then: sleeps, expired questions, retries of steps
   * and deliveries, in their order.
   *
   * @example
   * await agent.advance('1h');
   */
  advance(time: Duration): Promise<void>;
  /**
   * Ends the process of the agent without any cleanup, as kill -9 does, and starts another one on the same store. Handlers stop
   * where they are. Returns when the resumed tasks have ended or wait.
   */
  crash(): Promise<void>;
  /** Stops the agent. */
  close(): Promise<void>;
  /** Calls `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

const SETTLE_MS = 5000;

/**
 * Starts an agent for a test, in this process, without a port and without log output. Time stands still until `advance()`.
 *
 * @example
 * const agent = await testAgent(clerk);
 * await agent.send('book Rome');
 * await agent.crash();
 * assert.equal((await agent.answer('yes')).text, 'Booked the 9:05 to Rome.');
 * await agent.close();
 *
 * @throws TypeError that lists every invalid option.
 */
export async function testAgent(agent: Agent, options: TestAgentOptions = {}): Promise<TestAgent> {
  const { client, settleMs = SETTLE_MS, clock = fakeClock(), store, peers = {}, ...given } = options;
  // Loaded late, because tests with fake peers need neither the client nor the server.
  const { AgentUnderTest } = await import('./test-agent/agent-under-test.ts');
  const tested = new AgentUnderTest(agent, {
    clock,
    store: store ?? memoryStore({ clock }),
    isOwnStore: store === undefined,
    handler: { log: silentLog, ...given, ...(given.auth === undefined && { auth: false }) },
    client: client ?? {},
    peers,
    settleMs,
  });
  await tested.start();
  return tested;
}
