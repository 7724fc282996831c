/**
 * A process with an engine on a SQLite file, or on a database with others, and a client that keeps it busy. A test kills
 * it. Reads its `WorkerInstructions` from standard input and writes `Report`s to standard output.
 */
import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';

import type { PushTransport } from '../../src/engine/outbox/delivery.ts';
import { Engine, type EngineOptions } from '../../src/engine/engine.ts';
import { A2AError } from '../../src/errors.ts';
import type { Handler } from '../../src/engine/handler.ts';
import { DEFAULT_LIMITS } from '../../src/engine/runnable.ts';
import { textOfParts } from '../../src/model/part-text.ts';
import { type Database, type Driver, loadDriver } from '../../src/store/sqlite/database/driver.ts';
import type { Store } from '../../src/store/store.ts';
import { Client, RETRY_MS } from './client.ts';
import {
  type ClientRequest,
  requestAfter,
  type WorkerInstructions,
  type PushMessage,
  type Report,
} from './worker-protocol.ts';
import { isShared, openStore } from './open-store.ts';
import { hasQuestion, type Kind, KINDS, handlerOf, type Step } from './handlers.ts';
import { writeLine } from './write-line.ts';

/** The number of concurrent requests. */
const IN_FLIGHT = 12;
const MAX_UNANSWERED = 5;
/** With more unfinished requests than this, new ones are sent one at a time, because the machine is slow. */
const MANY = 60;

const instructions = JSON.parse(readFileSync(0, 'utf8')) as WorkerInstructions;
const calls = new Map<string, number>();
let requestCount = 0;
let unanswered = instructions.requests.filter(({ isAnswerDelayed }) => isAnswerDelayed).length;

/** On a shared database the test causes errors, and other processes take over abandoned tasks. */
const hasSharedDatabase = isShared(instructions.database);
let isOver = false;

const store = openStore(instructions.database, { driver: withFaultPoints(loadDriver()) });
await retryWhileUnavailable(() => traceJournals(store));
const engineOptions: EngineOptions = {
  store,
  agents: [{ id: 'agent', run: handler(), limits: { ...DEFAULT_LIMITS, maxAttempts: 1_000_000 } }],
  // So long that the tests fail if a task depends on polling.
  pollMs: hasSharedDatabase ? 250 : 3_600_000,
  leaseMs: hasSharedDatabase ? 2000 : 15_000,
  maxSuspended: instructions.maxSuspended,
  faultPoint: killAtFaultPoint,
  pushTransport: pushTransport(),
  log: {
    info: () => {},
    warn: (message, fields) =>
      hasSharedDatabase || report({ t: 'error', about: message, error: show(fields?.['error'] ?? fields) }),
    error: (message, fields) => {
      const error = show(fields?.['error'] ?? fields);
      const isExpected = hasSharedDatabase && A2AError.is(fields?.['error'], 'UNAVAILABLE');
      if (!isExpected && !error.includes('on purpose')) report({ t: 'error', about: message, error });
    },
  },
};
const engine = await retryWhileUnavailable(() => Engine.start(engineOptions));
report({ t: 'open' });

const earlier = instructions.requests.map((request) => run(request));
const lanes = Array.from({ length: instructions.requests.length > MANY ? 1 : IN_FLIGHT }, async () => {
  while (requestCount < instructions.begin) await run(newRequest());
});
// Either all tasks end, or the engine is closed while tasks run.
await (instructions.finish ? Promise.all([...earlier, ...lanes]) : Promise.race(lanes));
isOver = true;
await engine.close();
await store.close();
report({ t: 'closed' });

