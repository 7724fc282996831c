import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { PATH } from '../../model/question.ts';
import type { Part } from '../../model/part.ts';
import type { JournalEntry, JournalRecord, NewCall } from '../../store/store.ts';
import { copyOf } from '../../support/json/json-value.ts';
import { digest } from '../../support/secret/digest.ts';
import type { Writable } from '../../support/writable.ts';
import {
  type Call,
  CallError,
  type CallAnswer,
  type CallMessage,
  type CallOptions,
  type CallReply,
} from '../calls/call.ts';
import type { AnswerEntry } from '../calls/call-facts.ts';
import { failureText, replyOf } from '../calls/call-reply.ts';
import {
  type CalledEntry,
  type CallEntry,
  type CallQuestionEntry,
  type CallRequest,
  type CallUpdateEntry,
  peerLabel,
} from '../calls/call-request.ts';
import { pathOf, preparedQuestion, questionForHandler } from '../calls/child-question.ts';
import { contextIdOfCall } from '../calls/call-context.ts';
import { agentMark, checkLineage, lineageOfCall, type LineageProblem } from '../calls/lineage.ts';
import { PeerError, type Peers } from '../calls/peers.ts';
import { QuestionCanceledError, QuestionExpiredError } from '../handler.ts';
import { traceOf } from '../../observe/trace-context.ts';
import { partsOfContent } from '../output/output.ts';
import type { Journal } from '../replay/journal.ts';
import { originOf } from '../replay/load-task.ts';
import { taskFields } from '../task-trace.ts';
import type { TaskWriter } from '../write/task-writer.ts';
import { markHandled, type RunPort } from './run-port.ts';
import type { AskedHandle, Revocable, Waits } from './waits.ts';

/** The run behind its calls. */
interface CallingRun extends RunPort {
  readonly waits: Waits;
}

/** A call that the handler has made in this attempt. */
interface MadeCall {
  readonly key: string;
  readonly id: string;
  readonly peer: string;
  readonly onParentEnd: 'cancel' | 'leave';
  readonly options: CallOptions;
  /** How often the handler has limited its wait for the result. */
  limits: number;
  isCanceled: boolean;
  isDetached: boolean;
  /** Its questions that this task asks, by key. */
  readonly questions: Map<string, AskedHandle>;
}

/**
 * The calls of a handler to other agents. A call is a journal entry and a row, stored in one write; from then on any node works on it,
 * and the run only finds what the journal has: the result, questions of the called agent, and updates. The run is the only one that
 * changes the status and the output of its task.
 */
export class RunCalls {
  readonly #run: CallingRun;
  readonly #writer: TaskWriter;
  /** The calls of this attempt by key. */
  readonly #made = new Map<string, MadeCall>();
  /** How many calls had the same name and content. */
  readonly #counts = new Map<string, number>();
  /** The number of open calls of the owner, shared by calls of the same moment. */
  #counting: Promise<number> | undefined;
  /** Calls of this run that such a count does not include yet. */
  #uncounted = 0;

  constructor(run: CallingRun, writer: TaskWriter) {
    this.#run = run;
    this.#writer = writer;
  }

  async call(peer: string, message: CallMessage, options: CallOptions): Promise<CallReply> {
    const { call, added } = await this.#make(peer, message, options);
    if (added?.row !== undefined) this.#writer.addCall(added.entry, added.row);
    else if (added !== undefined) await this.#reject(added);
    return this.#result(call, options);
  }

  async start(peer: string, message: CallMessage, options: CallOptions): Promise<Call> {
    const { call, added } = await this.#make(peer, message, options);
    const run = this.#run;
    if (added === undefined) await run.completions.again(run.journal.numberOf('call', call.key));
    else {
      if (added.row === undefined) await this.#reject(added);
      else await run.noteCall(added.entry, added.row);
      run.engine.faultPoint('after-call');
      run.assertMayWait();
    }
    return this.#handleOf(call);
  }

