/**
 * A process with an engine on a SQLite file, or on a database with others, and a client that keeps it busy, made to be
 * killed. Reads its `Orders` from standard input and writes `Report`s to standard output.
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
import { type OperationCall, errandAfter, type Orders, type PushMessage, type Report } from './errand.ts';
import { isShared, openStore } from './open-store.ts';
import { canBeHeld, type Kind, KINDS, programOf, type Step } from './programs.ts';
import { say } from './say.ts';

/** Errands that are under way at the same time. */
const IN_FLIGHT = 12;
const MAX_HELD = 5;
/** A machine that is too slow for what was begun gets hardly anything new. */
const MANY = 60;

const orders = JSON.parse(readFileSync(0, 'utf8')) as Orders;
const calls = new Map<string, number>();
let errands = 0;
let held = orders.errands.filter(({ isHeld }) => isHeld).length;

/** On a database of many there is trouble on purpose, and others who take over what one leaves. */
const isOneOfMany = isShared(orders.database);
let isOver = false;

const store = openStore(orders.database, { driver: withFaultPoints(loadDriver()) });
await persistently(() => traceJournals(store));
const options: EngineOptions = {
  store,
  agents: [{ id: 'agent', run: handler(), limits: { ...DEFAULT_LIMITS, maxAttempts: 1_000_000 } }],
  // Nothing may depend on somebody's looking once in a while.
  pollMs: isOneOfMany ? 250 : 3_600_000,
  leaseMs: isOneOfMany ? 2000 : 15_000,
  maxSuspended: orders.maxSuspended,
  faultPoint: dieAt,
  pushTransport: pushTransport(),
  log: {
    info: () => {},
    warn: (message, fields) =>
      isOneOfMany || report({ t: 'trouble', about: message, error: show(fields?.['error'] ?? fields) }),
    error: (message, fields) => {
      const error = show(fields?.['error'] ?? fields);
      const isTrouble = isOneOfMany && A2AError.is(fields?.['error'], 'UNAVAILABLE');
      if (!isTrouble && !error.includes('on purpose')) report({ t: 'trouble', about: message, error });
    },
  },
};
const engine = await persistently(() => Engine.start(options));
report({ t: 'open' });

const old = orders.errands.map((operationCall) => run(operationCall));
const lanes = Array.from({ length: orders.errands.length > MANY ? 1 : IN_FLIGHT }, async () => {
  while (errands < orders.begin) await run(newErrand());
});
// Either all is seen to its end, or the engine is closed while things are under way.
await (orders.finish ? Promise.all([...old, ...lanes]) : Promise.race(lanes));
isOver = true;
await engine.close();
await store.close();
report({ t: 'closed' });

/** A database of many may be away when we start, as a file never is. */
async function persistently<T>(deed: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await deed();
    } catch (error) {
      if (!isOneOfMany || !A2AError.is(error, 'UNAVAILABLE')) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

async function run(given: OperationCall): Promise<void> {
  let operationCall = given;
  const mayRetry = (): boolean => isOneOfMany && !isOver;
  const options = { mayAnswer: orders.finish || !operationCall.isHeld, receiver: orders.receiver, mayRetry };
  const learn = (line: Report): void => {
    operationCall = errandAfter(operationCall, line);
    report(line);
  };
  while (!(await new Client(engine, learn, operationCall, options).run()) && mayRetry()) {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

function newErrand(): OperationCall {
  const number = orders.firstErrand + errands++;
  const kind: Kind = KINDS[number % KINDS.length] ?? 'steps';
  const { modes } = programOf(kind);
  const round = Math.trunc(number / KINDS.length);
  const isHeld = canBeHeld(kind) && round % 3 === 0 && held < MAX_HELD;
  if (isHeld) held++;
  const mode = modes[round % modes.length] ?? 'now';
  const isPushed = round % 2 === 0;
  const key = `${orders.prefix}${number}`;
  const operationCall: OperationCall = { key, kind, mode, isHeld, isPushed, last: 0, hasOutput: false };
  report({ t: 'begin', operationCall });
  return operationCall;
}

function pushTransport(): PushTransport {
  return {
    wants: () => true,
    async deliver({ id, task, event, config }, signal) {
      const { number, body } = event;
      const message: PushMessage = { id, taskId: task.id, number, body, pid: process.pid, sentAt: Date.now() };
      const response = await fetch(config.config.url, { method: 'POST', body: JSON.stringify(message), signal });
      return response.ok ? { kind: 'delivered' } : { kind: 'failed', reason: `It answered ${response.status}` };
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
        const made = randomBytes(4).toString('hex');
        trace(`run ${key} ${made} ${process.pid}`);
        await publish?.(own, made);
        await new Promise((resolve) => setImmediate(resolve));
        return made;
      });
      if (key !== undefined) trace(`recorded ${key} ${value} ${process.pid}`);
      return value;
    };
    const program = programOf(kind).run(ctx, step);
    return Symbol.asyncIterator in program ? yield* program : program;
  };
}

/** Steps that an earlier process has recorded, though it may not have lived to know it. */
async function traceJournals({ journal }: Store): Promise<void> {
  for (const { taskId } of orders.errands) {
    if (taskId === undefined) continue;
    let turn = 0;
    for (const { kind, key, body } of await journal.call(store, taskId)) {
      if (kind === 'turn') turn++;
      else if (kind === 'step')
        trace(`recorded ${taskId}:${turn}:${key} ${String((body as { value?: unknown }).value)} ${process.pid}`);
    }
  }
}

/** One line per call, in the order of all processes: the file belongs to none of them. */
function trace(line: string): void {
  appendFileSync(orders.traces, `${line}\n`);
}

function dieAt(point: string): void {
  const call = (calls.get(point) ?? 0) + 1;
  calls.set(point, call);
  if (orders.die?.point === point && orders.die.occurrence === call) process.kill(process.pid, 'SIGKILL');
}

/** Also right before and right after a transaction is committed. */
function withFaultPoints(open: Driver): Driver {
  return (path): Database => {
    const database = open(path);
    return {
      exec(sql) {
        if (sql === 'COMMIT') dieAt('before-sqlite-commit');
        const result = database.exec(sql);
        if (sql === 'COMMIT') dieAt('after-sqlite-commit');
        return result;
      },
      prepare: (sql) => database.prepare(sql),
      close: () => database.close(),
    };
  };
}

function report(line: Report): void {
  say(JSON.stringify(line));
}

function show(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error);
}
