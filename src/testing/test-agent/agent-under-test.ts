import type { AgentClient } from '../../client/client.ts';
import { connect } from '../../client/connect.ts';
import type { AgentEvent } from '../../client/event.ts';
import type { MessageInput } from '../../client/message-input.ts';
import type { AnswerOptions, ConnectOptions, SendOptions } from '../../client/options.ts';
import { stateWord } from '../../client/state-word.ts';
import type { TaskStream } from '../../client/task-stream.ts';
import { answering, type AnswerInput, answerMessage, questionOf, questionsOf } from '../../client/task-question.ts';
import { textOfTask } from '../../model/task-text.ts';
import type { Message } from '../../model/message.ts';
import type { Task } from '../../model/task.ts';
import type { Agent } from '../../agent/agent.ts';
import { type AgentHandler, createHandler } from '../../server/handler.ts';
import type { HandlerOptions } from '../../server/options/handler-options.ts';
import type { Store } from '../../store/store.ts';
import { nextTurn, systemScheduler } from '../../support/time/scheduler.ts';
import type { FakeClock } from '../fake-clock.ts';
import type { TestAgent, TestReply } from '../test-agent.ts';
import { type Duration, toMs } from './duration.ts';
import type { FakePeer } from '../fake-peer.ts';
import { HandlerActivity } from './handler-activity.ts';
import { type ProcessStore, processStore } from './process-store.ts';
import { TestPeers } from './test-peers.ts';
import { RecordCollector, type RecordedStep, type TaskRecords } from './task-records.ts';
import type { Clock } from '../../support/time/clock.ts';

/** One simulated process. */
interface Process {
  readonly clock: ProcessClock;
  readonly store: ProcessStore;
  readonly handlers: HandlerActivity;
  readonly handler: AgentHandler;
  readonly client: AgentClient;
  readonly peers: TestPeers;
}

/** An engine without open store calls that does nothing in this many turns of the event loop is idle. */
const QUIET_TURNS = 10;
/** After this many turns, each check waits for a millisecond. */
const FAST_TURNS = 1000;
/** The clock moves in steps of at most this, because the engine takes a jump of more than an hour for a wrong clock. */
const MAX_JUMP_MS = 30 * 60_000;

/** Captured at load, before a test can replace them. */
const { setTimeout: later } = globalThis;
const now = performance.now.bind(performance);

interface Setup {
  readonly clock: FakeClock;
  readonly store: Store;
  readonly isOwnStore: boolean;
  readonly handler: HandlerOptions;
  readonly client: ConnectOptions;
  readonly peers: Readonly<Record<string, FakePeer | Agent>>;
  readonly settleMs: number;
}

/** See `testAgent()`. */
export class AgentUnderTest implements TestAgent {
  readonly clock: FakeClock;
  readonly #agent: Agent;
  readonly #setup: Setup;
  readonly #records = new RecordCollector();
  readonly #streams = new Set<TaskStream>();
  #process: Process | undefined;
  #closing: Promise<void> | undefined;

  constructor(agent: Agent, setup: Setup) {
    this.#agent = agent;
    this.#setup = setup;
    this.clock = setup.clock;
  }

