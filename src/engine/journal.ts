import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Message } from '../model/message.ts';
import type { JournalEntry, JournalRecord } from '../store/store.ts';

/**
 * What a run has to remember, by kind. Keys are unique within a turn; a turn is what one message to the handler sets off.
 *
 * | kind | key | body |
 * |---|---|---|
 * | `turn` | its ordinal | `Turn`: the message that began it, and where in the log |
 * | `step` | name # occurrence | `StepRecord`: `{ value }` or `{ error }`, and what was published meanwhile |
 * | `correction` | kind and place of the event | `CorrectionRecord`: the outputs that it replaced |
 * | `question` | ordinal : digest | what was asked, for whoever checks the answer |
 * | `answer` | that of the question | `{ value, said }` or `{ expired }`: what the handler gets, what is shown of it |
 * | `sleep`, `slept` | ordinal | `{ until }`; that it was over |
 * | `message` | its id | a message that came while the handler ran |
 * | `read` | ordinal | `{ upTo }`: the number of the last message that was read |
 * | `worked` | the lease | `{ ms }`: for how long, of a run that was handed over |
 * | `call`, `called` | peer # occurrence | a call of another agent, fixed before it is made; what came of it |
 */
export type JournalKind =
  | 'turn'
  | 'step'
  | 'correction'
  | 'question'
  | 'answer'
  | 'sleep'
  | 'slept'
  | 'message'
  | 'read'
  | 'worked'
  | 'call'
  | 'called';

/** A message to the handler and what came with it. */
export interface Trigger {
  readonly message: Message;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** If it is not that of the task. */
  readonly skillId?: string;
}

export interface Turn extends Trigger {
  /** The number of the last public event before it. */
  readonly after: number;
}

/** Everything a run needs to know of the journal of its task. */
export class Journal {
  /** 0 for the first turn: it has no entry, its message is that of the task. */
  readonly turn: number;
  readonly trigger: Turn | undefined;
  /** How long runs before this one have worked since the last pause. */
  readonly workedMs: number;
  readonly #entries = new Map<string, JournalRecord>();
  /** Of all turns: a message that was not read stays unread. */
  readonly #messages: { readonly number: number; readonly message: Message }[] = [];
  #readUpTo = 0;
  #seen: number;

  constructor(records: readonly JournalRecord[] = []) {
    if (records.length === 0) {
      this.turn = 0;
      this.trigger = undefined;
      this.workedMs = 0;
      this.#seen = 0;
      return;
    }
    const start = records.findLastIndex(({ kind }) => kind === 'turn');
    this.turn = records.filter(({ kind }) => kind === 'turn').length;
    this.trigger = records[start]?.body as unknown as Turn | undefined;
    this.workedMs = workedIn(records);
    this.#seen = records.at(-1)?.number ?? 0;
    for (const [i, record] of records.entries()) {
      this.#addMessage(record);
      if (i > start) this.#entries.set(`${record.kind} ${record.key}`, record);
    }
    // Reads of this turn are made again, in their order; those of earlier turns are over.
    const before = records.slice(0, Math.max(start, 0)).filter(({ kind }) => kind === 'read');
    this.#readUpTo = Math.max(0, ...before.map(({ body }) => readOf(body)));
  }

  /** The number of the last entry that it knows of. */
  get seen(): number {
    return this.#seen;
  }

  /** Something was done in this turn before. */
  get hasBegun(): boolean {
    return [...this.#entries.keys()].some((key) => !key.startsWith('message '));
  }

  find(kind: JournalKind, key: string): JsonValue | undefined {
    return this.#entries.get(`${kind} ${key}`)?.body;
  }

  /** Takes in what this run has noted, for calls that are repeated within the run. */
  add(record: JournalRecord): void {
    this.#entries.set(`${record.kind} ${record.key}`, record);
  }

  /** What was noted of a kind in this turn, in order. */
  *entriesOf(kind: JournalKind): Generator<JournalRecord> {
    for (const record of this.#entries.values()) if (record.kind === kind) yield record;
  }

  /** Its place in the journal: what has a lower number came about earlier. */
  numberOf(kind: JournalKind, key: string): number {
    return this.#entries.get(`${kind} ${key}`)?.number ?? 0;
  }

  /** Takes in what others have written since, answers and messages, and returns what they said. */
  catchUp(records: readonly JournalRecord[]): readonly Message[] {
    const said: Message[] = [];
    for (const record of records) {
      if (record.number <= this.#seen) continue;
      this.#seen = record.number;
      this.#addMessage(record);
      if (record.kind === 'answer') this.#entries.set(`answer ${record.key}`, record);
      said.push(...saidIn(record));
    }
    return said;
  }

  /** Messages that were not read, up to a number or all there are. */
  unread(upTo = Number.POSITIVE_INFINITY): readonly { readonly number: number; readonly message: Message }[] {
    return this.#messages.filter(({ number }) => number > this.#readUpTo && number <= upTo);
  }

  markRead(upTo: number): void {
    this.#readUpTo = Math.max(this.#readUpTo, upTo);
    const unread = this.#messages.findIndex(({ number }) => number > this.#readUpTo);
    this.#messages.splice(0, unread < 0 ? this.#messages.length : unread);
  }

  #addMessage({ kind, number, body }: JournalRecord): void {
    if (kind === 'message') this.#messages.push({ number, message: body as unknown as Message });
  }
}

function workedIn(records: readonly JournalRecord[]): number {
  let ms = 0;
  for (const { kind, body } of records) {
    if (kind === 'worked') ms += (body as { readonly ms: number }).ms;
    else if (kind === 'step') ms += (body as { readonly workedMs?: number }).workedMs ?? 0;
    else if (kind === 'turn' || kind === 'answer' || kind === 'slept') ms = 0;
  }
  return ms;
}

/** What is to be remembered of a run that is handed over. */
export function workedEntry({ fence }: { readonly fence: number }, ms: number): JournalEntry {
  return { kind: 'worked' satisfies JournalKind, key: `${fence}`, body: { ms } };
}

/** A message, or what is shown of an answer. */
function saidIn({ kind, body }: JournalRecord): readonly Message[] {
  if (kind === 'message') return [body as unknown as Message];
  const { said } = (kind === 'answer' ? body : {}) as { readonly said?: Message };
  return said === undefined ? [] : [said];
}

export function readOf(body: JsonValue): number {
  return (body as { readonly upTo: number }).upTo;
}
