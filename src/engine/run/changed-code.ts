import type { JsonValue } from '../../model/json.ts';
import type { JournalEntry, JournalRecord } from '../../store/store.ts';
import type { JournalKind } from '../replay/journal.ts';
import { type ComparedKind, entryName, type UnaskedEntries, type UnaskedEntry } from '../replay/unasked-entries.ts';
import { taskFields } from '../task-trace.ts';
import type { CodeComparison, RunPort } from './run-port.ts';

/** How long a branch of a handler may wait for something that is not recorded before it asks for what the journal has. */
const GRACE_MS = 1000;
/** How many entries of each side a log line and a mark name. */
const MAX_NAMED = 10;

const MISMATCH = 'Handler no longer matches the journal of its task';
const RELEASED = 'released';

/** The mark for operators in the journal. */
export interface MismatchRecord {
  /** The entries of earlier attempts that this one did not ask for. */
  readonly recorded: readonly string[];
  /** The steps, questions and calls that this attempt asked for and the journal does not have. */
  readonly asked: readonly string[];
  /** Whether the task was held. */
  readonly isHeld: boolean;
  /** Identifies what was recorded, so that later attempts do not report it again. */
  readonly keys: readonly string[];
}

/** The part of a run that is needed here. */
interface ComparedRun extends Pick<
  RunPort,
  'engine' | 'agent' | 'record' | 'journal' | 'completions' | 'timers' | 'signal' | 'noteLater'
> {
  /** Stops the run until it is tried again, when no step is running. */
  hold(entries: readonly JournalEntry[]): Promise<void>;
}

/**
 * Compares what the code of a handler asks for with what earlier attempts have recorded. Code that was changed between two
 * attempts may skip recorded work or do it again under another name. The run continues, but operators must see it.
 *
 * Everything that resolves to a handler comes in the order of the journal (`Completions`). So a handler that has received
 * an entry has asked for all entries before it, unless its code was changed, or a branch of it waits for something that is
 * not recorded. That branch may still ask, so a skipped entry is only reported when the handler waits or ends.
 */
export class ChangedCode implements CodeComparison {
  readonly #run: ComparedRun;
  readonly #unasked: UnaskedEntries;
  /** New steps and questions of this attempt, in words. */
  readonly #new: string[] = [];
  #isReported = false;
  #held: Promise<void> | undefined;

  constructor(run: ComparedRun, unasked: UnaskedEntries) {
    this.#run = run;
    this.#unasked = unasked;
  }

