import type { JsonValue } from '../../model/json.ts';
import { type ComparedKind, entryName, type UnaskedEntries, type UnaskedEntry } from '../replay/unasked-entries.ts';
import { taskFields } from '../task-trace.ts';
import type { RunPort } from './run-port.ts';

/** How many entries of each side a log line and a mark name. */
const MAX_NAMED = 10;

/** The mark for operators in the journal. */
export interface MismatchRecord {
  /** What earlier attempts recorded and this one did not ask for. */
  readonly recorded: readonly string[];
  /** What this attempt asked for and the journal does not have. */
  readonly asked: readonly string[];
  /** Identifies what was recorded, so that later attempts do not report it again. */
  readonly keys: readonly string[];
}

/** The part of a run that is needed here. */
type ComparedRun = Pick<RunPort, 'engine' | 'record' | 'journal' | 'noteLater'>;

/**
 * Compares what the code of a handler asks for with what earlier attempts have recorded. Code that was changed between two
 * attempts may skip recorded work or do it again under another name. The run continues, but operators must see it.
 *
 * Everything that resolves to a handler comes in the order of the journal (`Completions`). So a handler that has received
 * an entry has asked for all entries before it, unless its code was changed, or a branch of it waits for something that is
 * not recorded. That branch may still ask, so a skipped entry is only reported when the handler waits or ends.
 */
export class ChangedCode {
  readonly #run: ComparedRun;
  readonly #unasked: UnaskedEntries;
  /** New steps and questions of this attempt, in words. */
  readonly #new: string[] = [];
  #isReported = false;

  constructor(run: ComparedRun, unasked: UnaskedEntries) {
    this.#run = run;
    this.#unasked = unasked;
  }

  /** Called before a step or a question that is not in the journal. */
  beforeNew(kind: ComparedKind, key: string): void {
    if (this.#new.length < MAX_NAMED) this.#new.push(entryName({ kind, key }));
  }

  /** Called before the run is suspended, when everything that the handler has asked for was delivered. */
  beforeWait(): void {
    this.#report(this.#unasked.skipped(['step', 'question']), true);
  }

  /** Called when the handler has ended its turn by itself. @param isLast Whether the task ends, and its journal with it. */
  afterEnd(isLast: boolean): void {
    this.#report(this.#unasked.all(), !isLast);
  }

  /** Called when the handler was stopped or has failed. Only a step that was skipped before another one counts. */
  afterFailure(): void {
    this.#report(this.#unasked.skipped(['step']), false);
  }

  #report(skipped: readonly UnaskedEntry[], marks: boolean): void {
    if (skipped.length === 0 || this.#isReported) return;
    const { engine, record, journal } = this.#run;
    const marked = new Set(Array.from(journal.entriesOf('mismatch'), ({ body }) => keysIn(body)).flat());
    const unmarked = skipped.filter((entry) => !marked.has(keyOf(entry)));
    if (unmarked.length === 0) return;
    this.#isReported = true;
    engine.observers.metrics?.codeMismatch(record.agent, 'continued');
    const sides = { recorded: unmarked.slice(0, MAX_NAMED).map(entryName), asked: this.#new };
    engine.log.warn('Handler no longer matches the journal of its task', { ...taskFields(record), ...sides });
    const mark: MismatchRecord = { ...sides, keys: unmarked.map(keyOf) };
    if (marks) this.#run.noteLater('mismatch', String(record.fence), { ...mark });
  }
}

function keyOf({ kind, key }: UnaskedEntry): string {
  return `${kind} ${key}`;
}

function keysIn(body: JsonValue): readonly string[] {
  return (body as Partial<MismatchRecord>).keys ?? [];
}
