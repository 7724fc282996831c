import type { JsonObject } from '../../model/json.ts';
import type { Message } from '../../model/message.ts';
import { SENSITIVE } from '../../model/question.ts';
import { traceOf } from '../../observe/trace-context.ts';
import type {
  CallRecord,
  CallReport,
  ClaimedCall,
  Guard,
  JournalEntry,
  TaskRecord,
  TaskWrite,
} from '../../store/store.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { jsonSize } from '../../support/json/json-size.ts';
import { newId } from '../../support/id.ts';
import { digest } from '../../support/secret/digest.ts';
import { sha256 } from '../../support/secret/sha256.ts';
import type { Writable } from '../../support/writable.ts';
import type { JournalKind } from '../replay/journal.ts';
import { outlined } from '../replay/journal-outline.ts';
import { isTurnQuestion } from '../run/outcome.ts';
import { DEFAULT_LIMITS } from '../runnable.ts';
import {
  CallQuestions,
  lastRelayed,
  outcomeOf,
  type ShownQuestion,
  shownQuestion,
  type Stop,
  stopOf,
} from './call-facts.ts';
import { CallRelay, type Followed, updateEntry } from './call-relay.ts';
import type { CalledEntry, CallingTask, CallProgress, CallQuestionEntry, CallRequest } from './call-request.ts';
import { isRelayed, peerLabel, requestOf } from './call-request.ts';
import { type Peer, type PeerCall, PeerError, type PeerState, type Peers } from './peers.ts';
import { SiblingPeer, type SiblingParts } from './sibling.ts';

/** The pauses between attempts, and between polls of a child that does not change. They double up to the longest one. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 30_000;
/** The longest pause until an agent of the same host with a full queue is called again. */
const LONGEST_QUEUE_PAUSE_MS = 5000;
/** The pause between polls of a child whose peer notifies this host. Notifications may be lost. */
const HINTED_PAUSE_MS = 5 * 60_000;
/** How long a peer may be out of reach before the call ends. */
const UNREACHABLE_MS = 15 * 60_000;
/** How long a peer may take to send what a child has published before it settled. */
const DRAIN_MS = 10_000;
/** How long calls are worked on after the end of their task. */
const AFTERLIFE_MS = 24 * 60 * 60_000;

/** Thrown inside work that was stopped. */
const STOPPED = new Error('Stopped');

/** The parts of the engine that work on a call needs. */
export interface CallParts extends SiblingParts {
  readonly peers: Peers | undefined;
  /** Returns whether there is room to follow one more child as a stream. */
  mayFollow(work: CallWork): boolean;
}

/** How a call ended. After the end of its task, its child may be left alone, or it becomes a dead letter. */
type CallEnd = CalledEntry['outcome'] | 'left' | 'dead';

type Change = Omit<CallReport, 'callId' | 'node' | 'fence' | 'progress'>;

/**
 * Works on one call under the lease of its row, until there is nothing to do for now. Each action is derived from stored facts: the row, the
 * record and journal of the parent, and the state of the child. A node that dies is replaced by one that reads the same facts.
 *
 *     not started ──► start ──► the child works ──► it has ended: outcome to the parent, row removed
 *                                  │   ▲
 *                                  │   └── the answer goes to the child
 *                                  └── it asks: question to the parent, which makes the row due with the answer
 *     canceled, deadline, end of the parent ──► cancel the child ──► outcome
 */
export class CallWork {
  readonly call: ClaimedCall;
  /** Resolves with the time at which the call is due again, as far as this node knows. */
  readonly done: Promise<number>;
  readonly #parts: CallParts;
  readonly #request: CallRequest;
  readonly #abort = new AbortController();
  readonly #stopped = deferred<never>();
  /** Resolves when the parent may have changed. Set while a child is followed. */
  #news: Deferred<void> | undefined;
  #progress: CallProgress;
  /** The lease epoch in which the lease was claimed, or last confirmed; `undefined` without a lease. */
  #leaseEpoch: number | undefined;
  #isFollowing = false;
  /** Ends the stream of a child that is followed. */
  #endStream: (() => void) | undefined;
  /** Whether everything that the child published before it settled was passed on. */
  #isDrained = false;
  #hasConcluded = false;
  #dueAt = Number.POSITIVE_INFINITY;