  async start(): Promise<void> {
    const clock = new ProcessClock(this.clock);
    const store = processStore(this.#setup.store, this.#records.note);
    const handlers = new HandlerActivity();
    const peers = await TestPeers.connect(this.#setup.peers, clock);
    const agents = [this.#agent, ...peers.agents].map((each) => handlers.observe(each));
    // An agent that is alone has its usual address.
    const handler = createHandler(peers.agents.length === 0 ? handlers.observe(this.#agent) : agents, {
      ...this.#setup.handler,
      peers: peers.clients,
      store: store.store,
      clock,
    });
    try {
      await handler.start();
      this.#process = { clock, store, handlers, handler, peers, client: await this.#connect(handler, peers) };
    } catch (error) {
      await handler.close();
      await peers.close();
      throw error;
    }
    await this.#settled();
  }

  /** Several agents of one host have their cards at paths of their own. */
  #connect(handler: AgentHandler, { agents }: TestPeers): Promise<AgentClient> {
    const { client } = this.#setup;
    if (agents.length === 0) return connect(handler, client);
    return connect(`http://localhost/a/${this.#agent.id}`, {
      ...client,
      fetch: (request) => handler.fetch(request),
    });
  }

  get client(): AgentClient {
    return this.#running.client;
  }

  get steps(): readonly RecordedStep[] {
    return this.#records.last?.steps ?? [];
  }

  get events(): readonly AgentEvent[] {
    return this.#records.last?.events ?? [];
  }

  async send(input: MessageInput, options: Omit<SendOptions, 'wait'> = {}): Promise<TestReply> {
    const stream = this.client.stream(input, options);
    const { value: first } = await stream.next();
    if (first === undefined) throw new Error('The agent sent no event');
    if (first.type === 'message') return messageReply(first.message);
    this.#records.select(first.taskId);
    void this.#readToEnd(stream);
    await this.#settled();
    return this.reply();
  }

  async answer(answer: AnswerInput, { question: named }: Pick<AnswerOptions, 'question'> = {}): Promise<TestReply> {
    const { taskId } = this.#last();
    const { state, question: shown, questions } = await this.reply();
    const id = typeof named === 'object' ? named.id : named;
    const question = id === undefined ? shown : questions.find((one) => one.id === id);
    if (question === undefined && id !== undefined)
      throw new Error(`The task does not ask the question ${id}, or it is no longer open`);
    if (question === undefined) throw new Error(`The task does not ask a question; it is ${state}`);
    const message = answerMessage(answer, question, question.isSensitive);
    // Time stands still, so a question that has just replaced another one takes only an answer that names it.
    return this.send(question.id === undefined ? message : answering(message, question.id), { taskId });
  }

  async reply(): Promise<TestReply> {
    const { taskId, events } = this.#last();
    const last = events.at(-1);
    if (last?.type === 'message') return messageReply(last.message);
    return taskReply(await this.client.get(taskId));
  }

  async advance(time: Duration): Promise<void> {
    const until = this.clock.now() + toMs(time);
    await this.#settled();
    while (this.clock.now() < until) {
      await this.#step(until);
      await this.#settled();
    }
  }

  async crash(): Promise<void> {
    const { clock, store, client, peers } = this.#running;
    clock.kill();
    store.kill();
    await this.#closeClient(client);
    await peers.close();
    // Otherwise the tasks would stay leased to the dead process until its heartbeat is overdue.
    if (store.node !== undefined) await this.#setup.store.retire(store.node);
    await this.start();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const { client, handler, peers } = this.#running;
    this.#process = undefined;
    // Before the client disconnects, because then an agent may cancel its tasks.
    await handler.close();
    await this.#closeClient(client);
    await peers.close();
    if (this.#setup.isOwnStore) await this.#setup.store.close();
  }

  /** Reads a stream until its task ends, because an agent may cancel a task whose sender disconnects. */
  async #readToEnd(stream: TaskStream): Promise<void> {
    this.#streams.add(stream);
    try {
      while ((await stream.next()).done !== true);
    } catch {
      // The tests see the task itself.
    }
    this.#streams.delete(stream);
  }

  async #closeClient(client: AgentClient): Promise<void> {
    await Promise.all(Array.from(this.#streams, (stream) => stream.return()));
    await client.close();
  }

  get #running(): Process {
    if (this.#process === undefined) throw new Error('The agent under test is closed');
    return this.#process;
  }

  #last(): TaskRecords {
    const { last } = this.#records;
    if (last === undefined) throw new Error('No message was sent to the agent yet: call send() first');
    return last;
  }

  /** Moves the clock to the next time at which something is due, at most to `until`. */
  async #step(until: number): Promise<void> {
    const { clock, handler, peers } = this.#running;
    const { store } = this.#setup;
    const present = this.clock.now();
    // Runs in memory have timers that the store does not know, such as the pause before a retry, and so has a call to a fake peer.
    const isCalling = peers.hasRemote && (await store.listCalls({ hasFailed: false, limit: 1 })).length > 0;
    if (isCalling || handler.runningTasks().length > 0) {
      this.clock.advanceTo(Math.max(present, Math.min(until, clock.nextDue)));
      return;
    }
    const agents = [this.#agent.id, ...peers.agents.map(({ id }) => id)];
    const wakes = await Promise.all([store.nextWake(agents, present), store.nextPush(agents), store.nextCall(agents)]);
    const due = wakes.filter((wake) => wake !== undefined && wake > present) as number[];
    this.clock.jump(Math.min(until, present + MAX_JUMP_MS, ...due) - present);
  }

  /** Waits until every task has ended or waits, at most `settleMs`. */
  async #settled(): Promise<void> {
    const end = now() + this.#setup.settleMs;
    let seen = -1;
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS && this.#process !== undefined; turn++) {
      const { store, handler, handlers, peers } = this.#process;
      const isIdle = !store.isBusy && store.calls === seen && !peers.isBusy;
      const working = handler.runningTasks().filter((taskId) => !handlers.isWaiting(taskId));
      quiet = isIdle && working.length === 0 ? quiet + 1 : 0;
      seen = store.calls;
      if (now() > end) {
        handlers.stall(working);
        return;
      }
      if (turn < FAST_TURNS) await nextTurn(systemScheduler);
      else await new Promise((resolve) => later(resolve, 1));
    }
  }
}

function taskReply(task: Task): TestReply {
  return {
    state: stateWord(task.status.state),
    text: textOfTask(task),
    task,
    message: undefined,
    question: questionOf(task),
    questions: questionsOf(task),
    contextId: task.contextId,
  };
}

function messageReply(message: Message): TestReply {
  const text = message.parts.map((part) => ('text' in part ? part.text : '')).join('');
  return {
    state: undefined,
    text,
    task: undefined,
    message,
    question: undefined,
    questions: [],
    contextId: message.contextId,
  };
}

/** The clock of one simulated process. Its timers end with the process, and the next one is known. */
class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  readonly #timers = new Map<object, { readonly time: number; readonly cancel: () => void }>();
  #isDead = false;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  readonly now = (): number => this.#clock.now();

  readonly callAt = (time: number, run: () => void): (() => void) => {
    if (this.#isDead) return () => {};
    const key = {};
    const cancel = this.#clock.callAt(time, () => {
      this.#timers.delete(key);
      run();
    });
    this.#timers.set(key, { time, cancel });
    return () => {
      cancel();
      this.#timers.delete(key);
    };
  };

  /** When the next timer is due. */
  get nextDue(): number {
    return Math.min(...Array.from(this.#timers.values(), ({ time }) => time));
  }

  /** Cancels all timers, as the end of a process does. */
  kill(): void {
    this.#isDead = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
