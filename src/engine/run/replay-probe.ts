import type { Appended, JournalRecord, Store, TaskRecord, TaskWrite } from '../../store/store.ts';
import { createEngineContext } from '../engine-options.ts';
import type { EngineContext } from '../engine-context.ts';
import { loadEndedTask, loadTask, type LoadedTask } from '../replay/load-task.ts';
import { type ComparedKind, entryName, type UnaskedEntries } from '../replay/unasked-entries.ts';
import type { Runnable } from '../runnable.ts';
import type { Clock } from '../../support/time/clock.ts';
import { steadyClock } from '../../support/time/steady-clock.ts';
import { isTurnQuestion } from './outcome.ts';
import type { CodeComparison } from './run-port.ts';
import { Run } from './run.ts';

/** How the code of a handler compares with the journal of one task. */
export interface ComparedTask {
  /** The id of the task. */
  readonly taskId: string;
  /**
   * How much of the journal was compared: all of it; the entries before the first one whose value was removed, such as the answer to
   * a sensitive question; or nothing, because the journal has no values.
   */
  readonly compared: 'all' | 'part' | 'nothing';
  /** Entries of the journal that the code did not ask for, such as `step charge` or `question 1`. */
  readonly recorded: readonly string[];
  /** The steps and questions that the code asked for and the journal does not have. It stopped there. */
  readonly asked: readonly string[];
  /** The error with which the handler failed, if it did. */
  readonly error?: unknown;
}

const MAX_TRIES = 5;
const nothing = (): void => {};
/** Sleeps that are not over do not end here. */
const NO_TIMERS: Clock = { now: () => steadyClock.now(), callAt: () => nothing };
const never = (): Promise<never> => new Promise(nothing);

export interface CompareOptions {
  /** How long the handler may do nothing before the comparison ends, in milliseconds. */
  readonly quietMs: number;
  /** Returns the record of a task after a write, as a store would. */
  readonly recordAfter: (record: TaskRecord, write: TaskWrite) => TaskRecord;
}

/**
 * Runs a handler against the journal of a task, up to the first step or question that is not in it. No function of a step is
 * called and nothing is stored.
 */
export async function compareTask(
  store: Store,
  agent: Runnable,
  record: TaskRecord,
  { quietMs, recordAfter }: CompareOptions,
): Promise<ComparedTask> {
  const { task, compared, entries } =
    record.endedAt === undefined ? await openTask(store, record) : await endedTask(store, record);
  const nothingFound = { taskId: record.id, compared, recorded: [], asked: [] };
  const unasked = task?.journal.unasked;
  if (task === undefined || unasked === undefined) return nothingFound;
  const probe = new Probe(unasked);
  let current = task.record;
  const append: Store['append'] = async (write): Promise<Appended> => {
    const firstEvent = current.lastEvent + 1;
    current = recordAfter(current, write);
    return { kind: 'appended', record: current, firstEvent };
  };
  const journal: Store['journal'] = async (taskId, after) => entries ?? store.journal(taskId, after);
  const engine = isolated(store, { append, journal }, agent, (error) => (probe.error = error));
  const run = startRun(engine, agent, task, probe);
  try {
    await untilQuiet(probe, quietMs);
    const { recorded, asked, error } = probe;
    return { ...nothingFound, recorded, asked, ...(error !== undefined && { error }) };
  } finally {
    run.stop('suspended');
  }
}

interface TaskToCompare {
  readonly task: LoadedTask | undefined;
  readonly compared: ComparedTask['compared'];
  /** The journal of the task, if it is not the one in the store. */
  readonly entries?: readonly JournalRecord[];
}

async function openTask(store: Store, record: TaskRecord): Promise<TaskToCompare> {
  const { question, canceling, lastJournal } = record;
  const isSettled = canceling || lastJournal === 0 || (question !== undefined && isTurnQuestion(question));
  return { task: isSettled ? undefined : await loaded(store, record), compared: 'all' };
}

/** The task as far as its journal has values. */
async function endedTask(store: Store, record: TaskRecord): Promise<TaskToCompare> {
  const journal = await store.journal(record.id);
  const removed = journal.findIndex(({ body }) => body === null);
  const entries = removed < 0 ? journal : journal.slice(0, removed);
  if (entries.length === 0) return { task: undefined, compared: record.lastJournal === 0 ? 'all' : 'nothing' };
  const compared = removed < 0 ? 'all' : 'part';
  return { task: await loadEndedTask(store, record, entries), compared, entries };
}

/** Tries again if a node has claimed the task in between. */
async function loaded(store: Store, record: TaskRecord): Promise<LoadedTask | undefined> {
  let now: TaskRecord | undefined = record;
  for (let tries = 0; now !== undefined && now.endedAt === undefined && tries < MAX_TRIES; tries++) {
    const task = await loadTask(store, now);
    if (task !== undefined) return task;
    now = (await store.read(record, record.id, { history: 0 }))?.record;
  }
  return undefined;
}

function startRun(engine: EngineContext, agent: Runnable, task: LoadedTask, probe: Probe): Run {
  const owner = { onIdle: () => (probe.isDone = true), onWakeWanted: nothing, onCleared: nothing };
  const run = new Run(engine, owner, agent, task, engine.liveness.leaseEpoch, probe);
  run.start();
  return run;
}

/** Waits until the handler has ended, or waits for something that will not happen here. */
async function untilQuiet(probe: Probe, quietMs: number): Promise<void> {
  for (let since = Date.now(), before = -1; !probe.isDone && Date.now() - since < quietMs;) {
    if (probe.left !== before) since = Date.now();
    before = probe.left;
    await new Promise((resolve) => setTimeout(resolve, Math.min(5, quietMs)));
  }
}

/** Never lets a handler do anything new. */
class Probe implements CodeComparison {
  readonly #unasked: UnaskedEntries;
  readonly asked: string[] = [];
  #recorded: readonly string[] | undefined;
  isDone = false;
  error: unknown;

  constructor(unasked: UnaskedEntries) {
    this.#unasked = unasked;
  }

  get recorded(): readonly string[] {
    return this.#recorded ?? this.#unasked.all().map(entryName);
  }

  /** Falls while the handler asks for recorded entries. */
  get left(): number {
    return this.#unasked.all().length;
  }

  beforeNew(kind: ComparedKind, key: string): Promise<void> {
    this.asked.push(entryName({ kind, key }));
    return never();
  }

  beforeWait(): void {}

  holdsEnd(): boolean {
    this.afterEnd();
    return true;
  }

  afterEnd(): void {
    this.#recorded = this.recorded;
    this.isDone = true;
  }

  afterFailure(): void {
    this.afterEnd();
  }
}

/** An engine for one run, which reads from the store and writes elsewhere. */
function isolated(
  store: Store,
  own: Pick<Store, 'append' | 'journal'>,
  agent: Runnable,
  onFailed: (error: unknown) => void,
): EngineContext {
  const reads: Partial<Store> = {
    ...own,
    read: (...args) => store.read(...args),
    list: (...args) => store.list(...args),
    events: (...args) => store.events(...args),
  };
  const log = {
    info: nothing,
    warn: nothing,
    error: (_: string, fields?: { error?: unknown }) => onFailed(fields?.error),
  };
  return createEngineContext(
    { store: new Proxy(store, { get: (_, name): unknown => Reflect.get(reads, name) ?? never }), agents: [agent], log },
    NO_TIMERS,
    { pushed: nothing, called: nothing, pushConfigChanged: never, hasSlept: () => false, roomForRuns: nothing },
  );
}
