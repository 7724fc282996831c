import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import type { JournalEntry, JournalRecord } from '../../store/store.ts';
import { UnansweredQuestions } from '../questions/open-questions.ts';
import { UnaskedEntries } from './unasked-entries.ts';

/**
 * The kinds of journal entries. Keys are unique within a turn; a turn is everything that one message to the handler sets
 * off.
 *
 * | kind | key | body |
 * |---|---|---|
 * | `turn` | its ordinal | `Turn`: the message that started it, and its position in the event log |
 * | `step` | name # occurrence | `StepRecord`: `{ value }` or `{ error }`, and the output published meanwhile |
 * | `correction` | kind and place of the event | `CorrectionRecord`: the outputs that it replaced |
 * | `question` | ordinal : digest | the question, for the check of the answer |
 * | `answer` | that of the question | `{ value, said, asked }` (for the handler, for the history, the question if it was not shown), `{ expired }` or `{ canceled }` |
 * | `withdrawn` | that of the question | nothing: nobody waits for its answer any more. If it is asked again, it gets a new entry |
 * | `sleep`, `slept` | ordinal | `{ until }`; that the sleep is over |
 * | `message` | its id | a message that arrived while the handler ran |
 * | `read` | ordinal | `{ upTo }`: the number of the last message that was read |
 * | `worked` | the lease | `{ ms }`: the working time of a run that was handed over |
 * | `mismatch` | the lease, or `released` | `MismatchRecord`: the code no longer fits the journal; or that an operator let it continue |
 * | `call`, `called` | name : digest # occurrence | a call to another agent, recorded before it is made; its result |
 * | `call-cancel` | that of the call | the handler has canceled the call |
 * | `call-detach` | that of the call | the result of the call goes to the inbox |
 * | `call-question` | `call`, id of the call / question | a question of the called agent |
 * | `call-withdrawn` | that of the question | the called agent no longer waits for an answer |
 * | `call-update` | id of the call / event | progress of the called agent, or a chunk of its artifact |
 */
export type JournalKind =
  | 'turn'
  | 'step'
  | 'correction'
  | 'question'
  | 'answer'
  | 'withdrawn'
  | 'sleep'
  | 'slept'
  | 'message'
  | 'read'
  | 'worked'
  | 'mismatch'
  | 'call'
  | 'called'
  | 'call-cancel'
  | 'call-detach'
  | 'call-question'
  | 'call-withdrawn'
  | 'call-update';

/** The entries that a node writes while it works on a call of the task. The body of each names the call. */
const CALL_NEWS: readonly string[] = ['call-question', 'call-withdrawn', 'call-update'] satisfies JournalKind[];

/** A message to the handler, with the context of its request. */
export interface Trigger {
  readonly message: Message;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  /** Set if it differs from that of the task. */
  readonly skillId?: string;
}

export interface Turn extends Trigger {
  /** The number of the last event before the turn. */
  readonly after: number;
}

const NO_QUESTIONS = new UnansweredQuestions();
/** Shared by all journals without entries, which are the majority. Never changed. */
const NO_ENTRIES = new Map<string, JournalRecord>();

/** The journal of a task, as a run needs it. */
export class Journal {
  /** The ordinal of the turn. The first turn is 0 and has no entry, because its message is that of the task. */
  readonly turn: number;
  readonly trigger: Turn | undefined;
  /** The working time of earlier runs since the last pause. */
  readonly workedMs: number;
  /** The entries of earlier attempts in this turn that this one has not asked for; `undefined` if there were none. */
  readonly unasked: UnaskedEntries | undefined;
  #entries = NO_ENTRIES;
  #unanswered: UnansweredQuestions | undefined;
  /** Messages of all turns, because an unread message stays unread in the next turn. */
  readonly #messages: { readonly number: number; readonly message: Message }[] = [];
  /** Questions and updates of called agents that the run has not taken yet, by call. Most tasks have none. */
  #callNews: Map<string, JournalRecord[]> | undefined;
  #messageIds: Set<string> | undefined;
  #readUpTo = 0;
  #seen: number;
  #arrivals = 0;

