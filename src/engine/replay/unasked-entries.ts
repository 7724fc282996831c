import type { JournalRecord } from '../../store/store.ts';

/** The kinds of entries that a handler asks for by name or by order, and that a replay compares. */
export type ComparedKind = 'step' | 'question' | 'sleep' | 'call';

const COMPARED: readonly ComparedKind[] = ['step', 'question', 'sleep', 'call'];

const isCompared = (kind: string): kind is ComparedKind => (COMPARED as readonly string[]).includes(kind);

/** A recorded entry that was not asked for. */
export interface UnaskedEntry {
  readonly kind: ComparedKind;
  readonly key: string;
  readonly number: number;
}

/** The recorded steps, questions, sleeps and calls of a turn that this attempt has not asked for. */
export class UnaskedEntries {
  /** The numbers of the entries by key, for each kind. */
  readonly #entries = new Map<ComparedKind, Map<string, number>>();
  /** The highest number that the handler has passed, for each kind. */
  readonly #passed = new Map<ComparedKind, number>();

  /** Returns `undefined` if there is nothing to compare. */
  static of(records: Iterable<JournalRecord>): UnaskedEntries | undefined {
    const unasked = new UnaskedEntries();
    for (const { kind, key, number, body } of records) {
      // The question of an agent that was called is asked again only while its call is open.
      const isForwarded = kind === 'question' && (body as { readonly path?: unknown } | null)?.path !== undefined;
      if (isCompared(kind) && !isForwarded) unasked.#add(kind, key, number);
    }
    unasked.#dropInnerSteps();
    return unasked.#entries.size === 0 ? undefined : unasked;
  }

  /** The handler has asked for a recorded entry. */
  asked(kind: ComparedKind, key: string): void {
    this.#entries.get(kind)?.delete(key);
  }

  /**
   * The handler has received an entry of this kind, and every entry before it that it had asked for. Entries of this kind
   * with lower numbers that it has not asked for by now were skipped.
   */
  passed(kind: ComparedKind, number: number): void {
    if (number > (this.#passed.get(kind) ?? 0)) this.#passed.set(kind, number);
  }

  has(kind: ComparedKind): boolean {
    return (this.#entries.get(kind)?.size ?? 0) > 0;
  }

  /** The entries that were skipped. */
  skipped(kinds: readonly ComparedKind[]): readonly UnaskedEntry[] {
    return this.#list(kinds).filter(({ kind, number }) => number < (this.#passed.get(kind) ?? 0));
  }

  all(): readonly UnaskedEntry[] {
    return this.#list(COMPARED);
  }

  #list(kinds: readonly ComparedKind[]): readonly UnaskedEntry[] {
    return kinds.flatMap((kind) =>
      Array.from(this.#entries.get(kind) ?? [], ([key, number]) => ({ kind, key, number })),
    );
  }

  #add(kind: ComparedKind, key: string, number: number): void {
    const entries = this.#entries.get(kind);
    if (entries === undefined) this.#entries.set(kind, new Map([[key, number]]));
    else entries.set(key, number);
  }

  /** A recorded step does not run again, so nothing asks for the steps inside of it. */
  #dropInnerSteps(): void {
    const steps = this.#entries.get('step');
    if (steps === undefined) return;
    const inner = [...steps.keys()].filter((key) => outerKeys(key).some((outer) => steps.has(outer)));
    for (const key of inner) steps.delete(key);
  }
}

/** The keys of all steps that a step may be inside of. */
function outerKeys(key: string): readonly string[] {
  const keys: string[] = [];
  for (let end = key.indexOf('/'); end >= 0; end = key.indexOf('/', end + 1)) keys.push(key.slice(0, end));
  return keys;
}

/** An entry in words, without content: `step charge`, `step charge#2`, `question 1`. */
export function entryName({ kind, key }: { readonly kind: string; readonly key: string }): string {
  if (kind === 'question' || kind === 'answer' || kind === 'withdrawn')
    return `${kind} ${/\.(\d+):/.exec(key)?.[1] ?? key}`;
  if (kind === 'call') return `${kind} ${key.replace(/:[^:#]*#/, '#').replace(/#1$/, '')}`;
  return `${kind} ${kind === 'step' ? key.replace(/#1$/, '') : key}`;
}
