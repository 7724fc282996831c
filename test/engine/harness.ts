import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { A2AError } from '../../src/errors.ts';
import { Engine, type EngineOptions, type SendResult } from '../../src/engine/engine.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { DEFAULT_LIMITS, type RunLimits, type Runnable } from '../../src/engine/runnable.ts';
import type { Submission } from '../../src/engine/tasks/submission.ts';
import type { StreamItem } from '../../src/engine/stream/subscribe.ts';
import type { StreamResponse } from '../../src/model/event.ts';
import type { Message } from '../../src/model/message.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import type { Task } from '../../src/model/task.ts';
import type { LogFields } from '../../src/observe/log.ts';
import { memoryStore } from '../../src/store/memory/store.ts';
import { sqlite } from '../../src/store/sqlite/store.ts';
import type { Scope, Store } from '../../src/store/store.ts';
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts';

export const ANN: Scope = { tenant: '', owner: 'ann' };
export const BOB: Scope = { tenant: '', owner: 'bob' };

/** Set in the test project that has a database: the same tests run on it there. */
export const database = inject('postgresUrl') === undefined ? undefined : await import('../postgres/engine-store.ts');

/** How a run resumes after a pause, and which store keeps the tasks: all behaviours hold for all of them. */
const EVERYWHERE = [
  { name: 'memory store, runs kept in memory', store: 'memory', maxSuspended: 1000 },
  { name: 'memory store, runs always replayed', store: 'memory', maxSuspended: 0 },
  { name: 'SQLite, runs kept in memory', store: 'sqlite', maxSuspended: 1000 },
  { name: 'SQLite, runs always replayed', store: 'sqlite', maxSuspended: 0 },
] as const;

/** Replay is tested on the other stores. */
const ON_A_DATABASE = [{ name: 'PostgreSQL', store: 'postgres', maxSuspended: 1000 }] as const;

export type Variant = (typeof EVERYWHERE | typeof ON_A_DATABASE)[number];

export const VARIANTS: readonly [Variant, ...Variant[]] = database === undefined ? EVERYWHERE : ON_A_DATABASE;

/** For tests about the store and not about runs: each store once. */
export const STORES: readonly Variant[] = database === undefined ? [EVERYWHERE[0], EVERYWHERE[3]] : ON_A_DATABASE;

export interface LogLine {
  readonly message: string;
  readonly fields: LogFields | undefined;
}

export interface Harness {
  readonly engine: Engine;
  readonly store: Store;
  readonly clock: FakeClock;
  readonly log: LogLine[];
  /** Whether the store has not finished a write of the engine. */
  readonly isWriting: () => boolean;
  /** Sends a text as a caller, and waits. */
  send(text: string, options?: Partial<Submission>): Promise<SendResult>;
  /** Sends, and expects a task. */
  task(text: string, options?: Partial<Submission>): Promise<Task>;
  /** A follow-up to a task. */
  reply(task: Task, text: string, options?: Partial<Submission>): Promise<Task>;
  /** All items that a caller gets who sends and subscribes. */
  stream(text: string, options?: Partial<Submission>): Promise<readonly StreamItem[]>;
  /** Closes the engine, which releases its leases, and starts another one on the same store. */
  restart(options?: Partial<EngineOptions>): Promise<Harness>;
  /** Cuts the engine off from its store, lets its leases run out, and starts another one. */
  crash(options?: Partial<EngineOptions>): Promise<Harness>;
}

export interface HarnessOptions extends Partial<Omit<EngineOptions, 'store' | 'agents'>> {
  readonly variant?: Variant;
  readonly limits?: Partial<RunLimits>;
  readonly agents?: readonly Runnable[];
}

let messages = 0;

export function userMessage(text: string, more: Partial<Message> = {}): Message {
  return { messageId: `m${++messages}`, role: 'ROLE_USER', parts: [{ text }], ...more };
}

/** An engine with one agent, on a clock that stands still. */
export async function harness(run: Handler, options: HarnessOptions = {}): Promise<Harness> {
  const { variant = VARIANTS[0], limits, agents, ...rest } = options;
  const clock = fakeClock();
  const store = openStore(variant, clock);
  const agent = runnable(run, limits);
  const engineOptions = { maxSuspended: variant.maxSuspended, clock, ...rest, store, agents: agents ?? [agent] };
  const first = await startHarness(engineOptions, clock);
  return first;
}

export function runnable(run: Handler, limits: Partial<RunLimits> = {}, id = 'agent'): Runnable {
  return { id, run, limits: { ...DEFAULT_LIMITS, ...limits } };
}