  /** Takes the news that other nodes have written: questions and updates of called agents. */
  look(): void {
    for (const call of this.#made.values()) this.#take(call);
  }

  /** The calls of this attempt. */
  get made(): ReadonlyMap<string, { readonly isDetached: boolean } & CallEntry> {
    return this.#made;
  }

  #handleOf(call: MadeCall): Call {
    const run = this.#run;
    return {
      id: call.id,
      peer: call.peer,
      result: (options = {}) => markHandled(run, this.#result(call, options)),
      cancel: () => markHandled(run, this.#cancel(call)),
      detach: () => markHandled(run, this.#detach(call)),
    };
  }

  async #make(
    peer: string,
    message: CallMessage,
    options: CallOptions,
  ): Promise<{ readonly call: MadeCall; readonly added?: AddedCall }> {
    const run = this.#run;
    run.assertMayWait();
    const parts = checked(peer, message, options);
    const { journal } = run;
    const key = this.#keyOf(peer, parts, options);
    journal.unasked?.asked('call', key);
    const known = journal.find('call', key) as unknown as CallEntry | undefined;
    if (known !== undefined) return { call: this.#opened(key, known, options) };
    const held = run.changedCode?.beforeNew('call', key);
    if (held !== undefined) {
      await held;
      run.assertMayWait();
    }
    journal.unasked?.passed('call', Number.POSITIVE_INFINITY);
    if (options.signal?.aborted === true) throw new CallError('The call was canceled before it was made', 'canceled');
    const added = await run.completions.during(() => this.#newCall(key, peer, parts, options));
    run.assertMayWait();
    return { call: this.#opened(key, added.body, options), added };
  }

  /** Equal calls are distinguished by their order, also those of different turns. */
  #keyOf(peer: string, parts: readonly Part[], { name = peer, skill }: CallOptions): string {
    const place = `${name}:${digest(JSON.stringify([this.#run.journal.turn, peer, parts, skill]))}`;
    const count = (this.#counts.get(place) ?? 0) + 1;
    this.#counts.set(place, count);
    return `${place}#${count}`;
  }

  #opened(key: string, { id, peer, onParentEnd }: CallEntry, options: CallOptions): MadeCall {
    const call: MadeCall = {
      key,
      id,
      peer,
      onParentEnd,
      options,
      limits: 0,
      isCanceled: false,
      isDetached: false,
      questions: new Map(),
    };
    this.#made.set(key, call);
    const cancel = (): void => void this.#cancel(call).catch(() => {});
    options.signal?.addEventListener('abort', cancel, { once: true });
    if (options.signal?.aborted === true) cancel();
    this.#take(call);
    return call;
  }

  async #newCall(key: string, peer: string, parts: readonly Part[], options: CallOptions): Promise<AddedCall> {
    const { engine, record, agent } = this.#run;
    const { maxDepth, maxOpen, peers, identity } = engine.calls;
    const isSibling = engine.agents.has(peer);
    if (!isSibling) assertKnown(peer, peers, [...engine.agents.keys()], agent.id);
    const { deadlineMs } = options;
    const now = this.#run.now();
    const { caller, lineage: own } = originOf(record);
    const calling = { taskId: record.id, lineage: own, name: agent.id, mark: agentMark(identity, agent.id) };
    const lineage = lineageOfCall(calling, deadlineMs === undefined ? undefined : now + deadlineMs);
    // A peer on another host knows its own mark.
    const mark = isSibling ? agentMark(identity, peer) : '';
    const id = engine.newId();
    const { onParentEnd = 'cancel', questions = 'forward', skill, idleMs, progress, relay, as } = options;
    const body: CallEntry = { id, peer, onParentEnd };
    const entry: JournalEntry = { kind: 'call', key, body: body as unknown as JsonObject };
    const problem =
      checkLineage(lineage, { name: peer, mark, maxDepth }) ??
      ((await this.#hasRoom(maxOpen)) ? undefined : full(maxOpen));
    if (problem !== undefined) return { body, entry, problem };
    const contextId = await contextIdOfCall(record, peer);
    const message: Writable<Message> = { messageId: id, contextId, role: 'ROLE_USER', parts };
    if (skill !== undefined) message.metadata = { skillId: skill };
    const request: Writable<CallRequest> = {
      key,
      peer,
      message,
      onParentEnd,
      questions: typeof questions === 'function' ? 'handler' : questions,
      caller,
      lineage,
      after: record.lastJournal,
    };
    if (isSibling) request.childId = engine.newId();
    if (skill !== undefined) request.skillId = skill;
    if (lineage.deadline !== undefined) request.deadline = lineage.deadline;
    if (idleMs !== undefined) request.idleMs = idleMs;
    if (progress !== undefined) request.progress = true;
    if (relay !== undefined) request.artifact = relay.artifact;
    if (as !== undefined) request.as = as;
    const trace = this.#run.trace?.call(id, peer);
    if (trace !== undefined) request.trace = trace;
    engine.observers.metrics?.callMade(agent.id, peerLabel(request));
    return { body, entry, row: { id, request: request as unknown as JsonObject, dueAt: now } };
  }

  /** Records that a call is rejected, because a replay might find room for it, or a higher limit. */
  async #reject({ entry, problem }: RejectedCall): Promise<void> {
    const { engine, journal, record } = this.#run;
    const { metrics, audit } = engine.observers;
    const body = { outcome: 'rejected', reason: problem.text };
    this.#writer.addJournal(entry);
    const number = await this.#run.completions.during(() => this.#run.note('called', entry.key, body));
    journal.add({ kind: 'called', key: entry.key, body, number });
    if (problem.cause !== 'cycle') metrics?.limitHit(problem.cause);
    const trace = traceOf(record);
    audit?.rejected('CALL_REJECTED', {
      caller: record.owner,
      ...(record.tenant !== '' && { tenant: record.tenant }),
      taskId: record.id,
      ...(trace !== undefined && { traceId: trace.traceId }),
      detail: problem.cause,
    });
  }

  /** Whether the owner may have one more open call. */
  async #hasRoom(maxOpen: number): Promise<boolean> {
    const run = this.#run;
    const { record } = run;
    this.#counting ??= run
      .reading(() => run.engine.store.countCalls({ tenant: record.tenant, owner: record.owner }))
      .finally(() => {
        this.#counting = undefined;
        this.#uncounted = 0;
      });
    const count = await this.#counting;
    return count + this.#uncounted++ < maxOpen;
  }

  async #result(
    call: MadeCall,
    { waitMs, throwOnFailure = true }: Pick<CallOptions, 'waitMs' | 'throwOnFailure'>,
  ): Promise<CallReply> {
    const run = this.#run;
    run.assertMayWait();
    const limit =
      waitMs === undefined ? undefined : run.waits.limit(waitMs, `call ${call.key} ${String(++call.limits)}`);
    const { result, revoke } = this.#called(call);
    const called = limit === undefined ? await result : await Promise.race([result, limit.result]);
    if (called === undefined) {
      revoke();
      throw new CallError(`The call to ${call.peer} has not ended within ${waitMs} ms. It continues.`, 'pending', {
        call: this.#handleOf(call),
      });
    }
    limit?.revoke();
    const reply = copyOf(replyOf(called));
    if (reply.outcome === 'completed' || !throwOnFailure) return reply;
    throw new CallError(failureText(call.peer, reply), reply.outcome, { call: this.#handleOf(call), reply });
  }

  #called({ key }: MadeCall): Revocable<CalledEntry> {
    const { journal, completions, waits } = this.#run;
    const known = journal.find('called', key) as unknown as CalledEntry | undefined;
    if (known === undefined) return waits.call(key);
    const number = journal.numberOf('called', key);
    const result = completions.again(number).then(() => {
      journal.unasked?.passed('call', number);
      return known;
    });
    return { result, revoke: () => {} };
  }

  async #cancel(call: MadeCall): Promise<void> {
    const run = this.#run;
    const { journal, completions } = run;
    if (journal.find('call-cancel', call.key) !== undefined) {
      await completions.again(journal.numberOf('call-cancel', call.key));
      return;
    }
    if (call.isCanceled || journal.find('called', call.key) !== undefined) return;
    call.isCanceled = true;
    this.#writer.makeCallsDue();
    await completions.during(() => run.note('call-cancel', call.key, {}));
    run.engine.faultPoint('after-call-cancel');
  }

  async #detach(call: MadeCall): Promise<void> {
    const run = this.#run;
    const { journal, completions } = run;
    const isKnown = journal.find('call-detach', call.key) !== undefined;
    if (isKnown) await completions.again(journal.numberOf('call-detach', call.key));
    else if (!call.isDetached) await completions.during(() => run.note('call-detach', call.key, {}));
    call.isDetached = true;
    this.#take(call);
  }

  #take(call: MadeCall): void {
    const { journal } = this.#run;
    for (const record of journal.takeCallNews(call.id)) {
      if (record.kind === 'call-update') this.#relay(call, record);
      else if (record.kind === 'call-question') this.#ask(call, record);
    }
    this.#withdraw(call);
    if (call.isDetached && journal.find('called', call.key) !== undefined) this.#toInbox(call);
  }

