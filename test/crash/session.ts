import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Message } from '../../src/model/message.ts';
import { isTerminal } from '../../src/model/state.ts';
import type { Task } from '../../src/model/task.ts';
import {
  type ClientRequest,
  requestAfter,
  type WorkerInstructions,
  type ArrivedPush,
  type Report,
} from './worker-protocol.ts';
import type { Receiver } from './receiver.ts';

/** A process that reports nothing for this long hangs. Its total time is not limited, because machines may be slow. */
const SILENCE_LIMIT_MS = 30_000;

export interface Item {
  readonly number: number;
  readonly body?: string;
  readonly task?: Task;
}

/** A request, and all that any process has acknowledged about it. */
export interface Observations {
  request: ClientRequest;
  readonly taskIds: Set<string>;
  readonly replies: Message[];
  /** The items of each subscriber. The subscription of the client itself (`own`) is resumed by the next process. */
  readonly views: Map<string, Item[]>;
  /** Snapshots of the task in responses. */
  readonly seen: Task[];
  /** Snapshots of the task while its question was open. */
  readonly unanswered: Task[];
  readonly accepted: Set<string>;
  isCanceled: boolean;
  hasEnded: boolean;
}

/** All observations after the last process. */
export interface SessionResult {
  readonly database: string;
  readonly observed: ReadonlyMap<string, Observations>;
  /** The unexpected errors that processes reported. */
  readonly errors: readonly string[];
  /** The traces of steps, in order. */
  traces(): readonly string[];
  /** The push notifications that have arrived, in order. */
  readonly received: readonly ArrivedPush[];
}

export type ProcessOptions = Partial<Pick<WorkerInstructions, 'begin' | 'finish' | 'maxSuspended' | 'killAt'>> & {
  /** When to kill it, counted from its start or from the start of its engine. */
  readonly killAfter?: { readonly ms: number; readonly of: 'start' | 'open' };
  /** Kills it as soon as it reports this. */
  readonly killWhen?: (report: Report) => boolean;
  /** Called with the process. */
  readonly onStart?: (child: ChildProcess) => void;
};

/** The database and the traces that several sessions share. */
export interface SharedDatabase {
  readonly database: string;
  readonly traces: string;
  readonly prefix: string;
}

/** Runs worker processes one after the other on one database, and collects their reports. */
export class Session implements SessionResult {
  readonly database: string;
  readonly #traces: string;
  readonly #worker: string;
  readonly #name: string;
  readonly #receiver: Receiver;
  readonly #prefix: string;
  readonly observed = new Map<string, Observations>();
  readonly errors: string[] = [];
  #requestCount = 0;

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

  /** Runs a process until it is killed or has closed its engine. Resolves to which of the two. */
  async runProcess(options: ProcessOptions): Promise<'killed' | 'closed'> {
    const child = spawn(process.execPath, ['--enable-source-maps', this.#worker], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stdin.on('error', () => {});
    child.stdin.end(JSON.stringify(this.#instructions(options)));
    options.onStart?.(child);
    const stderr: string[] = [];
    child.stderr.setEncoding('utf8').on('data', (text: string) => stderr.push(text));
    const last = await this.#readReports(child, options);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    if (child.signalCode === 'SIGKILL' && last !== 'hung') return 'killed';
    if (last === 'closed' && child.exitCode === 0) return 'closed';
    const open = [...this.observed.values()].filter(({ hasEnded }) => !hasEnded).map(({ request }) => request);
    throw new Error(
      `A process ended with ${child.signalCode ?? child.exitCode} (${last})\n${stderr.join('')}${JSON.stringify(open)}\n${this.errors.join('\n')}`,
    );
  }

  async #readReports(child: ChildProcess, { killAfter, killWhen }: ProcessOptions): Promise<string> {
    let last = 'silent';
    const silenceTimer = setTimeout(() => ((last = 'hung'), child.kill('SIGKILL')), SILENCE_LIMIT_MS);
    const timers = [silenceTimer];
    const kill = (of: 'start' | 'open'): void => {
      if (killAfter?.of === of) timers.push(setTimeout(() => child.kill('SIGKILL'), killAfter.ms));
    };
    kill('start');
    try {
      if (child.stdout === null) throw new Error('No output');
      for await (const line of createInterface({ input: child.stdout })) {
        // The last line of a killed process may be incomplete.
        if (!line.endsWith('}')) break;
        const report = JSON.parse(line) as Report;
        silenceTimer.refresh();
        if (report.t === 'open') kill('open');
        if (report.t === 'closed') last = 'closed';
        this.#record(report);
        if (killWhen?.(report) === true) child.kill('SIGKILL');
      }
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
    return last;
  }

  #instructions({ begin = 0, finish = false, maxSuspended = 1000, killAt }: ProcessOptions): WorkerInstructions {
    const { database } = this;
    const requests = [...this.observed.values()].filter(({ hasEnded }) => !hasEnded).map(({ request }) => request);
    const receiver = this.#receiver.urlFor(this.#name);
    const instructions = {
      database,
      prefix: this.#prefix,
      traces: this.#traces,
      receiver,
      requests,
      firstRequest: this.#requestCount,
      begin,
      finish,
      maxSuspended,
    };
    return killAt === undefined ? instructions : { ...instructions, killAt };
  }

  #record(report: Report): void {
    switch (report.t) {
      case 'open':
      case 'closed':
        return;
      case 'error':
        this.errors.push(`${report.about}: ${report.error}`);
        return;
      case 'begin':
        this.#requestCount++;
        this.observed.set(report.request.key, noObservations(report.request));
        return;
      default: {
        const observed = this.observed.get(report.key);
        if (observed === undefined) throw new Error(`Unknown request ${report.key}`);
        observed.request = requestAfter(observed.request, report);
        record(observed, report);
      }
    }
  }
}

function noObservations(request: ClientRequest): Observations {
  return {
    request,
    taskIds: new Set(),
    replies: [],
    views: new Map(),
    seen: [],
    unanswered: [],
    accepted: new Set(),
    isCanceled: false,
    hasEnded: false,
  };
}

function record(observed: Observations, report: Exclude<Report, { t: 'open' | 'closed' | 'error' | 'begin' }>): void {
  if ('task' in report && report.task !== undefined) observed.seen.push(report.task);
  switch (report.t) {
    case 'task':
      observed.taskIds.add(report.taskId);
      break;
    case 'reply':
      observed.replies.push(report.message);
      observed.hasEnded = true;
      break;
    case 'item':
      recordItem(observed, report.subscriber, report);
      break;
    case 'accepted':
      observed.accepted.add(report.messageId);
      break;
    case 'canceled':
      observed.isCanceled = true;
      break;
    case 'unanswered':
      observed.unanswered.push(report.task);
      break;
    case 'ended':
      observed.hasEnded = isTerminal(report.task.status.state);
  }
}

function recordItem(observed: Observations, subscriber: string, { number, body, task }: Item): void {
  const view = observed.views.get(subscriber) ?? [];
  view.push({ number, ...(body !== undefined && { body }), ...(task !== undefined && { task }) });
  observed.views.set(subscriber, view);
}
