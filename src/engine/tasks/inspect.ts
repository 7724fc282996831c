import type { AllTasksQuery, JournalRecord, Store, TaskRecord } from '../../store/store.ts';
import { entryName } from '../replay/unasked-entries.ts';
import { type CodeMark, codeMarksIn, isHeldIn } from '../run/changed-code.ts';

/** A task of any caller as an operator sees it. */
export interface InspectedTask {
  readonly record: TaskRecord;
  /** The runs whose code did not match the journal, the earliest first. */
  readonly codeMarks: readonly CodeMark[];
  /** Whether the task is held because its code was changed, so that `release` lets it continue. */
  readonly isHeld: boolean;
  /** The journal without its values. */
  readonly journal: readonly InspectedEntry[];
}

/** A journal entry without its value. */
export interface InspectedEntry {
  readonly number: number;
  readonly kind: string;
  readonly key: string;
  /** The entry in words: `step charge`, `question 1`. */
  readonly name: string;
  /** When it was made, in milliseconds since 1970. Undefined for entries of earlier versions. */
  readonly at: number | undefined;
  /** How the step, the question or the call ended. */
  readonly outcome: string | undefined;
}

/**
 * Reads tasks of all owners with the outlines of their journals.
 *
 * @throws TypeError if the store cannot list the tasks of all owners (`allTasks`).
 */
export async function inspectTasks(store: Store, query: AllTasksQuery): Promise<readonly InspectedTask[]> {
  if (store.allTasks === undefined) throw new TypeError('This store cannot list the tasks of all owners (allTasks)');
  const inspected: InspectedTask[] = [];
  for (const record of await store.allTasks(query)) {
    const entries = record.lastJournal === 0 ? [] : await store.journal(record.id);
    inspected.push(inspectedTask(record, entries));
  }
  return inspected;
}

function inspectedTask(record: TaskRecord, entries: readonly JournalRecord[]): InspectedTask {
  return {
    record,
    codeMarks: codeMarksIn(entries),
    isHeld: record.endedAt === undefined && isHeldIn(entries),
    journal: entries.map(({ number, kind, key, outline: { at, outcome } = {} }) => ({
      number,
      kind,
      key,
      name: entryName({ kind, key }),
      at: typeof at === 'number' ? at : undefined,
      outcome: typeof outcome === 'string' ? outcome : undefined,
    })),
  };
}