export function openStore(variant: Variant, clock: FakeClock): Store {
  if (database !== undefined) return database.openEngineStore(clock);
  if (variant.store === 'memory') return memoryStore({ clock });
  const folder = mkdtempSync(join(tmpdir(), 'tandem-engine-'));
  // Without a real disk, which would take an unknown number of turns of the event loop.
  const store = sqlite(join(folder, 'tasks.db'), { clock, syncFile: (_descriptor, _isUrgent, done) => done(null) });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  return store;
}

export async function startHarness(given: EngineOptions, clock: FakeClock): Promise<Harness> {
  const mortal = mortalStore(given.store);
  const options = { ...given, store: mortal.store };
  const log: LogLine[] = [];
  const note = (message: string, fields?: LogFields): void => void log.push({ message, fields });
  const engine = await Engine.start({ log: { info: note, warn: note, error: note }, ...options });
  onTestFinished(() => engine.close());
  const submission = (text: string, more: Partial<Submission> = {}): Submission => ({
    ...ANN,
    agent: 'agent',
    caller: { id: 'ann', isVerified: true },
    message: userMessage(text),
    ...more,
  });
  const send = (text: string, more?: Partial<Submission>): Promise<SendResult> => engine.send(submission(text, more));
  const task = async (text: string, more?: Partial<Submission>): Promise<Task> => {
    const result = await send(text, more);
    if (!('task' in result)) throw new Error('Expected a task, got a message');
    return result.task;
  };
  return {
    engine,
    store: given.store,
    clock,
    log,
    isWriting: mortal.isWriting,
    send,
    task,
    reply: (to, text, more) => task(text, { message: userMessage(text, { taskId: to.id }), ...more }),
    stream: async (text, more) => collect((await engine.stream(submission(text, more))).items),
    restart: async (more) => {
      await engine.close();
      return startHarness({ ...given, ...more }, clock);
    },
    crash: async (more) => {
      mortal.kill();
      clock.advance((given.leaseMs ?? 15_000) + 1);
      return startHarness({ ...given, ...more }, clock);
    },
  };
}

/** A store that can be cut off from its engine: calls under way continue, later ones fail. */
function mortalStore(store: Store): {
  readonly store: Store;
  readonly kill: () => void;
  readonly isWriting: () => boolean;
} {
  let isDead = false;
  let writes = 0;
  const append: Store['append'] = async (write) => {
    writes++;
    try {
      return await store.append(write);
    } finally {
      writes--;
    }
  };

  const cutOff = async (): Promise<never> => {
    throw new A2AError('UNAVAILABLE', 'The store is out of reach');
  };
  const watch: Store['watch'] = (listener) => store.watch((...hint) => void (isDead || listener(...hint)));
  const living = withMethods(store, { append });
  const proxy = new Proxy(store, {
    get: (_, name) => (name === 'watch' ? watch : isDead ? cutOff : memberOf(living, name)),
  });
  return { store: proxy, kill: () => (isDead = true), isWriting: () => writes > 0 };
}

/** The same store, but for some of its methods. */
export function withMethods(store: Store, methods: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => (Object.hasOwn(methods, name) ? memberOf(methods, name) : memberOf(target, name)),
  });
}

/** A method that works when it is destructured. */
function memberOf(store: Partial<Store>, name: PropertyKey): unknown {
  const member: unknown = Reflect.get(store, name);
  return typeof member === 'function' ? (member.bind(store) as unknown) : member;
}

/** The texts of an artifact, joined. */
export function artifactText(task: Task, name = 'response'): string | undefined {
  const artifact = task.artifacts?.find(({ artifactId }) => artifactId === name);
  return artifact && artifact.parts.map((part) => ('text' in part ? part.text : '')).join('');
}

export function statusText({ status }: Task): string | undefined {
  return status.message && textOfParts(status.message.parts);
}

/** All that a subscriber gets, in order. */
export async function collect(items: AsyncIterable<readonly StreamItem[]>): Promise<readonly StreamItem[]> {
  const all: StreamItem[] = [];
  for await (const batch of items) all.push(...batch);
  return all;
}

/** The events as the protocol shows them. */
export function bodies(items: readonly StreamItem[]): readonly StreamResponse[] {
  return items.map((item) => {
    if (item.kind === 'snapshot') return { task: item.task };
    if (item.kind === 'message') return { message: item.message };
    return JSON.parse(item.body) as StreamResponse;
  });
}

/** Waits, without a clock, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 100_000; turns++) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect.fail('It never came true');
}
