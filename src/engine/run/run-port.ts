import type { A2AError } from '../../errors.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalEntry, JournalRecord, NewCall, TaskRecord } from '../../store/store.ts';
import type { EngineContext } from '../engine-context.ts';
import type { RunOutputs } from '../output/run-outputs.ts';
import type { OutputSource } from '../output/step-outputs.ts';
import type { Journal, JournalKind } from '../replay/journal.ts';
import type { ComparedKind } from '../replay/unasked-entries.ts';
import type { Runnable } from '../runnable.ts';
import type { Noted } from '../write/task-writer.ts';
import type { Completions } from './completions.ts';
import type { Outcome } from './outcome.ts';
import type { StopReason } from './run-state.ts';
import type { RunTimers } from './run-timers.ts';
import type { RunTrace } from './run-trace.ts';

/** Compares what the code of a handler asks for with what earlier attempts have recorded. */
export interface CodeComparison {
  /**
   * Called before a step, a question or a call that is not in the journal. It has to wait for a returned promise, which never resolves
   * if the task is held.
   */
  beforeNew(kind: ComparedKind, key: string): Promise<void> | undefined;
  /** Called before the run is suspended, when everything that the handler has asked for was delivered. */
  beforeWait(): void;
  /** Called when the handler wants to end its turn. Returns whether the task is held instead. */
  holdsEnd(): boolean;
  /** Called when the handler has ended its turn by itself. */
  afterEnd(): void;
  /** Called when the handler was stopped or has failed. Only a step that was skipped before another one counts. */
  afterFailure(): void;
}

/** A run as its parts see it: steps, waits, inbox and context. They never import the run itself. */
export interface RunPort {
  readonly engine: EngineContext;
  readonly agent: Runnable;
  /** The task as it was last stored. */
  readonly record: TaskRecord;
  readonly journal: Journal;
  /** Compares the code with the journal of earlier attempts; `undefined` if there is nothing to compare. */
  readonly changedCode: CodeComparison | undefined;
  readonly outputs: RunOutputs;
  readonly completions: Completions;
  readonly timers: RunTimers;
  readonly trace: RunTrace | undefined;
  readonly signal: AbortSignal;

  /** Why the handler has to stop, if it has to. */
  readonly stopReason: StopReason | undefined;
  /** Whether the run holds its lease. */
  readonly isAwake: boolean;
  /** Whether further activity of the handler is ignored. */
  readonly isOver: boolean;
  /** Whether the handler has ended or continues in another run, so that nobody waits for its promises here. */
  readonly isAbandoned: boolean;

  now(): number;
  /** Throws if the run is over. */
  assertRunning(): void;
  /** Throws if the run is over or canceled: a canceled handler only cleans up. */
  assertMayWait(): void;

  /** Stores a journal entry. Resolves with its number, when it is next in the order of completions. */
  note(kind: JournalKind, key: string, body: JsonValue): Promise<number>;
  /** Stores a journal entry in the same way, and the row of the call that it records. */
  noteCall(entry: JournalEntry, call?: NewCall): Promise<number>;
  /** Puts a message into the inbox that does not come from a caller. */
  receive(message: Message): void;
  /** Adds a journal entry to the next write. */
  noteLater(kind: JournalKind, key: string, body: JsonValue): void;
  /** Resolves when a stored entry of this run is next in the order of completions; `undefined` if it is at once. */
  inOrder(noted: Noted): Promise<void> | undefined;
  /** Resolves when an entry that was written from outside is next in the order of completions. */
  arrived(number: number): Promise<void>;
  /** Reads from the store. A failure is not the handler's fault: the run starts again when the store is available. */
  reading<T>(read: () => Promise<T>): Promise<T>;
  /** Applies entries that were written from outside. */
  catchUp(entries: readonly JournalRecord[]): void;

  emit(output: unknown, source?: OutputSource): void;
  /** A promise to await before the next output, if any. */
  room(): Promise<void> | undefined;
  /** Ends the turn by a decision of the handler, unless it has already ended. */
  conclude(outcome: Outcome): void;

  /** A promise to await before side effects, if the task is not stored yet. */
  created(): Promise<void> | undefined;
  /** A promise to await before side effects, if other nodes may have taken over the task. */
  confirmLease(): Promise<void> | undefined;
  /** Returns an error if the caller has too many tasks that wait for an answer. */
  refusalToPause(): Promise<A2AError | undefined>;

  /** Called when the lease is released. */
  suspended(): void;
  /** Claims the task again, although nothing in it is due. */
  wake(): void;
}

const nothing = (): void => {};

/**
 * Marks the rejection of a promise for a handler as handled. An unhandled rejection ends the process, and handlers forget
 * to await promises. Promises that the handler derives are out of reach; so once the handler has ended and nobody can be
 * waiting, a rejected promise stays pending instead.
 */
export function markHandled<T>(run: RunPort, promise: Promise<T>): Promise<T> {
  const result = promise.catch((error: unknown) => {
    if (run.isAbandoned) return new Promise<never>(nothing);
    throw error;
  });
  result.catch(nothing);
  return result;
}
