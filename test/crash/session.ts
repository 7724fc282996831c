import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Message } from '../../src/model/message.ts';
import { isTerminal } from '../../src/model/state.ts';
import type { Task } from '../../src/model/task.ts';
import { type OperationCall, errandAfter, type Orders, type ArrivedPush, type Report } from './errand.ts';
import type { Receiver } from './receiver.ts';

/** A process that has nothing to say for so long hangs. How long it takes in all is for the machine to say. */
const PATIENCE_MS = 30_000;

export interface Item {
  readonly number: number;
  readonly body?: string;
  readonly task?: Task;
}

/** An errand with all that any process has acknowledged of it. */
export interface Known {
  operationCall: OperationCall;
  readonly taskIds: Set<string>;
  readonly replies: Message[];
  /** What each subscriber has seen. That of the client itself goes on in the next process where it was. */
  readonly views: Map<string, Item[]>;
  /** The task as it was seen, in whatever answer. */
  readonly seen: Task[];
  /** As it was seen while nobody answered it. */
  readonly held: Task[];
  readonly accepted: Set<string>;
  isCanceled: boolean;
  hasEnded: boolean;
}

/** What is known after the last process. */
export interface Findings {
  readonly database: string;
  readonly known: ReadonlyMap<string, Known>;
  /** What processes said that must not happen. */
  readonly troubles: readonly string[];
  /** What steps have left behind, in order. */
  traces(): readonly string[];
  /** The push notifications that have arrived, in order. */
  readonly received: readonly ArrivedPush[];
}

export type LifeOptions = Partial<Pick<Orders, 'begin' | 'finish' | 'maxSuspended' | 'die'>> & {
  /** When to kill it, counted from its start or from the moment when its engine is open. */
  readonly killAfter?: { readonly ms: number; readonly of: 'start' | 'open' };
  /** Kills it at once when it says this. */
  readonly killWhen?: (report: Report) => boolean;
  /** Called with the process. */
  readonly onStart?: (child: ChildProcess) => void;
};

/** What several sessions have in common that use one database at the same time. */
export interface SharedDatabase {
  readonly database: string;
  readonly traces: string;
  readonly prefix: string;
}

/** One database, the processes that have had it one after another, and all that they have said. */
export class Session implements Findings {
  readonly database: string;
  readonly #traces: string;
  readonly #worker: string;
  readonly #name: string;
  readonly #receiver: Receiver;
  readonly #prefix: string;
  readonly known = new Map<string, Known>();
  readonly troubles: string[] = [];
  #begun = 0;

  constructor(folder: string, worker: string, receiver: Receiver, shared?: SharedDatabase) {
    mkdirSync(folder);
    this.#name = basename(folder);
    this.#receiver = receiver;
    this.database = shared?.database ?? join(folder, 'tasks.db');
    this.#traces = shared?.traces ?? join(folder, 'traces');
    this.#prefix = shared?.prefix ?? 'e';
    this.#worker = worker;
    writeFileSync(this.#traces, '', { flag: 'a' });
  }

  traces(): readonly string[] {
    return readFileSync(this.#traces, 'utf8').split('\n').slice(0, -1);
  }

  get received(): readonly ArrivedPush[] {
    return this.#receiver.received(this.#name);
  }

  /** Lets a process live until it dies or has closed its engine. Says which. */
  async live(options: LifeOptions): Promise<'killed' | 'closed'> {
    const child = spawn(process.execPath, ['--enable-source-maps', this.#worker], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(this.#orders(options)));
    options.onStart?.(child);
    const stderr: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
    const last = await this.#listen(child, options);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (child.signalCode === 'SIGKILL' && last !== 'hung') return 'killed';
    if (last === 'closed' && child.exitCode === 0) return 'closed';
    const open = [...this.known.values()].filter(({ hasEnded }) => !hasEnded).map(({ operationCall }) => operationCall);
    throw new Error(
      `A process ended with ${child.signalCode ?? child.exitCode} (${last})\n${stderr.join('')}${JSON.stringify(open)}\n${this.troubles.join('\n')}`,
    );
  }

  async #listen(child: ChildProcess, { killAfter, killWhen }: LifeOptions): Promise<string> {
    let last = 'silent';
    const patience = setTimeout(() => ((last = 'hung'), child.kill('SIGKILL')), PATIENCE_MS);
    const timers = [patience];
    const kill = (of: 'start' | 'open'): void => {
      if (killAfter?.of === of) timers.push(setTimeout(() => child.kill('SIGKILL'), killAfter.ms));
    };
    kill('start');
    try {
      if (child.stdout === null) throw new Error('No output');
      for await (const line of createInterface({ input: child.stdout })) {
        // The last line of one that was killed may be cut off.
        if (!line.endsWith('}')) break;
        const report = JSON.parse(line) as Report;
        patience.refresh();
        if (report.t === 'open') kill('open');
        if (report.t === 'closed') last = 'closed';
        this.#take(report);
        if (killWhen?.(report) === true) child.kill('SIGKILL');
      }
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
    return last;
  }

  #orders({ begin = 0, finish = false, maxSuspended = 1000, die }: LifeOptions): Orders {
    const { database } = this;
    const errands = [...this.known.values()]
      .filter(({ hasEnded }) => !hasEnded)
      .map(({ operationCall }) => operationCall);
    const receiver = this.#receiver.urlFor(this.#name);
    const orders = {
      database,
      prefix: this.#prefix,
      traces: this.#traces,
      receiver,
      errands,
      firstErrand: this.#begun,
      begin,
      finish,
      maxSuspended,
    };
    return die === undefined ? orders : { ...orders, die };
  }

  #take(report: Report): void {
    switch (report.t) {
      case 'open':
      case 'closed':
        return;
      case 'trouble':
        this.troubles.push(`${report.about}: ${report.error}`);
        return;
      case 'begin':
        this.#begun++;
        this.known.set(report.operationCall.key, newlyKnown(report.operationCall));
        return;
      default: {
        const known = this.known.get(report.key);
        if (known === undefined) throw new Error(`Nobody has begun ${report.key}`);
        known.operationCall = errandAfter(known.operationCall, report);
        learn(known, report);
      }
    }
  }
}

function newlyKnown(operationCall: OperationCall): Known {
  return {
    operationCall,
    taskIds: new Set(),
    replies: [],
    views: new Map(),
    seen: [],
    held: [],
    accepted: new Set(),
    isCanceled: false,
    hasEnded: false,
  };
}

function learn(known: Known, report: Exclude<Report, { t: 'open' | 'closed' | 'trouble' | 'begin' }>): void {
  if ('task' in report && report.task !== undefined) known.seen.push(report.task);
  switch (report.t) {
    case 'task':
      known.taskIds.add(report.taskId);
      break;
    case 'reply':
      known.replies.push(report.message);
      known.hasEnded = true;
      break;
    case 'item':
      learnItem(known, report.reader, report);
      break;
    case 'accepted':
      known.accepted.add(report.messageId);
      break;
    case 'canceled':
      known.isCanceled = true;
      break;
    case 'held':
      known.held.push(report.task);
      break;
    case 'ended':
      known.hasEnded = isTerminal(report.task.status.state);
  }
}

function learnItem(known: Known, reader: string, { number, body, task }: Item): void {
  const view = known.views.get(reader) ?? [];
  view.push({ number, ...(body !== undefined && { body }), ...(task !== undefined && { task }) });
  known.views.set(reader, view);
}
