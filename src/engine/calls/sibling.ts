import { A2AError, type ErrorCode } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import { pathIn } from '../../model/question.ts';
import { isPaused, isTerminal } from '../../model/state.ts';
import { type CallRecord, fairnessKeyOf, type StoredTask, type TaskRecord } from '../../store/store.ts';
import { traceOf } from '../../observe/trace-context.ts';
import { textOfStatus } from '../../model/task-text.ts';
import type { EngineContext } from '../engine-context.ts';
import type { Caller } from '../handler.ts';
import { credentialIn } from '../questions/sensitive-parts.ts';
import { artifactUpdateOf, statusUpdateOf, taskOf } from '../replay/event-body.ts';
import type { Runnable } from '../runnable.ts';
import type { Runs } from '../schedule/runs.ts';
import { Subscription } from '../stream/subscribe.ts';
import { authorize } from '../tasks/authorize.ts';
import { cancelTask } from '../tasks/cancel.ts';
import { followUp } from '../tasks/follow-up.ts';
import { beginTask, newTask, prepareTask } from '../tasks/new-task.ts';
import type { Submission } from '../tasks/submission.ts';
import { existing } from '../tasks/task-access.ts';
import { requestOf } from './call-request.ts';
import { type Peer, type PeerAnswer, type PeerCall, PeerError, type PeerState, type PeerUpdate } from './peers.ts';

/** A task that must never run is due at this time. */
const NEVER = Number.MAX_SAFE_INTEGER;

/** The parts of the engine that calls between agents of one host need. */
export interface SiblingParts {
  readonly engine: EngineContext;
  readonly runs: Runs;
  /** Called after a write to a task from outside of its run. */
  readonly onWritten: (record: TaskRecord) => void;
  /** Called after the task of a child was created, which runs on this node if it has a slot. */
  readonly onStarted: (taskId: string) => void;
}

/**
 * An agent of the same host, as the peer of one call. The id of the child was chosen with the call, so `start` can be repeated: a second
 * attempt finds the task of the first one.
 */
export class SiblingPeer implements Peer {
  readonly name: string;
  readonly #parts: SiblingParts;
  readonly #agent: Runnable;
  readonly #call: CallRecord;
  readonly #parent: TaskRecord;
  readonly #childId: string;

  constructor(parts: SiblingParts, agent: Runnable, call: CallRecord, parent: TaskRecord, childId: string) {
    this.name = agent.id;
    this.#parts = parts;
    this.#agent = agent;
    this.#call = call;
    this.#parent = parent;
    this.#childId = childId;
  }

  async start({ message, skillId }: PeerCall): Promise<PeerState> {
    const known = await this.#read();
    if (known !== undefined) return stateOf(known);
    await this.create(message, skillId);
    return this.get();
  }