  /** Publishes an update in the order of the journal, so that a replay publishes the same. */
  #relay(call: MadeCall, { number, body }: JournalRecord): void {
    const run = this.#run;
    const { update } = body as unknown as CallUpdateEntry;
    const { relay } = call.options;
    const publish = (): void => {
      if (run.isOver) return;
      try {
        if (update.kind === 'artifact')
          run.emit({ artifact: relay?.artifact, parts: update.parts, append: update.append });
        else {
          run.emit({
            status: 'working',
            text: `${update.path.join(' › ')}: ${update.text}`,
            metadata: { [PATH]: update.path },
          });
        }
      } catch (error) {
        run.engine.log.warn('Could not relay an update of a called agent', { ...taskFields(run.record), error });
      }
    };
    void run.completions.again(number).then(publish);
  }

  /** Asks a question of the called agent, unless it was answered, or is no longer open. */
  #ask(call: MadeCall, { key, body }: JournalRecord): void {
    const run = this.#run;
    const { journal } = run;
    const isOver = (): boolean =>
      journal.find('called', call.key) !== undefined || journal.find('call-withdrawn', key) !== undefined;
    if (journal.find('answer', key) !== undefined || isOver()) return;
    const asked = body as unknown as CallQuestionEntry;
    const path = pathOf(asked, call.peer);
    const { questions } = call.options;
    if (typeof questions === 'function') {
      const answer = async (): Promise<CallAnswer> => questions(questionForHandler(asked, path));
      const { sensitive } = preparedQuestion(asked);
      void run.completions.during(() => this.#answer(key, answer, sensitive)).catch(() => {});
      return;
    }
    const { deadline = Number.POSITIVE_INFINITY } = originOf(run.record).lineage ?? {};
    const timeoutMs = Math.max(1, Math.min(run.agent.limits.questionTtlMs, deadline - run.now()));
    const question = preparedQuestion(asked);
    const handle = run.waits.openQuestion({ key, state: asked.state, question, path, timeoutMs });
    handle.answer.catch((error: unknown) => this.#refused(key, error)).catch(() => {});
    call.questions.set(key, handle);
  }

  /** Withdraws the questions that the called agent no longer asks. */
  #withdraw({ key: callKey, questions }: MadeCall): void {
    const { journal } = this.#run;
    const hasEnded = journal.find('called', callKey) !== undefined;
    for (const [key, question] of questions) {
      if (!hasEnded && journal.find('call-withdrawn', key) === undefined) continue;
      questions.delete(key);
      if (journal.find('answer', key) === undefined) question.withdraw().catch(() => {});
    }
  }

  /** Records the answer of the handler. */
  async #answer(key: string, answer: () => Promise<CallAnswer>, isSensitive: boolean): Promise<void> {
    const run = this.#run;
    let entry: AnswerEntry;
    try {
      const parts = answerParts(await answer());
      entry = { value: { messageId: run.engine.newId(), role: 'ROLE_USER', parts } };
    } catch (error) {
      if (run.stopReason !== undefined) return;
      run.engine.log.error('The handler could not answer a question of a called agent', {
        ...taskFields(run.record),
        error,
      });
      entry = { refused: 'The calling agent could not answer the question' };
    }
    await this.#noteAnswer(key, entry, isSensitive);
  }

  /** The question could not be asked. If it was closed otherwise, that is recorded already. */
  async #refused(key: string, error: unknown): Promise<void> {
    const isClosed = error instanceof QuestionExpiredError || error instanceof QuestionCanceledError;
    const isWithdrawn = error instanceof DOMException && error.name === 'AbortError';
    if (isClosed || isWithdrawn || this.#run.stopReason !== undefined || this.#run.isOver) return;
    await this.#noteAnswer(key, {
      refused: error instanceof Error ? error.message : 'The question could not be asked',
    });
  }

  async #noteAnswer(key: string, answer: AnswerEntry, isSensitive = false): Promise<void> {
    this.#writer.makeCallsDue();
    const entry: JournalEntry = { kind: 'answer', key, body: answer as unknown as JsonValue };
    await this.#run.noteCall(isSensitive ? { ...entry, sensitive: true } : entry);
  }

  /** Delivers the result of a detached call to the inbox. */
  #toInbox(call: MadeCall): void {
    const run = this.#run;
    const called = run.journal.find('called', call.key) as unknown as CalledEntry;
    const { outcome, text, data } = replyOf(called);
    const id = `call-${call.id}`;
    if (run.journal.hasMessage(id)) return;
    const said = text === '' ? [] : [{ text }];
    const parts = data === undefined ? said : [...said, { data }];
    const message: Message = {
      messageId: id,
      role: 'ROLE_AGENT',
      parts: parts.length === 0 ? [{ text: outcome }] : parts,
      metadata: { callId: call.id, outcome },
    };
    run.receive(message);
  }
}