  /** @param leaseEpoch Not set for work on a sibling without a lease, which is only good for its result. */
  constructor(parts: CallParts, call: ClaimedCall, leaseEpoch: number | undefined) {
    this.#parts = parts;
    this.call = call;
    this.#request = requestOf(call);
    this.#progress = call.progress;
    this.#leaseEpoch = leaseEpoch;
    this.#stopped.promise.catch(() => {});
    this.done = this.#run();
  }

  /** Whether the outcome of the call is stored. */
  get hasConcluded(): boolean {
    return this.#hasConcluded;
  }

  /** Whether it follows a child as a stream. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** Aborts at once. Another node continues. */
  stop(): void {
    this.#abort.abort();
    this.#stopped.reject(STOPPED);
  }

  /** Stops following the child, and releases the call. */
  leave(): void {
    this.#endStream?.();
  }

  /** The parent may have changed. */
  nudge(): void {
    this.#news?.resolve();
  }

  async #run(): Promise<number> {
    await this.#tryAll();
    return this.#dueAt;
  }

  async #tryAll(): Promise<void> {
    const { log } = this.#parts.engine;
    try {
      while (await this.#attempt());
    } catch (error) {
      if (error === STOPPED || this.#abort.signal.aborted) return;
      log.error('Work on a call failed unexpectedly', { ...this.#fields, error });
      await this.#retry().catch(() => {});
    }
  }

  /** Returns whether to look at the facts again. */
  async #attempt(): Promise<boolean> {
    const task = await this.#reliably(() => this.#readTask());
    // The rows of a removed task are gone.
    if (task === undefined) return false;
    try {
      const peer = this.#peerFor(task.record);
      if (peer === undefined) return await this.#leaveToOthers(task);
      const stop = stopOf(this.call.id, this.#request, task, this.#now);
      if (stop !== undefined) return await this.#end(peer, task, stop);
      const state = await this.#open(peer, task);
      return state === undefined ? await this.#uncertain(task) : await this.#continue(peer, task, state);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return this.#failed(task, error);
    }
  }

  async #readTask(): Promise<CallingTask | undefined> {
    const { store } = this.#parts.engine;
    const [stored, entries] = await Promise.all([
      store.read(this.call, this.call.taskId, { history: 0 }),
      store.journal(this.call.taskId, this.#request.after),
    ]);
    return stored && { record: stored.record, entries };
  }

  #peerFor(parent: TaskRecord): Peer | undefined {
    const { engine, peers } = this.#parts;
    const { peer, childId } = this.#request;
    if (childId === undefined) return peers?.find(peer);
    const agent = engine.agents.get(peer);
    return agent && new SiblingPeer(this.#parts, agent, this.call, parent, childId);
  }

  /** The child as it is now: started if it was not. Returns `undefined` if the peer does not reveal whether it was. */
  async #open(peer: Peer, task: CallingTask): Promise<PeerState | undefined> {
    const { childId } = this.#request;
    const { taskId } = this.#progress;
    const { signal } = this.#abort;
    const call = this.#peerCall(task.record);
    if (childId !== undefined) return this.#orStop(peer.start(call, signal));
    if (taskId !== undefined) return this.#orStop(peer.get(call, taskId, signal));
    if (!(await this.#isSure())) throw STOPPED;
    const state = await this.#orStop(
      this.#maySent ? peer.attach(call, this.call.createdAt, signal) : peer.start(call, signal),
    );
    this.#parts.engine.faultPoint('after-child-created');
    await this.#found(state);
    return state;
  }

  /** Stores the id of the child's task. */
  async #found(state: PeerState | undefined): Promise<void> {
    if (state?.kind !== 'task' || this.#request.childId !== undefined) return;
    this.#progress = { ...this.#progress, taskId: state.task.id };
    if ((await this.#note({})) === undefined) throw STOPPED;
  }

  /** Whether an earlier lease may have sent the message. A row that was never leased was never sent. */
  get #maySent(): boolean {
    return this.call.fence > (this.#progress.unsent ?? 0) + 1;
  }

  async #continue(peer: Peer, task: CallingTask, state: PeerState): Promise<boolean> {
    this.#progress = withoutFailures(this.#progress);
    // It continues without its parent.
    if (task.record.endedAt !== undefined) return this.#afterEnd({ remove: true }, 'left');
    const outcome = outcomeOf(state);
    const shown = state.kind === 'task' ? shownQuestion(state.task) : undefined;
    const hasSettled = outcome !== undefined || shown !== undefined;
    if (hasSettled && isRelayed(this.#request) && !this.#isDrained && state.kind === 'task')
      return this.#drain(peer, task, state.task.id);
    if (outcome !== undefined) return this.#conclude(task, outcome, undefined, state);
    if (state.kind === 'message') return false;
    const questions = new CallQuestions(this.call.id, task.entries);
    if (shown !== undefined) return this.#question(peer, task, state.task.id, questions, shown);
    const stale = questions.stale(undefined);
    if (stale.length > 0) await this.#append(task, stale.map(withdrawn));
    if (this.#isIdle(state)) {
      return this.#end(peer, task, { outcome: 'timed-out', reason: 'The agent was silent for too long' });
    }
    return this.#wait(peer, task, state.task.id);
  }

  async #question(
    peer: Peer,
    task: CallingTask,
    taskId: string,
    questions: CallQuestions,
    shown: ShownQuestion,
  ): Promise<boolean> {
    if (this.#request.questions === 'fail')
      return this.#end(peer, task, {
        outcome: 'failed',
        reason: 'The agent asked a question, which the call does not pass on',
      });
    const key = questions.keyOf(shown.id);
    const stale = questions.stale(key).map(withdrawn);
    if (key === undefined) {
      const { newKey } = this.#questionEntry(questions, shown);
      await this.#append(task, [...stale, newKey]);
      return this.#park();
    }
    if (stale.length > 0) await this.#append(task, stale);
    const answer = questions.answer(key);
    if (answer === undefined || !('value' in answer)) return this.#park();
    return this.#answer(peer, task, taskId, questions, shown, key, answer.value);
  }

  #questionEntry(
    questions: CallQuestions,
    { id, state, message }: ShownQuestion,
    problem?: string,
  ): { newKey: JournalEntry } {
    const body: Writable<CallQuestionEntry> = { call: this.call.id, state, message };
    if (problem !== undefined) body.problem = problem;
    return { newKey: { kind: 'call-question', key: questions.newKey(id), body: body as unknown as JsonObject } };
  }

  async #answer(
    peer: Peer,
    task: CallingTask,
    taskId: string,
    questions: CallQuestions,
    shown: ShownQuestion,
    key: string,
    value: Message | string,
  ): Promise<boolean> {
    const isCredential = typeof value === 'string';
    if (isCredential && this.#request.childId === undefined)
      return this.#end(peer, task, {
        outcome: 'failed',
        reason: 'The agent asks for a credential, and credentials are not sent to other hosts',
      });
    const parts = isCredential ? [{ text: value, metadata: { [SENSITIVE]: true } }] : value.parts;
    const message: Message = { messageId: `${this.call.id}-${digest(key)}`, taskId, role: 'ROLE_USER', parts };
    const call = this.#peerCall(task.record);
    let state: PeerState;
    try {
      state = await this.#orStop(peer.answer(call, taskId, { questionId: shown.id, message }, this.#abort.signal));
    } catch (error) {
      if (!(error instanceof PeerError) || error.kind !== 'rejected') throw error;
      // The peer expects another answer.
      await this.#append(task, [this.#questionEntry(questions, shown, error.message).newKey]);
      return this.#park();
    }
    this.#parts.engine.faultPoint('after-call-answered');
    this.#isDrained = false;
    const isStale = state.kind === 'task' && shownQuestion(state.task)?.id === shown.id;
    // The peer may show the question a moment longer.
    return isStale ? this.#poll() : this.#continue(peer, task, state);
  }

  async #wait(peer: Peer, task: CallingTask, taskId: string): Promise<boolean> {
    const isRemote = this.#request.childId === undefined;
    if (!isRelayed(this.#request)) {
      // The child may have changed before the peer got the request.
      if (isRemote && (await this.#askForHints(peer, task, taskId))) return true;
      if (!isRemote || this.#progress.isHinted === true) return this.#park();
    }
    const followed = this.#parts.mayFollow(this) ? await this.#follow(peer, task, taskId) : undefined;
    // A stream that closes without anything new must not be opened in a busy loop.
    if (followed === undefined || (followed.end === 'closed' && !followed.hasProgressed)) return this.#poll();
    this.#isDrained = followed.end === 'settled';
    return true;
  }

  /** Asks the peer once to notify this host when the child changes. Returns whether it will from now on. */
  async #askForHints(peer: Peer, task: CallingTask, taskId: string): Promise<boolean> {
    if (this.#parts.peers?.canHint !== true || this.#progress.isHinted !== undefined) return false;
    const token = newId() + newId();
    this.#progress = { ...this.#progress, hint: await sha256(token) };
    // The first notification may come before the response.
    if ((await this.#note({})) === undefined) throw STOPPED;
    const hint = { callId: this.call.id, token };
    const { signal } = this.#abort;
    let isHinted = false;
    try {
      isHinted = await this.#orStop(peer.requestHints(this.#peerCall(task.record), taskId, hint, signal));
    } catch (error) {
      // It is followed without them.
      if (!(error instanceof PeerError)) throw error;
    }
    this.#progress = { ...this.#progress, isHinted };
    return isHinted;
  }

  /** Passes on what a child has published before it settled. */
  async #drain(peer: Peer, task: CallingTask, taskId: string): Promise<true> {
    this.#isDrained = true;
    try {
      await this.#follow(peer, task, taskId, this.#now + DRAIN_MS);
    } catch (error) {
      // A peer need not have streams of tasks that have ended.
      if (!(error instanceof PeerError)) throw error;
    }
    return true;
  }

  /** Follows the child as a stream until it settles, the stream ends, or the facts may have changed. */
  async #follow(
    peer: Peer,
    task: CallingTask,
    taskId: string,
    until = this.#nextCheck(),
  ): Promise<Followed | undefined> {
    const { engine } = this.#parts;
    const abort = new AbortController();
    const after = lastRelayed(this.call.id, task.entries);
    const signal = AbortSignal.any([abort.signal, this.#abort.signal]);
    const updates = await this.#orStop(peer.follow(this.#peerCall(task.record), taskId, after, signal));
    if (updates === undefined) return undefined;
    this.#isFollowing = true;
    let hasLeft = false;
    const left = deferred<void>();
    this.#endStream = () => {
      hasLeft = true;
      left.resolve();
    };
    const relay = new CallRelay(engine, this.#request, this.call.id, (entries) => this.#append(task, entries));
    try {
      const followed = relay.follow(
        updates,
        Promise.race([left.promise, this.#parentStops(task, abort.signal)]),
        until,
      );
      const result = await this.#orStop(followed);
      return hasLeft ? undefined : result;
    } finally {
      this.#isFollowing = false;
      this.#news?.resolve();
      abort.abort();
    }
  }

  /** Resolves when the parent has changed so that the child has to be stopped, or left alone. */
  async #parentStops({ record }: CallingTask, signal: AbortSignal): Promise<void> {
    for (;;) {
      this.#news = deferred();
      await this.#news.promise;
      const task = signal.aborted ? undefined : await this.#reliably(() => this.#readTask());
      if (task === undefined || task.record.endedAt !== record.endedAt) return;
      if (stopOf(this.call.id, this.#request, task, this.#now) !== undefined) return;
    }
  }

  /** Ends the call for a reason of its own: the child is canceled first. */
  async #end(peer: Peer, task: CallingTask, stop: Stop): Promise<boolean> {
    const { signal } = this.#abort;
    const call = this.#peerCall(task.record);
    let taskId = this.#request.childId ?? this.#progress.taskId;
    if (taskId === undefined) {
      if (!this.#maySent) return this.#conclude(task, stop.outcome, stop.reason);
      // It is found first, and canceled then.
      const state = await this.#orStop(peer.attach(call, this.call.createdAt, signal));
      if (state === undefined) return this.#uncertain(task);
      await this.#found(state);
      if (state.kind === 'message') return this.#conclude(task, stop.outcome, stop.reason, state);
      taskId = state.task.id;
    }
    let state: PeerState | undefined;
    let isRefused = false;
    try {
      state = await this.#orStop(peer.cancel(call, taskId, signal));
    } catch (error) {
      if (!(error instanceof PeerError) || error.kind === 'unreachable') throw error;
      isRefused = true;
      if (error.kind !== 'not-found') state = await this.#orStop(peer.get(call, taskId, signal));
    }
    this.#parts.engine.faultPoint('after-child-canceled');
    const outcome = state && outcomeOf(state);
    if (outcome === undefined && !isRefused) return this.#poll();
    // It may have ended by itself first.
    return outcome === undefined || outcome === 'canceled'
      ? this.#conclude(task, stop.outcome, stop.reason, state)
      : this.#conclude(task, outcome, undefined, state);
  }

  #uncertain(task: CallingTask): Promise<boolean> {
    return this.#conclude(task, 'uncertain', 'The agent may have received the message, but does not reveal its task');
  }

  /** Stores the outcome and removes the row, in one write to the parent. */
  async #conclude(
    task: CallingTask,
    outcome: CalledEntry['outcome'],
    reason?: string,
    state?: PeerState,
  ): Promise<boolean> {
    const { record } = task;
    if (record.endedAt !== undefined) return this.#bury(outcome, reason);
    const body = this.#calledBody(record, outcome, reason, state);
    const called: JournalEntry = { kind: 'called', key: this.#request.key, body };
    const journal = [...this.#wholeArtifact(task, state), called];
    const { record: after, isStored } = await this.#append(task, journal, { endsCall: this.call.id });
    if (isStored) this.#observe(outcome, reason);
    this.#parts.engine.faultPoint('after-called');
    // The parent has ended in the meantime.
    if (after?.endedAt !== undefined) return this.#bury(outcome, reason);
    this.#hasConcluded = true;
    return false;
  }

  /** The relayed artifact as it is in the end, of a peer that does not number its events, so that chunks may be missing. */
  #wholeArtifact({ entries }: CallingTask, state: PeerState | undefined): readonly JournalEntry[] {
    const { artifact: name, childId } = this.#request;
    if (name === undefined || childId !== undefined || state?.kind !== 'task') return [];
    if (lastRelayed(this.call.id, entries) !== undefined) return [];
    const artifact = state.task.artifacts?.find((each) => (each.name ?? each.artifactId) === name);
    if (artifact === undefined) return [];
    const update = { kind: 'artifact', parts: artifact.parts, append: false } as const;
    return [updateEntry({ call: this.call.id, update }, 'last')];
  }

  /** Removes the row of a parent that has ended. A child that may still run is kept for operators. */
  async #bury(outcome: CalledEntry['outcome'], reason = outcome as string): Promise<boolean> {
    if (outcome !== 'uncertain' && outcome !== 'unreachable') return this.#afterEnd({ remove: true }, outcome, reason);
    this.#parts.engine.log.warn('Could not cancel the call of an ended task', { ...this.#fields, reason });
    return this.#afterEnd({ failed: reason }, 'dead', reason);
  }

  /** The last report about a call whose task has ended. */
  async #afterEnd(change: Change, outcome: CallEnd, reason?: string): Promise<false> {
    if ((await this.#note(change)) !== undefined) this.#observe(outcome, reason);
    return false;
  }

  /** Reports the outcome to the observers, once per call: on the node that has stored it. */
  #observe(outcome: CallEnd, reason?: string): void {
    const { tracer, metrics } = this.#parts.engine.observers;
    const { call } = this;
    const { peer, childId, trace } = this.#request;
    const ms = Math.max(0, this.#now - call.createdAt);
    metrics?.callEnded(call.agent, peerLabel(this.#request), outcome, ms / 1000);
    if (trace === undefined || tracer === undefined) return;
    const attributes = {
      'a2a.agent': call.agent,
      'a2a.task.id': call.taskId,
      'a2a.call.id': call.id,
      'a2a.call.peer': peer,
      'a2a.call.task.id': childId ?? this.#progress.taskId,
      'a2a.call.outcome': outcome,
    };
    const isFailed = outcome !== 'completed' && outcome !== 'canceled' && outcome !== 'left';
    // By the duration, because spans have the time of this machine.
    tracer
      .start('a2a.call.outcome', 'internal', trace, attributes, Date.now() - ms)
      .end(isFailed ? new Error(reason ?? `The call has ended as ${outcome}`) : undefined);
  }

  #calledBody(record: TaskRecord, outcome: CalledEntry['outcome'], reason?: string, state?: PeerState): JsonObject {
    const entry: Writable<CalledEntry> = { outcome };
    if (reason !== undefined) entry.reason = reason;
    if (state !== undefined) entry.state = withoutHistory(state);
    const body = entry as unknown as JsonObject;
    const { maxOutputBytes } = this.#parts.engine.agents.get(record.agent)?.limits ?? DEFAULT_LIMITS;
    const size = jsonSize(body);
    if (size <= maxOutputBytes) return body;
    return {
      outcome: 'failed',
      reason: `The result of the agent has ${size} bytes, and may have at most ${maxOutputBytes}`,
    };
  }

  /** Adds entries to the journal of the parent and wakes it. Returns the parent, if it exists, and whether the entries were stored. */
  async #append(
    task: CallingTask,
    journal: readonly JournalEntry[],
    more: Partial<TaskWrite> = {},
  ): Promise<{ readonly record: TaskRecord | undefined; readonly isStored: boolean }> {
    const { engine, onWritten } = this.#parts;
    for (let { record } = task; ;) {
      const { guard, wakeAt } = wakeOf(record, this.#now);
      const write: TaskWrite = {
        taskId: record.id,
        by: engine.node,
        guard: { call: this.call.id, ...guard },
        journal: outlined(journal, this.#now),
        ...(wakeAt !== undefined && { wakeAt }),
        ...more,
      };
      const result = await this.#reliably(() => engine.store.append(write));
      if (result.kind === 'appended') {
        engine.feed.written(result.record, () => ({ kind: 'written', record: result.record, events: [] }));
        onWritten(result.record);
        return { record: result.record, isStored: true };
      }
      const now = result.kind === 'rejected' ? result.record : undefined;
      // Otherwise the task waits for something else now, and the write is planned again.
      const isSame = now?.question === record.question && now?.status.state === record.status.state;
      if (now === undefined || now.endedAt !== undefined || isSame) return { record: now, isStored: false };
      record = now;
    }
  }

  async #failed(task: CallingTask, error: PeerError): Promise<boolean> {
    const { kind, message, isUnsent, retryAfterMs = 0 } = error;
    if (isUnsent && !this.#maySent) this.#progress = { ...this.#progress, unsent: this.call.fence };
    const isSibling = this.#request.childId !== undefined;
    if (kind !== 'unreachable') {
      const isKnown = this.#progress.taskId !== undefined;
      const outcome = kind === 'not-found' ? (isSibling ? 'failed' : 'uncertain') : isKnown ? 'failed' : 'rejected';
      return this.#conclude(task, outcome, message);
    }
    const { failingSince = this.#now } = this.#progress;
    const { endedAt } = task.record;
    if (!isSibling && endedAt === undefined && this.#now - failingSince >= UNREACHABLE_MS) {
      const isUncertain = this.#progress.taskId === undefined && this.#maySent;
      return this.#conclude(task, isUncertain ? 'uncertain' : 'unreachable', message);
    }
    if (endedAt !== undefined && this.#now - endedAt >= AFTERLIFE_MS) return this.#bury('unreachable', message);
    return this.#retry(isSibling ? LONGEST_QUEUE_PAUSE_MS : LONGEST_PAUSE_MS, retryAfterMs);
  }

  /** This node does not know the peer. Another one may. */
  async #leaveToOthers(task: CallingTask): Promise<boolean> {
    const { log } = this.#parts.engine;
    const { endedAt } = task.record;
    if (!this.#maySent) this.#progress = { ...this.#progress, unsent: this.call.fence };
    log.warn('The peer of a call is not known on this node', { ...this.#fields, peer: this.#request.peer });
    const reason = 'No node of this host knows the agent';
    if (endedAt !== undefined && this.#now - endedAt >= AFTERLIFE_MS) return this.#bury('unreachable', reason);
    const { deadline = Number.POSITIVE_INFINITY } = this.#request;
    if (endedAt === undefined && deadline <= this.#now) return this.#conclude(task, 'unreachable', reason);
    return this.#retry();
  }

  async #retry(longestMs = LONGEST_PAUSE_MS, atLeastMs = 0): Promise<boolean> {
    const { attempts = 0, failingSince = this.#now } = this.#progress;
    this.#progress = { ...this.#progress, attempts: attempts + 1, failingSince };
    const pauseMs = Math.max(atLeastMs, Math.min(FIRST_PAUSE_MS * 2 ** attempts, longestMs));
    return this.#done({ dueAt: this.#dueBy(this.#now + pauseMs) });
  }

  /** Looks at the child again after a pause. */
  #poll(): Promise<boolean> {
    const { seenAt = this.#now } = this.#progress;
    const pauseMs = Math.min(Math.max(this.#now - seenAt, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    return this.#done({ dueAt: this.#dueBy(this.#now + pauseMs) });
  }

  /** Waits for the write that makes the call due, or for the next check. */
  #park(): Promise<boolean> {
    if (this.#request.childId !== undefined) return this.#done({ dueAt: this.#nextCheck() ?? null });
    if (this.#progress.isHinted !== true) return this.#poll();
    const check = this.#nextCheck() ?? Number.POSITIVE_INFINITY;
    return this.#done({ dueAt: Math.min(check, this.#now + HINTED_PAUSE_MS) });
  }

  /** When the facts change by the passing of time. */
  #nextCheck(): number | undefined {
    const { deadline = Number.POSITIVE_INFINITY, idleMs = Number.POSITIVE_INFINITY } = this.#request;
    const time = Math.min(deadline, this.#now + Math.ceil(idleMs / 2));
    return time === Number.POSITIVE_INFINITY ? undefined : time;
  }

  #dueBy(time: number): number {
    return Math.min(time, this.#request.deadline ?? time);
  }

  /** Notes when the child was seen to change. Returns whether it has been silent for too long. */
  #isIdle(state: PeerState): boolean {
    const { idleMs, childId } = this.#request;
    if (idleMs === undefined && childId !== undefined) return false;
    const seen = digest(JSON.stringify(state.kind === 'task' ? [state.task.status, state.task.artifacts] : []));
    if (seen !== this.#progress.seen) this.#progress = { ...this.#progress, seen, seenAt: this.#now };
    return idleMs !== undefined && this.#now - (this.#progress.seenAt ?? this.#now) >= idleMs;
  }

  /** Returns whether this node still holds the lease, because a message cannot be unsent. */
  async #isSure(): Promise<boolean> {
    const { store, node, leaseMs, liveness, clock } = this.#parts.engine;
    if (this.#leaseEpoch === undefined) return false;
    if (liveness.isSureOf(this.#leaseEpoch)) return true;
    let since: number;
    do {
      const { leaseEpoch } = liveness;
      since = clock.now();
      await this.#reliably(() => store.heartbeat(node, leaseMs));
      if ((await this.#note({})) === undefined) return false;
      this.#leaseEpoch = leaseEpoch;
    } while (!liveness.lasts(since));
    return true;
  }

  /** Releases the lease, or removes the row. */
  async #done(change: Change): Promise<boolean> {
    const after = await this.#note(change);
    this.#dueAt = after?.dueAt ?? Number.POSITIVE_INFINITY;
    return false;
  }

  async #note(change: Change): Promise<CallRecord | undefined> {
    if (this.#leaseEpoch === undefined) return undefined;
    const { store, node } = this.#parts.engine;
    const report = {
      callId: this.call.id,
      node,
      fence: this.call.fence,
      progress: this.#progress as unknown as JsonObject,
      ...change,
    };
    return this.#reliably(() => store.noteCall(report));
  }

  #peerCall(parent: TaskRecord): PeerCall {
    const { message, skillId, deadline, as, caller, lineage, trace = traceOf(parent) } = this.#request;
    return {
      id: this.call.id,
      message,
      as,
      caller,
      lineage,
      trace,
      ...(skillId !== undefined && { skillId }),
      ...(deadline !== undefined && { deadline }),
    };
  }

  get #now(): number {
    return this.#parts.engine.clock.now();
  }

  get #fields(): { readonly callId: string; readonly taskId: string; readonly agent: string } {
    return { callId: this.call.id, taskId: this.call.taskId, agent: this.call.agent };
  }

  /** Retries while the store fails, because no other node takes over while this node lives. */
  async #reliably<T>(work: () => Promise<T>): Promise<T> {
    const { log, clock, timers, pollMs } = this.#parts.engine;
    for (let hasWarned = false; ; hasWarned = true) {
      try {
        return await this.#orStop(work());
      } catch (error) {
        if (error === STOPPED) throw error;
        if (!hasWarned) log.warn('A call waits for the task store', { ...this.#fields, error });
      }
      await this.#orStop(new Promise<void>((resolve) => void timers.add(clock.now() + pollMs, resolve)));
    }
  }

  #orStop<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([this.#stopped.promise, promise]);
  }
}

/**
 * How a task is woken for news of its calls. A task that has paused is not: it continues with the next message, and would seem to have
 * waited too long for it.
 */
function wakeOf(
  { question, status, wakeAt = Number.POSITIVE_INFINITY }: TaskRecord,
  now: number,
): { readonly guard: Guard; readonly wakeAt?: number } {
  if (question !== undefined && isTurnQuestion(question)) return { guard: { question } };
  // A queued task keeps its position.
  const woken = Math.min(wakeAt, now);
  return { guard: question === undefined ? { states: [status.state] } : { question }, wakeAt: woken };
}

function withoutFailures({ attempts: _, failingSince: __, ...progress }: CallProgress): CallProgress {
  return progress;
}

function withdrawn(key: string): JournalEntry {
  const callId = key.slice('call '.length, key.indexOf('/'));
  return { kind: 'call-withdrawn' satisfies JournalKind, key, body: { call: callId } };
}

/** The state of a child as its parent keeps it. Its conversation is its own. */
function withoutHistory(state: PeerState): PeerState {
  if (state.kind === 'message') return state;
  const { history: _, ...task } = state.task;
  return { kind: 'task', task };
}