  /** Creates the task of the child, unless it exists. @throws PeerError */
  async create(message: Message, skillId: string | undefined): Promise<void> {
    const { engine, runs, onStarted } = this.#parts;
    const submission = this.#firstSubmission(message, skillId);
    // A node that works on request has no queue.
    const isElsewhere = engine.isOnDemand && !runs.slots(this.#agent).mayTake(fairnessKeyOf(submission));
    await asPeerErrors(async () => {
      const given = isElsewhere ? { ...submission, elsewhere: true } : submission;
      await beginTask(engine, runs, prepareTask(engine, runs, this.#agent, given));
    });
    engine.faultPoint('after-child-created');
    onStarted(this.#childId);
  }

  /** `start` can be repeated. */
  attach(call: PeerCall): Promise<PeerState> {
    return this.start(call);
  }

  async get(): Promise<PeerState> {
    const stored = await this.#read();
    if (stored === undefined) throw new PeerError('not-found', `The task of agent ${this.name} no longer exists`);
    return stateOf(stored);
  }

  async follow(
    _call: PeerCall,
    taskId: string,
    after: number | undefined,
    signal: AbortSignal,
  ): Promise<AsyncIterable<PeerUpdate>> {
    return this.#updates(taskId, after, signal);
  }

  /** The store makes the call due when the child settles. */
  async requestHints(): Promise<boolean> {
    return false;
  }

  async *#updates(taskId: string, after: number | undefined, signal: AbortSignal): AsyncGenerator<PeerUpdate> {
    const known = await this.#read();
    if (known !== undefined && hasSettled(known) && known.record.lastEvent <= (after ?? 0)) {
      yield { kind: 'settled', state: stateOf(known) };
      return;
    }
    const items = Subscription.to(this.#parts.engine, this.#scope, taskId, { after: after ?? 0, signal });
    for await (const batch of items) {
      let mayHaveSettled = false;
      for (const item of batch) {
        if (item.kind === 'artifact') {
          const { artifact, append } = artifactUpdateOf(item);
          const name = artifact.name ?? artifact.artifactId;
          yield { kind: 'artifact', name, parts: artifact.parts, append: append === true, event: item.number };
        } else if (item.kind === 'status') {
          const { status, metadata } = statusUpdateOf(item);
          const text = status.state === 'TASK_STATE_WORKING' ? textOfStatus(status) : '';
          const path = [this.name, ...(pathIn(metadata) ?? [])];
          if (text !== '') yield { kind: 'progress', text, path, event: item.number };
          mayHaveSettled ||= isTerminal(status.state) || isPaused(status.state);
        }
      }
      const stored = mayHaveSettled ? await this.#read() : undefined;
      if (stored === undefined || !hasSettled(stored)) continue;
      yield { kind: 'settled', state: stateOf(stored) };
      return;
    }
  }

  async answer(_call: PeerCall, taskId: string, { questionId, message }: PeerAnswer): Promise<PeerState> {
    const { engine, onWritten } = this.#parts;
    const stored = await this.#read();
    if (stored === undefined) return this.get();
    // It was answered by an earlier attempt, or has expired.
    if (stored.record.status.message?.messageId !== questionId) return stateOf(stored);
    const credential = stored.record.status.state === 'TASK_STATE_AUTH_REQUIRED' ? credentialIn(message) : undefined;
    const access = { ...this.#scope, agent: this.#agent.id };
    await asPeerErrors(async () => {
      if (credential !== undefined) return onWritten(await authorize(engine, access, taskId, credential));
      const submission = this.#submission({ ...message, taskId });
      const answers = stored.record.status.state === 'TASK_STATE_INPUT_REQUIRED' ? questionId : undefined;
      const given = { ...submission, idempotencyKey: message.messageId, ...(answers !== undefined && { answers }) };
      onWritten(await followUp(engine, given, taskId));
    });
    return this.get();
  }

  /**
   * Cancels the child. A child that does not exist is created as canceled, because another node may be about to create it and must find it
   * then.
   */
  async cancel({ message, skillId }: PeerCall, taskId: string): Promise<PeerState> {
    const { engine, runs } = this.#parts;
    if ((await this.#read()) === undefined) await this.#createUnstarted(message, skillId);
    await asPeerErrors(() => cancelTask(engine, runs, this.#scope, taskId, existing));
    return this.get();
  }

  async #createUnstarted(given: Message, skillId: string | undefined): Promise<void> {
    const { engine } = this.#parts;
    const task = newTask(engine, this.#firstSubmission(given, skillId), false);
    await engine.store.create({ ...task, wakeAt: NEVER });
  }

  get #scope(): Pick<TaskRecord, 'tenant' | 'owner'> {
    return { tenant: this.#call.tenant, owner: this.#call.owner };
  }

  /** The message that creates the child. Callers can see the child at once, so it always stays a task. */
  #firstSubmission(message: Message, skillId: string | undefined): Submission {
    return {
      ...this.#submission(message),
      returnImmediately: true,
      call: { id: this.#call.id, taskId: this.#childId },
      lineage: requestOf(this.#call).lineage,
      ...(skillId !== undefined && { skillId }),
    };
  }

  /** A message in the name of the root caller. */
  #submission(message: Message): Submission {
    const { lineage, caller, trace = traceOf(this.#parent) } = requestOf(this.#call);
    const { fairnessKey } = this.#parent;
    const asCaller: Caller = { ...caller, actors: lineage.path.toReversed() };
    return {
      ...this.#scope,
      agent: this.#agent.id,
      message,
      caller: asCaller,
      ...(fairnessKey !== undefined && { fairnessKey }),
      ...(trace !== undefined && { trace }),
    };
  }

  #read(): Promise<StoredTask | undefined> {
    return this.#parts.engine.store.read(this.#scope, this.#childId, { history: 0, artifacts: true });
  }
}

/** Starts a child whose call was just recorded by this node. Returns whether that worked. */
export async function startSibling(parts: SiblingParts, call: CallRecord, parent: TaskRecord): Promise<boolean> {
  const { peer, childId, message, skillId } = requestOf(call);
  const agent = parts.engine.agents.get(peer);
  if (agent === undefined || childId === undefined) return false;
  try {
    await new SiblingPeer(parts, agent, call, parent, childId).create(message, skillId);
    return true;
  } catch (error) {
    if (error instanceof PeerError) return false;
    throw error;
  }
}

function hasSettled({ record: { status } }: StoredTask): boolean {
  return isTerminal(status.state) || isPaused(status.state);
}

function stateOf(stored: StoredTask): PeerState {
  return { kind: 'task', task: taskOf(stored) };
}

/** Reports errors of the engine as a peer reports them. */
async function asPeerErrors(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!A2AError.is(error)) throw error;
    const { retryAfterMs } = error;
    throw new PeerError(KINDS[error.code] ?? 'rejected', error.message, {
      cause: error,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    });
  }
}

const KINDS: Readonly<Partial<Record<ErrorCode, PeerError['kind']>>> = {
  UNAVAILABLE: 'unreachable',
  TASK_NOT_FOUND: 'not-found',
  TASK_NOT_CANCELABLE: 'not-cancelable',
};