  constructor(records: readonly JournalRecord[] = []) {
    if (records.length === 0) {
      this.turn = 0;
      this.trigger = undefined;
      this.workedMs = 0;
      this.unasked = undefined;
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
      if (i > start) this.add(record);
    }
    this.unasked = UnaskedEntries.of(this.#entries.values());
    // The reads of this turn are replayed in their order; those of earlier turns are final.
    const before = records.slice(0, Math.max(start, 0)).filter(({ kind }) => kind === 'read');
    this.#readUpTo = Math.max(0, ...before.map(({ body }) => readOf(body)));
  }

  /** The number of the last entry before which all entries are known. */
  get seen(): number {
    return this.#seen;
  }

  /** How often entries have been added that were written outside of this run. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** The questions of this turn that are stored and have no answer, the oldest first. */
  get unanswered(): Iterable<JournalRecord> & { readonly size: number } {
    return this.#unanswered ?? NO_QUESTIONS;
  }

  /** Whether a question is stored and has no answer. */
  isUnanswered(key: string): boolean {
    return this.#unanswered?.has(key) === true;
  }

  /** Whether an earlier run has recorded anything in this turn. */
  get hasBegun(): boolean {
    return [...this.#entries.keys()].some((key) => !key.startsWith('message '));
  }

  find(kind: JournalKind, key: string): JsonValue | undefined {
    return this.#entries.get(`${kind} ${key}`)?.body;
  }

  /** Adds an entry of this run that it may look for again. */
  add(record: JournalRecord): void {
    const { kind, key } = record;
    if (CALL_NEWS.includes(kind)) {
      this.#addNews(record);
      return;
    }
    this.#set(`${kind} ${key}`, record);
    if (kind === 'question') {
      // Its answer may be known before the run learns that the question is stored.
      if (this.numberOf('answer', key) > record.number) return;
      this.#unanswered ??= new UnansweredQuestions();
    }
    this.#unanswered?.add(record);
  }

  /** Called when this run has stored entries. */
  wrote(first: number, count: number): void {
    if (first === this.#seen + 1) this.#seen += count;
  }

  /** The entries of a kind in this turn, in order. */
  *entriesOf(kind: JournalKind): Generator<JournalRecord> {
    for (const record of this.#entries.values()) if (record.kind === kind) yield record;
  }

  /** The number of an entry. Lower numbers were recorded earlier. */
  numberOf(kind: JournalKind, key: string): number {
    return this.#entries.get(`${kind} ${key}`)?.number ?? 0;
  }

  /** The questions and updates of a called agent since the last call of this function, in order. */
  takeCallNews(callId: string): readonly JournalRecord[] {
    const news = this.#callNews?.get(callId);
    if (news === undefined) return [];
    this.#callNews?.delete(callId);
    return news;
  }

  /** Adds new answers, messages and results of calls that were written outside of this run. Returns their messages. */
  catchUp(records: readonly JournalRecord[]): readonly Message[] {
    const seen = this.#seen;
    const said: Message[] = [];
    for (const record of records) {
      if (record.number <= this.#seen) continue;
      this.#seen = record.number;
      this.#addMessage(record);
      if (record.kind === 'answer' || record.kind === 'called' || CALL_NEWS.includes(record.kind)) this.add(record);
      said.push(...saidIn(record));
    }
    if (this.#seen > seen) this.#arrivals++;
    return said;
  }

  /** The unread messages, up to a number or all. */
  unread(upTo = Number.POSITIVE_INFINITY): readonly { readonly number: number; readonly message: Message }[] {
    return this.#messages.filter(({ number }) => number > this.#readUpTo && number <= upTo);
  }

  markRead(upTo: number): void {
    this.#readUpTo = Math.max(this.#readUpTo, upTo);
    const unread = this.#messages.findIndex(({ number }) => number > this.#readUpTo);
    this.#messages.splice(0, unread < 0 ? this.#messages.length : unread);
  }

  #set(name: string, record: JournalRecord): void {
    if (this.#entries === NO_ENTRIES) this.#entries = new Map();
    this.#entries.set(name, record);
  }

  #addNews(record: JournalRecord): void {
    const name = `${record.kind} ${record.key}`;
    // Two nodes may have written it, of which one had lost its lease.
    if (this.#entries.has(name)) return;
    this.#set(name, record);
    const { call } = record.body as { readonly call: string };
    const news = (this.#callNews ??= new Map<string, JournalRecord[]>()).get(call);
    if (news === undefined) this.#callNews.set(call, [record]);
    else news.push(record);
  }

  /** Adds a message that this run has put into its own inbox. */
  addMessage(record: JournalRecord): void {
    this.#addMessage(record);
    this.#messages.sort((a, b) => a.number - b.number);
  }

  /** Whether the inbox has, or had, a message with this id. */
  hasMessage(messageId: string): boolean {
    return this.#messageIds?.has(messageId) === true;
  }

  #addMessage({ kind, key, number, body }: JournalRecord): void {
    if (kind !== 'message') return;
    // Messages of this run itself come again with the others.
    if (this.#messages.some((other) => other.number === number)) return;
    (this.#messageIds ??= new Set()).add(key);
    this.#messages.push({ number, message: body as unknown as Message });
  }
}

function workedIn(records: readonly JournalRecord[]): number {
  let ms = 0;
  for (const { kind, body } of records) {
    if (kind === 'worked') ms += (body as { readonly ms: number }).ms;
    else if (kind === 'step') ms += (body as { readonly workedMs?: number }).workedMs ?? 0;
    else if (kind === 'turn' || kind === 'answer' || kind === 'slept' || kind === 'called') ms = 0;
  }
  return ms;
}

/** The entry with the working time of a run that is handed over. */
export function workedEntry({ fence }: { readonly fence: number }, ms: number): JournalEntry {
  return { kind: 'worked' satisfies JournalKind, key: `${fence}`, body: { ms } };
}

/** The message of an entry, or the public message of an answer, after its question if that was not shown. */
function saidIn({ kind, key, body }: JournalRecord): readonly Message[] {
  if (kind === 'message') return isCallResult(key, body) ? [] : [body as unknown as Message];
  const { asked, said } = (kind === 'answer' ? body : {}) as { readonly asked?: Message; readonly said?: Message };
  return [asked, said].filter((message) => message !== undefined);
}

/** Whether a message in the inbox is the result of a call, which is not part of the conversation with the caller. */
function isCallResult(key: string, body: JsonValue): boolean {
  return key.startsWith('call-') && (body as unknown as Message).role === 'ROLE_AGENT';
}

export function readOf(body: JsonValue): number {
  return (body as { readonly upTo: number }).upTo;
}