  beforeNew(kind: ComparedKind, key: string): Promise<void> | undefined {
    if (this.#new.length < MAX_NAMED) this.#new.push(entryName({ kind, key }));
    return this.#holds && this.#unasked.has(kind) ? this.#holdUnlessAsked(kind) : undefined;
  }

  holdsEnd(): boolean {
    const skipped = this.#unasked.all();
    if (!this.#holds || skipped.length === 0) return false;
    // If the run is stopped meanwhile, another one continues.
    this.#hold(skipped).catch(() => {});
    return true;
  }

  beforeWait(): void {
    this.#report(this.#unasked.skipped(['step', 'question', 'call']));
  }

  afterEnd(): void {
    this.#report(this.#unasked.all());
  }

  afterFailure(): void {
    this.#report(this.#unasked.skipped(['step']));
  }

  /** Whether a mismatch holds the task. */
  get #holds(): boolean {
    const { agent, journal } = this.#run;
    return agent.limits.onMismatch === 'hold' && journal.find('mismatch', RELEASED) === undefined;
  }

  async #holdUnlessAsked(kind: ComparedKind): Promise<void> {
    const { completions, timers, signal } = this.#run;
    // After everything in the journal that the handler has asked for.
    await completions.again(Number.MAX_SAFE_INTEGER);
    if (this.#unasked.has(kind)) await timers.delay(GRACE_MS, signal);
    if (!this.#unasked.has(kind)) return;
    await this.#hold(this.#unasked.all().filter((entry) => entry.kind === kind));
    // The run was canceled first, or is over.
    signal.throwIfAborted();
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
  }

  #hold(skipped: readonly UnaskedEntry[]): Promise<void> {
    return (this.#held ??= this.#run.hold(this.#marksOf(skipped, true)));
  }

  #report(skipped: readonly UnaskedEntry[]): void {
    if (skipped.length === 0 || this.#isReported) return;
    for (const { kind, key, body } of this.#marksOf(skipped, false)) this.#run.noteLater(kind, key, body);
  }

  /** Logs what was skipped, unless an earlier attempt did. Returns the mark for the journal. */
  #marksOf(skipped: readonly UnaskedEntry[], isHeld: boolean): readonly MismatchEntry[] {
    const { engine, record, journal } = this.#run;
    // A task that has made progress since it was held is held anew.
    const since = isHeld ? lastProgress(PROGRESS.flatMap((kind) => [...journal.entriesOf(kind)])) : 0;
    const marks = [...journal.entriesOf('mismatch')].filter(({ number }) => number > since);
    const marked = new Set(marks.flatMap(({ body }) => keysIn(body, isHeld)));
    const unmarked = skipped.filter((entry) => !marked.has(keyOf(entry)));
    if (unmarked.length === 0) return [];
    this.#isReported = true;
    engine.observers.metrics?.codeMismatch(record.agent, isHeld ? 'held' : 'continued');
    const sides = { recorded: unmarked.slice(0, MAX_NAMED).map(entryName), asked: this.#new };
    engine.log.warn(MISMATCH, { ...taskFields(record), ...sides, isHeld });
    const mark: MismatchRecord = { ...sides, isHeld, keys: unmarked.map(keyOf) };
    return [{ kind: 'mismatch', key: String(record.fence), body: { ...mark } }];
  }
}

interface MismatchEntry extends JournalEntry {
  readonly kind: 'mismatch';
}

/** A run whose code did not match the journal of its task, for operators. */
export interface CodeMark {
  /** When it was found, in milliseconds since 1970. Undefined in journals of earlier versions. */
  readonly at: number | undefined;
  /** `held`: the run did nothing new. `continued`: it did. */
  readonly treatment: 'held' | 'continued';
  /** The entries of earlier attempts that the run did not ask for, such as `step charge`. */
  readonly recorded: readonly string[];
  /** The steps and questions that the run asked for and the journal does not have. */
  readonly asked: readonly string[];
}

/** The marks in a journal, also in the outline of one. */
export function codeMarksIn(entries: readonly JournalEntry[]): readonly CodeMark[] {
  return entries.flatMap(({ kind, key, body, outline }) => {
    if (kind !== 'mismatch' || key === RELEASED) return [];
    const { recorded = [], asked = [], isHeld } = (body ?? outline ?? {}) as Partial<MismatchRecord>;
    const at = outline?.['at'];
    return [
      {
        at: typeof at === 'number' ? at : undefined,
        treatment: isHeld ? 'held' : 'continued',
        recorded,
        asked,
      } as const,
    ];
  });
}

/** Whether an unfinished task is held, by the entries of its journal: nothing was recorded since, and nobody has released it. */
export function isHeldIn(entries: readonly JournalRecord[]): boolean {
  const turn = entries.slice(entries.findLastIndex(({ kind }) => kind === 'turn') + 1);
  const since = turn.filter(({ number }) => number > lastProgress(turn));
  return (
    codeMarksIn(since).some(({ treatment }) => treatment === 'held') &&
    !turn.some(({ kind, key }) => kind === 'mismatch' && key === RELEASED)
  );
}

/** The kinds of entries that a run records only while it is not held. */
const PROGRESS: readonly JournalKind[] = ['step', 'question', 'answer', 'sleep', 'slept', 'call', 'called'];

function lastProgress(entries: readonly JournalRecord[]): number {
  const kinds: readonly string[] = PROGRESS;
  return entries.reduce((last, { kind, number }) => (kinds.includes(kind) ? Math.max(last, number) : last), 0);
}

/** The entry with which an operator lets a held task continue in this turn. */
export const RELEASE: JournalEntry = { kind: 'mismatch', key: RELEASED, body: {} };

function keyOf({ kind, key }: UnaskedEntry): string {
  return `${kind} ${key}`;
}

function keysIn(body: JsonValue, isHeld: boolean): readonly string[] {
  const mark = body as Partial<MismatchRecord>;
  return mark.isHeld === isHeld ? (mark.keys ?? []) : [];
}