/** A shared database may be unavailable at the start, a file never is. */
async function retryWhileUnavailable<T>(action: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!hasSharedDatabase || !A2AError.is(error, 'UNAVAILABLE')) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function run(given: ClientRequest): Promise<void> {
  let request = given;
  const mayRetry = (): boolean => hasSharedDatabase && !isOver;
  const options = {
    mayAnswer: instructions.finish || !request.isAnswerDelayed,
    receiver: instructions.receiver,
    mayRetry,
  };
  const record = (line: Report): void => {
    request = requestAfter(request, line);
    report(line);
  };
  while (!(await new Client(engine, record, request, options).run()) && mayRetry()) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function newRequest(): ClientRequest {
  const number = instructions.firstRequest + requestCount++;
  const kind: Kind = KINDS[number % KINDS.length] ?? 'steps';
  const { modes } = handlerOf(kind);
  const round = Math.trunc(number / KINDS.length);
  const isAnswerDelayed = hasQuestion(kind) && round % 3 === 0 && unanswered < MAX_UNANSWERED;
  if (isAnswerDelayed) unanswered++;
  const mode = modes[round % modes.length] ?? 'now';
  const isPushed = round % 2 === 0;
  const key = `${instructions.prefix}${number}`;
  const request: ClientRequest = { key, kind, mode, isAnswerDelayed, isPushed, last: 0, hasOutput: false };
  report({ t: 'begin', request });
  return request;
}

function pushTransport(): PushTransport {
  return {
    wants: () => true,
    async deliver({ id, task, event, config }, signal) {
      const { number, body } = event;
      const message: PushMessage = { id, taskId: task.id, number, body, pid: process.pid, sentAt: Date.now() };
      const response = await fetch(config.config.url, { method: 'POST', body: JSON.stringify(message), signal });
      return response.ok
        ? { kind: 'delivered' }
        : { kind: 'failed', reason: `The receiver responded with ${response.status}` };
    },
  };
}

function handler(): Handler {
  return async function* run(ctx) {
    const kind = textOfParts(ctx.task.history?.[0]?.parts ?? []) as Kind;
    const step: Step = async (name, publish) => {
      let key: string | undefined;
      const value = await ctx.step(name, async (own) => {
        key = own.idempotencyKey;
        const result = randomBytes(4).toString('hex');
        trace(`run ${key} ${result} ${process.pid}`);
        await publish?.(own, result);
        await new Promise((resolve) => setImmediate(resolve));
        return result;
      });
      if (key !== undefined) trace(`recorded ${key} ${value} ${process.pid}`);
      return value;
    };
    const program = handlerOf(kind).run(ctx, step);
    return Symbol.asyncIterator in program ? yield* program : program;
  };
}

/** Traces the steps that an earlier process has recorded; it may have been killed before it could trace them. */
async function traceJournals({ journal }: Store): Promise<void> {
  for (const { taskId } of instructions.requests) {
    if (taskId === undefined) continue;
    let turn = 0;
    for (const { kind, key, body } of await journal.call(store, taskId)) {
      if (kind === 'turn') turn++;
      // The values of an ended task are not kept.
      else if (kind === 'step' && body !== null)
        trace(`recorded ${taskId}:${turn}:${key} ${String((body as { value?: unknown }).value)} ${process.pid}`);
    }
  }
}

/** Appends a line to a file that all processes share, so that their lines are in order. */
function trace(line: string): void {
  appendFileSync(instructions.traces, `${line}\n`);
}

function killAtFaultPoint(point: string): void {
  const call = (calls.get(point) ?? 0) + 1;
  calls.set(point, call);
  if (instructions.killAt?.point === point && instructions.killAt.occurrence === call)
    process.kill(process.pid, 'SIGKILL');
}

/** Adds fault points before and after the commit of a transaction. */
function withFaultPoints(open: Driver): Driver {
  return (path): Database => {
    const database = open(path);
    return {
      exec(sql) {
        if (sql === 'COMMIT') killAtFaultPoint('before-sqlite-commit');
        const result = database.exec(sql);
        if (sql === 'COMMIT') killAtFaultPoint('after-sqlite-commit');
        return result;
      },
      prepare: (sql) => database.prepare(sql),
      close: () => database.close(),
    };
  };
}

function report(line: Report): void {
  writeLine(JSON.stringify(line));
}

function show(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
}