interface RejectedCall {
  readonly body: CallEntry;
  readonly entry: JournalEntry;
  readonly row?: undefined;
  readonly problem: CallProblem;
}

type AddedCall = RejectedCall | { readonly body: CallEntry; readonly entry: JournalEntry; readonly row: NewCall };

/** Why a call is rejected: by its lineage, or because its owner has too many open calls. */
type CallProblem = LineageProblem | { readonly cause: 'maxOpenCalls'; readonly text: string };

function full(maxOpen: number): CallProblem {
  return { cause: 'maxOpenCalls', text: `${maxOpen} calls of this caller are open. Wait for some of them.` };
}

/**
 * The entries that cancel calls when a turn ends: calls that the changed code of the handler did not ask for, and at the end of a turn
 * that is not the last one also the open ones. When the task ends, the nodes that work on its calls see that themselves.
 */
export function cancelsAtEnd(
  journal: Journal,
  calls: RunCalls | undefined,
  isLastTurn: boolean,
): readonly JournalEntry[] {
  const made = calls?.made;
  const open = new Map<string, CallEntry>(made);
  for (const { key, body } of journal.entriesOf('call')) open.set(key, body as unknown as CallEntry);
  const entries: JournalEntry[] = [];
  for (const [key, { onParentEnd }] of open) {
    if (journal.find('called', key) !== undefined || journal.find('call-cancel', key) !== undefined) continue;
    const isAsked = made?.has(key) === true;
    const isLeft = onParentEnd === 'leave' || made?.get(key)?.isDetached === true;
    const isCanceled = isAsked ? !isLastTurn && !isLeft : !isLastTurn || isLeft;
    if (isCanceled) entries.push({ kind: 'call-cancel', key, body: {} });
  }
  return entries;
}

/** Checks the arguments of a call. @throws TypeError or RangeError with a message for the author of the handler. */
function checked(peer: unknown, message: CallMessage, options: CallOptions): readonly Part[] {
  if (typeof peer !== 'string' || peer === '')
    throw new TypeError('The peer of a call must be the id of an agent or of a configured peer, a non-empty string');
  for (const name of ['waitMs', 'deadlineMs', 'idleMs'] as const) {
    const ms = options[name];
    if (ms !== undefined && !(ms > 0))
      throw new RangeError(`${name}: expected a number of milliseconds above 0, got ${ms}`);
  }
  const { name, skill } = options;
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw new TypeError('The name of a call must be a non-empty string');
  if (skill !== undefined && (typeof skill !== 'string' || skill === ''))
    throw new TypeError('The skill of a call must be a non-empty string');
  return partsOfContent(message, 'The message of a call');
}

/** @throws TypeError for a peer that this node does not know, CallError `rejected` for a URL that must not be called. */
function assertKnown(peer: string, peers: Peers | undefined, agents: readonly string[], own: string): void {
  try {
    if (peers?.find(peer) !== undefined) return;
  } catch (error) {
    if (error instanceof PeerError) throw new CallError(`The call was rejected: ${error.message}`, 'rejected');
    throw error;
  }
  throw unknownPeer(peer, agents, own);
}

function unknownPeer(peer: string, agents: readonly string[], own: string): TypeError {
  const siblings = agents.filter((id) => id !== own);
  const known =
    siblings.length === 0 ? 'This host has no other agent.' : `Agents of this host: ${siblings.join(', ')}.`;
  return new TypeError(`No agent of this host and no configured peer is called ${JSON.stringify(peer)}. ${known}`);
}

function answerParts(answer: CallAnswer): readonly Part[] {
  if (typeof answer === 'boolean' || typeof answer === 'number') return [{ data: answer }];
  return partsOfContent(answer, 'The answer to a question');
}
